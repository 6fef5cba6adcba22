// Tables in constant memory with initialisers of many kinds; module-scope variables and pointers
// between them.

__constant__ float gauss[7] = {0.0044f, 0.0540f, 0.2420f, 0.3989f, 0.2420f, 0.0540f, 0.0044f};
__constant__ unsigned char sbox[16] = {0xc, 5, 6, 0xb, 9, 0, 0xa, 0xd, 3, 0xe, 0xf, 8, 4, 7, 1, 2};
__constant__ double polynomial[4] = {1.0, -0.5, 1.0 / 24, -1.0 / 720};
__constant__ struct {
  short tag;
  float value;
  int* where;
} record = {7, 2.5f, nullptr};
__device__ int counter = 42;
__device__ int* counterPointer = &counter;
__device__ int grid[2][3] = {{1, 2, 3}, {4, 5, 6}};
__device__ int* rowPointer[2] = {grid[0], &grid[1][1]};
__device__ const char message[] = "corpus\n";
__managed__ int managedTotal = 3;

__global__ void filter(const float* in, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < 3 || i >= n - 3) return;
  float sum = 0.0f;
  for (int k = 0; k < 7; ++k) sum += gauss[k] * in[i + k - 3];
  out[i] = sum;
}

__global__ void substitute(unsigned* words, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  unsigned w = words[i], r = 0;
  for (int k = 0; k < 32; k += 4) r |= sbox[w >> k & 15] << k;
  words[i] = r;
}

__global__ void evaluate(double* x) {
  double v = x[threadIdx.x], v2 = v * v, sum = 0.0;
  for (int k = 3; k >= 0; --k) sum = sum * v2 + polynomial[k];
  x[threadIdx.x] = sum + record.tag * record.value;
}

__global__ void follow(int* out) {
  out[threadIdx.x] = *counterPointer + rowPointer[threadIdx.x & 1][0] + message[threadIdx.x % 7];
  if (record.where != nullptr) atomicAdd(record.where, 1);
  atomicAdd(&managedTotal, 1);
}

// LAUNCH: {"kernel": "filter", "block": 32, "grid": 2, "args": ["buffer:240:random:f32:1",
//   "buffer:240", "s32:60"]}
// LAUNCH: {"kernel": "substitute", "block": 32, "grid": 2, "args": ["buffer:200:random:u32:1",
//   "s32:50"]}
// LAUNCH: {"kernel": "evaluate", "block": 32, "args": ["buffer:256:random:f64:1"]}
// LAUNCH: {"kernel": "follow", "block": 32, "args": ["buffer:128"]}
