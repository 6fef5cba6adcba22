// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Steps of a radix sort in one block.

// Exclusive sum over the block; all threads get the total as well.
__device__ unsigned exclusive_sum(unsigned v, unsigned* s, unsigned* total) {
  const unsigned t = threadIdx.x;
  s[t] = v;
  __syncthreads();
  for (unsigned d = 1; d < blockDim.x; d <<= 1) {
    const unsigned add = t >= d ? s[t - d] : 0;
    __syncthreads();
    s[t] += add;
    __syncthreads();
  }
  *total = s[blockDim.x - 1];
  const unsigned before = s[t] - v;
  __syncthreads();
  return before;
}

// TRUTH: race-free: zeros go to the front and ones to the back, each key to a place of its own
// LAUNCH: {"kernel": "split_bits_ok", "block": 64, "args": ["buffer:256:small:u32:4:15", "4"]}
extern "C" __global__ void split_bits_ok(unsigned* keys, int bits) {
  __shared__ unsigned sums[256], sorted[256];
  unsigned key = keys[threadIdx.x];
  for (int b = 0; b < bits; ++b) {
    const unsigned one = (key >> b) & 1;
    unsigned zeros;
    const unsigned zeros_before = exclusive_sum(1 - one, sums, &zeros);
    sorted[one ? zeros + threadIdx.x - zeros_before : zeros_before] = key;
    __syncthreads();
    key = sorted[threadIdx.x];
    __syncthreads();
  }
  keys[threadIdx.x] = key;
}

// TRUTH: racy race: keys are read back before all have been stored
// LAUNCH: {"kernel": "split_bits_race", "block": 64, "args": ["buffer:256:small:u32:4:15", "4"]}
extern "C" __global__ void split_bits_race(unsigned* keys, int bits) {
  __shared__ unsigned sums[256], sorted[256];
  unsigned key = keys[threadIdx.x];
  for (int b = 0; b < bits; ++b) {
    const unsigned one = (key >> b) & 1;
    unsigned zeros;
    const unsigned zeros_before = exclusive_sum(1 - one, sums, &zeros);
    sorted[one ? zeros + threadIdx.x - zeros_before : zeros_before] = key;
    key = sorted[threadIdx.x];
    __syncthreads();
  }
  keys[threadIdx.x] = key;
}

// TRUTH: race-free: counters of each thread and digit; thread d sums the row of digit d
// LAUNCH: {"kernel": "digit_counts_ok", "block": 64,
//          "args": ["buffer:1K:random:u32:4", "buffer:64", "256", "8"]}
extern "C" __global__ void digit_counts_ok(const unsigned* keys, unsigned* counts, size_t n,
                                           int shift) {
  __shared__ unsigned short digit[16][64];
  for (int d = 0; d < 16; ++d) digit[d][threadIdx.x] = 0;
  for (size_t i = threadIdx.x; i < n; i += blockDim.x)
    ++digit[(keys[i] >> shift) & 15][threadIdx.x];
  __syncthreads();
  if (threadIdx.x < 16) {
    unsigned sum = 0;
    for (int t = 0; t < 64; ++t) sum += digit[threadIdx.x][t];
    counts[threadIdx.x] = sum;
  }
}

// TRUTH: racy race: the row of a digit is summed too early
// LAUNCH: {"kernel": "digit_counts_race", "block": 64,
//          "args": ["buffer:1K:random:u32:4", "buffer:64", "256", "8"]}
extern "C" __global__ void digit_counts_race(const unsigned* keys, unsigned* counts, size_t n,
                                             int shift) {
  __shared__ unsigned short digit[16][64];
  for (int d = 0; d < 16; ++d) digit[d][threadIdx.x] = 0;
  for (size_t i = threadIdx.x; i < n; i += blockDim.x)
    ++digit[(keys[i] >> shift) & 15][threadIdx.x];
  if (threadIdx.x < 16) {
    unsigned sum = 0;
    for (int t = 0; t < 64; ++t) sum += digit[threadIdx.x][t];
    counts[threadIdx.x] = sum;
  }
}

// TRUTH: race-free: lanes with the same digit agree about a leader, which moves the offset on
// LAUNCH: {"kernel": "match_rank_ok", "block": 32,
//          "args": ["buffer:512:small:u32:4:7", "buffer:512", "128"]}
extern "C" __global__ void match_rank_ok(const unsigned* keys, unsigned* rank, int n) {
  __shared__ unsigned offset[8];
  const unsigned lane = threadIdx.x;
  if (lane < 8) offset[lane] = 0;
  __syncwarp();
  for (int i = lane; i < n; i += 32) {
    const unsigned digit = keys[i] & 7;
    const unsigned same = __match_any_sync(0xffffffffu, digit);
    const unsigned below = __popc(same & ((1u << lane) - 1));
    const unsigned base = offset[digit];
    rank[i] = base + below;
    __syncwarp();
    if (below == 0) offset[digit] = base + __popc(same);
    __syncwarp();
  }
}

// TRUTH: racy missing-syncwarp: the leader moves the offset on while the others read it
// LAUNCH: {"kernel": "match_rank_race", "block": 32,
//          "args": ["buffer:512:small:u32:4:7", "buffer:512", "128"]}
extern "C" __global__ void match_rank_race(const unsigned* keys, unsigned* rank, int n) {
  __shared__ unsigned offset[8];
  const unsigned lane = threadIdx.x;
  if (lane < 8) offset[lane] = 0;
  __syncwarp();
  for (int i = lane; i < n; i += 32) {
    const unsigned digit = keys[i] & 7;
    const unsigned same = __match_any_sync(0xffffffffu, digit);
    const unsigned below = __popc(same & ((1u << lane) - 1));
    const unsigned base = offset[digit];
    rank[i] = base + below;
    if (below == 0) offset[digit] = base + __popc(same);
    __syncwarp();
  }
}
