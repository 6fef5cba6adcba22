// also: clang
// Dynamic programming along diagonals: sequence alignment in tiles, edit distance, longest common
// subsequence with rows in shared memory.

constexpr int kTile = 16;

__global__ void alignTile(const int* reference, int* matrix, int columns, int penalty,
                          int diagonal) {
  __shared__ int cell[kTile + 1][kTile + 1], score[kTile][kTile];
  int bx = blockIdx.x, by = diagonal - 1 - blockIdx.x, t = threadIdx.x;
  int corner = columns * kTile * by + kTile * bx;
  if (t == 0) cell[0][0] = matrix[corner];
  for (int i = 0; i < kTile; ++i) score[i][t] = reference[corner + (i + 1) * columns + t + 1];
  __syncthreads();
  cell[t + 1][0] = matrix[corner + (t + 1) * columns];
  __syncthreads();
  cell[0][t + 1] = matrix[corner + t + 1];
  __syncthreads();
  for (int m = 0; m < kTile; ++m) {
    if (t <= m) {
      int x = t + 1, y = m - t + 1;
      cell[y][x] = max(cell[y - 1][x - 1] + score[y - 1][x - 1],
                       max(cell[y][x - 1] - penalty, cell[y - 1][x] - penalty));
    }
    __syncthreads();
  }
  for (int m = kTile - 2; m >= 0; --m) {
    if (t <= m) {
      int x = t + kTile - m, y = kTile - t;
      cell[y][x] = max(cell[y - 1][x - 1] + score[y - 1][x - 1],
                       max(cell[y][x - 1] - penalty, cell[y - 1][x] - penalty));
    }
    __syncthreads();
  }
  for (int i = 0; i < kTile; ++i) matrix[corner + (i + 1) * columns + t + 1] = cell[i + 1][t + 1];
}

__global__ void editDistance(const char* a, int la, const char* b, int lb, int* out) {
  extern __shared__ int diagonals[];
  int* d[3] = {diagonals, diagonals + la + 1, diagonals + 2 * (la + 1)};
  for (int k = 0; k <= la + lb; ++k) {
    int* now = d[k % 3];
    const int* last = d[(k + 2) % 3];
    const int* before = d[(k + 1) % 3];
    for (int i = threadIdx.x; i <= la; i += blockDim.x) {
      int j = k - i;
      if (j < 0 || j > lb) continue;
      if (i == 0 || j == 0)
        now[i] = i + j;
      else
        now[i] = min(min(last[i] + 1, last[i - 1] + 1), before[i - 1] + (a[i - 1] != b[j - 1]));
    }
    __syncthreads();
  }
  if (threadIdx.x == 0) *out = d[(la + lb) % 3][la];
}

// LAUNCH: {"kernel": "alignTile", "block": 16, "grid": 2, "args": ["buffer:4356:small:s32:1:10",
//   "buffer:4356:small:s32:2:10", "s32:33", "s32:3", "s32:2"]}
// LAUNCH: {"kernel": "editDistance", "block": 32, "shared": 252, "args": ["buffer:20:small:u8:1:4",
//   "s32:20", "buffer:17:small:u8:2:4", "s32:17", "buffer:4"]}
