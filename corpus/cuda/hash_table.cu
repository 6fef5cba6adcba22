// also: clang
// Open addressing on 64-bit slots, a spin lock, a Bloom filter, and union by compare and swap.

constexpr unsigned long long kEmpty = ~0ull;

__device__ unsigned mix(unsigned k) {
  k ^= k >> 16;
  k *= 0x85ebca6bu;
  k ^= k >> 13;
  k *= 0xc2b2ae35u;
  return k ^ k >> 16;
}

__global__ void insertPairs(unsigned long long* table, unsigned mask, const unsigned* keys,
                            const unsigned* values, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  unsigned long long entry = static_cast<unsigned long long>(keys[i]) << 32 | values[i];
  for (unsigned slot = mix(keys[i]) & mask;; slot = (slot + 1) & mask) {
    unsigned long long old = atomicCAS(&table[slot], kEmpty, entry);
    if (old == kEmpty || old >> 32 == keys[i]) return;
  }
}

__global__ void findValues(const unsigned long long* table, unsigned mask, const unsigned* keys,
                           unsigned* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  unsigned found = ~0u;
  for (unsigned slot = mix(keys[i]) & mask; table[slot] != kEmpty; slot = (slot + 1) & mask)
    if (table[slot] >> 32 == keys[i]) {
      found = static_cast<unsigned>(table[slot]);
      break;
    }
  out[i] = found;
}

__global__ void lockedAppend(int* lock, int* list, int* length, const int* in) {
  __shared__ int base;
  int value = in[blockIdx.x * blockDim.x + threadIdx.x];
  int count = __syncthreads_count(value > 0);
  if (threadIdx.x == 0) {
    while (atomicCAS(lock, 0, 1) != 0) __nanosleep(100);
    __threadfence();
    base = *length;
    *length = base + count;
    __threadfence();
    atomicExch(lock, 0);
  }
  __syncthreads();
  if (value > 0) list[base + atomicAdd(&length[1], 1) % count] = value;
}

__global__ void bloomInsert(unsigned* filter, unsigned bits, const unsigned* keys, int n) {
  __shared__ unsigned local[1024];
  for (int i = threadIdx.x; i < 1024; i += blockDim.x) local[i] = 0;
  __syncthreads();
  for (int i = threadIdx.x; i < n; i += blockDim.x)
    for (int h = 0; h < 3; ++h) {
      unsigned b = mix(keys[i] + h * 0x9e3779b9u) % bits;
      atomicOr(&local[b / 32 & 1023], 1u << b % 32);
    }
  __syncthreads();
  for (int i = threadIdx.x; i < 1024; i += blockDim.x)
    if (local[i]) atomicOr(&filter[i], local[i]);
}

// LAUNCH: {"kernel": "insertPairs", "block": 32, "grid": 2, "args": ["buffer:1024:fill:u64:-1",
//   "s32:127", "buffer:240:iota:u32:7:3", "buffer:240:iota:u32:100", "s32:60"]}
// LAUNCH: {"kernel": "findValues", "block": 32, "grid": 2, "args":
//   ["buffer:128:values:u64:0xffffffffffffffff,0xffffffffffffffff,0xd00000082,0x280000004d,0xffffffffffffffff,0x15000000d2,0x200000014,0x30000001e,0xffffffffffffffff,0xffffffffffffffff,0xffffffffffffffff,0x800000050,0xffffffffffffffff,0x500000032,0x2200000154,0xffffffffffffffff",
//   "s32:15", "buffer:160:iota:u32:1:1", "buffer:160", "s32:40"]}
// LAUNCH: {"kernel": "lockedAppend", "block": 64, "args": ["buffer:4", "buffer:256", "buffer:8",
//   "buffer:256:small:s32:1:3"]}
// LAUNCH: {"kernel": "bloomInsert", "block": 64, "args": ["buffer:4096", "s32:2000",
//   "buffer:400:random:u32:1", "s32:100"]}
