# Kernels in Numba. BUILDS at the end gives the signature of each.
import math

from numba import cuda, float32, float64, int32, int64, uint8, uint32

BLOCK = 256
TILE = 16
PADDED = TILE + 1


def saxpy(a, x, y):
  i = cuda.grid(1)
  if i < x.size:
    y[i] += a * x[i]


@cuda.jit(device=True, inline="always")
def block_sum(value, tile):
  # The habit: a barrier at the head, for whoever used the tile before.
  cuda.syncthreads()
  t = cuda.threadIdx.x
  tile[t] = value
  cuda.syncthreads()
  step = BLOCK // 2
  while step > 0:
    if t < step:
      tile[t] += tile[t + step]
    cuda.syncthreads()
    step //= 2
  return tile[0]


def mean_and_variance(x, out):
  tile = cuda.shared.array(BLOCK, float32)
  total = float32(0)
  for i in range(cuda.threadIdx.x, x.shape[1], BLOCK):
    total += x[cuda.blockIdx.x, i]
  mean = block_sum(total, tile) / x.shape[1]
  square = float32(0)
  for i in range(cuda.threadIdx.x, x.shape[1], BLOCK):
    square += (x[cuda.blockIdx.x, i] - mean) ** 2
  variance = block_sum(square, tile) / x.shape[1]
  if cuda.threadIdx.x == 0:
    out[cuda.blockIdx.x, 0] = mean
    out[cuda.blockIdx.x, 1] = variance


def warp_reduce(x, out):
  v = x[cuda.grid(1)]
  offset = 16
  while offset > 0:
    v += cuda.shfl_down_sync(0xffffffff, v, offset)
    offset //= 2
  if cuda.laneid == 0:
    cuda.atomic.add(out, 0, v)


