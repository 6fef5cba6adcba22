// also: new
// Bits and bytes: field extract and insert, byte permutation, three-input logic, funnel shifts, dot
// products of bytes, population counts, SIMD in a word, CRC, SHA-256 rounds.

__global__ void fields(const unsigned* in, unsigned* out) {
  unsigned w = in[threadIdx.x], r, s;
  asm("bfe.u32 %0, %1, 5, 11;" : "=r"(r) : "r"(w));
  asm("bfi.b32 %0, %1, %2, 16, 8;" : "=r"(s) : "r"(r), "r"(w));
  unsigned p = __byte_perm(r, s, 0x3715);
  unsigned l;
  asm("lop3.b32 %0, %1, %2, %3, 0x96;" : "=r"(l) : "r"(w), "r"(s), "r"(p));
  out[threadIdx.x] = __funnelshift_l(l, p, w & 31) + __brev(s) + __clz(r) + __ffs(w) + __popc(l);
}

__global__ void dotBytes(const int* a, const int* b, int* out, int n) {
  int sum = 0;
  unsigned usum = 0;
  for (int i = threadIdx.x; i < n; i += blockDim.x) {
    sum = __dp4a(a[i], b[i], sum);
    usum = __dp2a_lo(unsigned(a[i]), unsigned(b[i]), usum);
  }
  out[threadIdx.x] = sum + usum + __vadd4(a[0], b[0]) + __vabsdiffu4(a[1], b[1]) +
                     __vmaxs2(a[2], b[2]) + __sad(a[3], b[3], 1u) + __mulhi(a[4], b[4]) +
                     __mul24(a[5], b[5]) + __hadd(a[6], b[6]);
}

__global__ void crc32(const unsigned char* data, int length, unsigned* out) {
  __shared__ unsigned table[256];
  unsigned c = threadIdx.x;
  for (int k = 0; k < 8; ++k) c = c & 1 ? 0xedb88320u ^ c >> 1 : c >> 1;
  table[threadIdx.x] = c;
  __syncthreads();
  unsigned crc = ~0u;
  const unsigned char* p = data + (size_t)(blockIdx.x * 256 + threadIdx.x) * length;
  for (int i = 0; i < length; ++i) crc = table[(crc ^ p[i]) & 255] ^ crc >> 8;
  out[blockIdx.x * 256 + threadIdx.x] = ~crc;
}

__device__ unsigned rotateRight(unsigned x, int n) {
  return x >> n | x << (32 - n);
}

__global__ void sha256Rounds(const unsigned* message, const unsigned* constants, unsigned* state) {
  unsigned w[16], h[8];
#pragma unroll
  for (int i = 0; i < 16; ++i) w[i] = __byte_perm(message[blockIdx.x * 16 + i], 0, 0x0123);
#pragma unroll
  for (int i = 0; i < 8; ++i) h[i] = state[threadIdx.x * 8 + i];
  for (int block = 0; block < 64; block += 16) {
#pragma unroll
    for (int i = 0; i < 16; ++i) {
      unsigned e = h[4], a = h[0];
      unsigned t1 = h[7] + (rotateRight(e, 6) ^ rotateRight(e, 11) ^ rotateRight(e, 25)) +
                    ((e & h[5]) ^ (~e & h[6])) + constants[block + i] + w[i];
      unsigned t2 = (rotateRight(a, 2) ^ rotateRight(a, 13) ^ rotateRight(a, 22)) +
                    ((a & h[1]) ^ (a & h[2]) ^ (h[1] & h[2]));
      h[7] = h[6];
      h[6] = h[5];
      h[5] = h[4];
      h[4] = h[3] + t1;
      h[3] = h[2];
      h[2] = h[1];
      h[1] = h[0];
      h[0] = t1 + t2;
      unsigned x = w[(i + 1) & 15], y = w[(i + 14) & 15];
      w[i] += w[(i + 9) & 15] + (rotateRight(x, 7) ^ rotateRight(x, 18) ^ x >> 3) +
              (rotateRight(y, 17) ^ rotateRight(y, 19) ^ y >> 10);
    }
  }
#pragma unroll
  for (int i = 0; i < 8; ++i) state[threadIdx.x * 8 + i] += h[i];
}

// LAUNCH: {"kernel": "fields", "block": 64, "args": ["buffer:256:random:u32:1", "buffer:256"]}
// LAUNCH: {"kernel": "dotBytes", "block": 32, "args": ["buffer:280:random:s32:1",
//   "buffer:280:random:s32:2", "buffer:128", "s32:70"]}
// LAUNCH: {"kernel": "crc32", "block": 256, "args": ["buffer:2560:random:u8:1", "s32:10",
//   "buffer:1024"]}
// LAUNCH: {"kernel": "sha256Rounds", "block": 32, "grid": 1, "args": ["buffer:64:random:u32:1",
//   "buffer:256:random:u32:2", "buffer:1024:random:u32:3"]}