def matmul(a, b, c):
  sa = cuda.shared.array((TILE, TILE), float32)
  sb = cuda.shared.array((TILE, TILE), float32)
  x, y = cuda.grid(2)
  tx, ty = cuda.threadIdx.x, cuda.threadIdx.y
  total = float32(0)
  for t in range((a.shape[1] + TILE - 1) // TILE):
    sa[ty, tx] = 0
    sb[ty, tx] = 0
    if y < a.shape[0] and tx + t * TILE < a.shape[1]:
      sa[ty, tx] = a[y, tx + t * TILE]
    if x < b.shape[1] and ty + t * TILE < b.shape[0]:
      sb[ty, tx] = b[ty + t * TILE, x]
    cuda.syncthreads()
    for k in range(TILE):
      total += sa[ty, k] * sb[k, tx]
    cuda.syncthreads()
  if y < c.shape[0] and x < c.shape[1]:
    c[y, x] = total


def transpose(a, b):
  tile = cuda.shared.array((TILE, PADDED), float64)
  x, y = cuda.grid(2)
  if x < a.shape[1] and y < a.shape[0]:
    tile[cuda.threadIdx.y, cuda.threadIdx.x] = a[y, x]
  cuda.syncthreads()
  x = cuda.blockIdx.y * TILE + cuda.threadIdx.x
  y = cuda.blockIdx.x * TILE + cuda.threadIdx.y
  if x < b.shape[1] and y < b.shape[0]:
    b[y, x] = tile[cuda.threadIdx.x, cuda.threadIdx.y]


def inclusive_scan(x):
  tile = cuda.shared.array(BLOCK, int32)
  t = cuda.threadIdx.x
  tile[t] = x[cuda.grid(1)]
  cuda.syncthreads()
  step = 1
  while step < BLOCK:
    v = tile[t - step] if t >= step else 0
    cuda.syncthreads()
    tile[t] += v
    cuda.syncthreads()
    step *= 2
  x[cuda.grid(1)] = tile[t]


def histogram(x, bins):
  local = cuda.shared.array(256, int32)
  local[cuda.threadIdx.x] = 0
  cuda.syncthreads()
  for i in range(cuda.grid(1), x.size, cuda.gridsize(1)):
    cuda.atomic.add(local, x[i], 1)
  cuda.syncthreads()
  cuda.atomic.add(bins, cuda.threadIdx.x, local[cuda.threadIdx.x])


def jacobi(u, v):
  x, y = cuda.grid(2)
  if 0 < x < u.shape[1] - 1 and 0 < y < u.shape[0] - 1:
    v[y, x] = 0.25 * (u[y - 1, x] + u[y + 1, x] + u[y, x - 1] + u[y, x + 1])


def mandelbrot(image, x0, y0, step, limit):
  px, py = cuda.grid(2)
  if px >= image.shape[1] or py >= image.shape[0]:
    return
  c = complex(x0 + px * step, y0 + py * step)
  z = 0.0j
  for k in range(limit):
    z = z * z + c
    if z.real * z.real + z.imag * z.imag >= 4:
      image[py, px] = k
      return
  image[py, px] = limit


def bitonic_sort(keys):
  tile = cuda.shared.array(0, int32)
  t = cuda.threadIdx.x
  tile[t] = keys[t]
  cuda.syncthreads()
  size = 2
  while size <= cuda.blockDim.x:
    stride = size // 2
    while stride > 0:
      other = t ^ stride
      if other > t:
        if ((t & size) == 0) == (tile[t] > tile[other]):
          tile[t], tile[other] = tile[other], tile[t]
      cuda.syncthreads()
      stride //= 2
    size *= 2
  cuda.syncthreads()
  keys[t] = tile[t]


def black_scholes(spot, strike, years, call, rate, volatility):
  i = cuda.grid(1)
  if i >= spot.size:
    return
  root = volatility * math.sqrt(years[i])
  d1 = (math.log(spot[i] / strike[i]) + (rate + 0.5 * volatility * volatility) * years[i]) / root
  n1 = 0.5 * (1.0 + math.erf(d1 / math.sqrt(2.0)))
  n2 = 0.5 * (1.0 + math.erf((d1 - root) / math.sqrt(2.0)))
  call[i] = spot[i] * n1 - strike[i] * math.exp(-rate * years[i]) * n2


def block_votes(x, out):
  i = cuda.grid(1)
  count = cuda.syncthreads_count(int32(x[i] > 0))
  every = cuda.syncthreads_and(int32(x[i] != 3))
  some = cuda.syncthreads_or(int32(x[i] == 7))
  if cuda.threadIdx.x == 0:
    out[cuda.blockIdx.x] = count + 1000 * every + 10000 * some


def last_block(x, parts, ticket, out):
  last = cuda.shared.array(1, int32)
  tile = cuda.shared.array(BLOCK, float32)
  total = block_sum(x[cuda.grid(1)], tile)
  if cuda.threadIdx.x == 0:
    parts[cuda.blockIdx.x] = total
    cuda.threadfence()
    last[0] = cuda.atomic.inc(ticket, 0, uint32(cuda.gridDim.x - 1)) == cuda.gridDim.x - 1
  cuda.syncthreads()
  if last[0]:
    total = float32(0)
    for i in range(cuda.threadIdx.x, cuda.gridDim.x, BLOCK):
      total += parts[i]
    total = block_sum(total, tile)
    if cuda.threadIdx.x == 0:
      out[0] = total


def local_stack(tree, out):
  stack = cuda.local.array(32, int32)
  top = 1
  stack[0] = cuda.grid(1)
  total = 0
  while top > 0:
    top -= 1
    node = stack[top]
    total += tree[node, 0]
    for k in range(1, 3):
      if tree[node, k] >= 0 and top < 32:
        stack[top] = tree[node, k]
        top += 1
  out[cuda.grid(1)] = total


BUILDS = {
    "saxpy": (saxpy, (float32, float32[:], float32[:])),
    "mean_and_variance": (mean_and_variance, (float32[:, ::1], float32[:, ::1])),
    "warp_reduce": (warp_reduce, (float32[::1], float32[::1])),
    "matmul": (matmul, (float32[:, ::1], float32[:, ::1], float32[:, ::1])),
    "transpose": (transpose, (float64[:, ::1], float64[:, ::1])),
    "inclusive_scan": (inclusive_scan, (int32[::1],)),
    "histogram": (histogram, (uint8[::1], int32[::1])),
    "jacobi": (jacobi, (float64[:, :], float64[:, :])),
    "mandelbrot": (mandelbrot, (int32[:, ::1], float64, float64, float64, int32)),
    "bitonic_sort": (bitonic_sort, (int32[::1],)),
    "black_scholes": (black_scholes, (*[float64[::1]] * 4, float64, float64)),
    "block_votes": (block_votes, (int64[::1], int32[::1])),
    "last_block": (last_block, (float32[::1], float32[::1], uint32[::1], float32[::1])),
    "local_stack": (local_stack, (int32[:, ::1], int32[::1])),
}

# LAUNCH: {"kernel": "saxpy", "block": 64, "grid": 2, "args": ["f32:2", "u64:0", "u64:0", "u64:100",
#   "u64:4", "buffer:400:small:f32:1", "u64:100", "u64:4", "u64:0", "u64:0", "u64:100", "u64:4",
#   "buffer:400:small:f32:2", "u64:100", "u64:4"]}
# LAUNCH: {"kernel": "mean_and_variance", "block": 256, "grid": 2, "args": ["u64:0", "u64:0",
#   "u64:600", "u64:4", "buffer:2400:random:f32:1", "u64:2", "u64:300", "u64:1200", "u64:4",
#   "u64:0", "u64:0", "u64:4", "u64:4", "buffer:16", "u64:2", "u64:2", "u64:8", "u64:4"]}
# LAUNCH: {"kernel": "warp_reduce", "block": 64, "grid": 2, "args": ["u64:0", "u64:0", "u64:128",
#   "u64:4", "buffer:512:small:f32:1", "u64:128", "u64:4", "u64:0", "u64:0", "u64:1", "u64:4",
#   "buffer:4", "u64:1", "u64:4"]}
# LAUNCH: {"kernel": "matmul", "block": [16, 16], "grid": [2, 2], "args": ["u64:0", "u64:0",
#   "u64:360", "u64:4", "buffer:1440:small:f32:1", "u64:20", "u64:18", "u64:72", "u64:4", "u64:0",
#   "u64:0", "u64:450", "u64:4", "buffer:1800:small:f32:2", "u64:18", "u64:25", "u64:100", "u64:4",
#   "u64:0", "u64:0", "u64:500", "u64:4", "buffer:2000", "u64:20", "u64:25", "u64:100", "u64:4"]}
# LAUNCH: {"kernel": "transpose", "block": [16, 16], "grid": [2, 2], "args": ["u64:0", "u64:0",
#   "u64:600", "u64:8", "buffer:4800:random:f64:1", "u64:30", "u64:20", "u64:160", "u64:8", "u64:0",
#   "u64:0", "u64:600", "u64:8", "buffer:4800", "u64:20", "u64:30", "u64:240", "u64:8"]}
# LAUNCH: {"kernel": "inclusive_scan", "block": 256, "grid": 2, "args": ["u64:0", "u64:0",
#   "u64:512", "u64:4", "buffer:2048:random:s32:1", "u64:512", "u64:4"]}
# LAUNCH: {"kernel": "histogram", "block": 256, "grid": 2, "args": ["u64:0", "u64:0", "u64:1000",
#   "u64:1", "buffer:1000:random:u8:1", "u64:1000", "u64:1", "u64:0", "u64:0", "u64:256", "u64:4",
#   "buffer:1024", "u64:256", "u64:4"]}
# LAUNCH: {"kernel": "jacobi", "block": [16, 8], "grid": [2, 2], "args": ["u64:0", "u64:0",
#   "u64:200", "u64:8", "buffer:1600:small:f64:1", "u64:10", "u64:20", "u64:160", "u64:8", "u64:0",
#   "u64:0", "u64:200", "u64:8", "buffer:1600", "u64:10", "u64:20", "u64:160", "u64:8"]}
# LAUNCH: {"kernel": "mandelbrot", "block": [16, 4], "grid": [1, 2], "args": ["u64:0", "u64:0",
#   "u64:128", "u64:4", "buffer:512", "u64:8", "u64:16", "u64:64", "u64:4", "f64:-2", "f64:-1",
#   "f64:0.2", "s32:30"]}
# LAUNCH: {"kernel": "bitonic_sort", "block": 64, "shared": 256, "args": ["u64:0", "u64:0",
#   "u64:64", "u64:4", "buffer:256:random:s32:1", "u64:64", "u64:4"]}
# LAUNCH: {"kernel": "black_scholes", "block": 32, "grid": 2, "args": ["u64:0", "u64:0", "u64:50",
#   "u64:8", "buffer:400:iota:f64:20:1", "u64:50", "u64:8", "u64:0", "u64:0", "u64:50", "u64:8",
#   "buffer:400:iota:f64:22:0.9", "u64:50", "u64:8", "u64:0", "u64:0", "u64:50", "u64:8",
#   "buffer:400:iota:f64:0.25:0.125", "u64:50", "u64:8", "u64:0", "u64:0", "u64:50", "u64:8",
#   "buffer:400", "u64:50", "u64:8", "f64:0.02", "f64:0.3"]}
# LAUNCH: {"kernel": "block_votes", "block": 64, "grid": 2, "args": ["u64:0", "u64:0", "u64:128",
#   "u64:8", "buffer:1024:small:s64:1:9", "u64:128", "u64:8", "u64:0", "u64:0", "u64:2", "u64:4",
#   "buffer:8", "u64:2", "u64:4"]}
# LAUNCH: {"kernel": "last_block", "block": 256, "grid": 3, "args": ["u64:0", "u64:0", "u64:768",
#   "u64:4", "buffer:3072:small:f32:1", "u64:768", "u64:4", "u64:0", "u64:0", "u64:3", "u64:4",
#   "buffer:12", "u64:3", "u64:4", "u64:0", "u64:0", "u64:1", "u64:4", "buffer:4", "u64:1", "u64:4",
#   "u64:0", "u64:0", "u64:1", "u64:4", "buffer:4", "u64:1", "u64:4"]}
# LAUNCH: {"kernel": "local_stack", "block": 7, "args": ["u64:0", "u64:0", "u64:21", "u64:4",
#   "buffer:84:values:s32:10,1,2,20,3,4,30,5,6,40,-1,-1,50,-1,-1,60,-1,-1,70,-1,-1", "u64:7",
#   "u64:3", "u64:12", "u64:4", "u64:0", "u64:0", "u64:7", "u64:4", "buffer:28", "u64:7", "u64:4"]}
