# Kernels in Triton. BUILDS at the end gives the types, constants and options of each.
import triton
import triton.language as tl


@triton.jit
def vector_add(x, y, out, n, BLOCK: tl.constexpr):
  i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
  mask = i < n
  tl.store(out + i, tl.load(x + i, mask=mask) + tl.load(y + i, mask=mask), mask=mask)


@triton.jit
def softmax(x, out, stride, columns, BLOCK: tl.constexpr):
  row = tl.program_id(0)
  c = tl.arange(0, BLOCK)
  v = tl.load(x + row * stride + c, mask=c < columns, other=-float("inf"))
  e = tl.exp(v - tl.max(v, axis=0))
  tl.store(out + row * stride + c, e / tl.sum(e, axis=0), mask=c < columns)


@triton.jit
def layer_norm(x, gamma, beta, out, columns, epsilon, BLOCK: tl.constexpr):
  row = tl.program_id(0)
  total = tl.zeros([BLOCK], dtype=tl.float32)
  square = tl.zeros([BLOCK], dtype=tl.float32)
  for start in range(0, columns, BLOCK):
    c = start + tl.arange(0, BLOCK)
    v = tl.load(x + row * columns + c, mask=c < columns, other=0.0).to(tl.float32)
    total += v
    square += v * v
  mean = tl.sum(total, axis=0) / columns
  variance = tl.sum(square, axis=0) / columns - mean * mean
  scale = 1.0 / tl.sqrt(variance + epsilon)
  for start in range(0, columns, BLOCK):
    c = start + tl.arange(0, BLOCK)
    mask = c < columns
    v = tl.load(x + row * columns + c, mask=mask).to(tl.float32)
    g = tl.load(gamma + c, mask=mask)
    b = tl.load(beta + c, mask=mask)
    tl.store(out + row * columns + c, (v - mean) * scale * g + b, mask=mask)


@triton.jit
def matmul(a, b, c, m, n, k, stride_a, stride_b, stride_c, BM: tl.constexpr, BN: tl.constexpr,
           BK: tl.constexpr):
  row = tl.program_id(0) * BM + tl.arange(0, BM)
  col = tl.program_id(1) * BN + tl.arange(0, BN)
  inner = tl.arange(0, BK)
  pa = a + row[:, None] * stride_a + inner[None, :]
  pb = b + inner[:, None] * stride_b + col[None, :]
  acc = tl.zeros((BM, BN), dtype=tl.float32)
  for t in range(0, k, BK):
    va = tl.load(pa, mask=inner[None, :] < k - t, other=0.0)
    vb = tl.load(pb, mask=inner[:, None] < k - t, other=0.0)
    acc = tl.dot(va, vb, acc)
    pa += BK
    pb += BK * stride_b
  mask = (row[:, None] < m) & (col[None, :] < n)
  tl.store(c + row[:, None] * stride_c + col[None, :], acc.to(tl.float16), mask=mask)


@triton.jit
def matmul_descriptor(a, b, c, k, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
  row = tl.program_id(0) * BM
  col = tl.program_id(1) * BN
  acc = tl.zeros((BM, BN), dtype=tl.float32)
  for t in range(0, k, BK):
    acc = tl.dot(a.load([row, t]), b.load([t, col]), acc)
  c.store([row, col], acc.to(tl.float16))


@triton.jit
def attention(q, k, v, out, length, scale, BM: tl.constexpr, BN: tl.constexpr, D: tl.constexpr):
  row = tl.program_id(0) * BM + tl.arange(0, BM)
  head = tl.program_id(1) * length * D
  d = tl.arange(0, D)
  query = tl.load(q + head + row[:, None] * D + d[None, :])
  top = tl.full([BM], -float("inf"), dtype=tl.float32)
  total = tl.zeros([BM], dtype=tl.float32)
  acc = tl.zeros([BM, D], dtype=tl.float32)
  for start in range(0, length, BN):
    j = start + tl.arange(0, BN)
    key = tl.load(k + head + j[None, :] * D + d[:, None])
    score = tl.dot(query, key) * scale
    score = tl.where(row[:, None] >= j[None, :], score, -float("inf"))
    bigger = tl.maximum(top, tl.max(score, 1))
    p = tl.exp2(score - bigger[:, None])
    shrink = tl.exp2(top - bigger)
    total = total * shrink + tl.sum(p, 1)
    value = tl.load(v + head + j[:, None] * D + d[None, :])
    acc = acc * shrink[:, None] + tl.dot(p.to(tl.float16), value)
    top = bigger
  tl.store(out + head + row[:, None] * D + d[None, :], (acc / total[:, None]).to(tl.float16))


@triton.jit
def histogram(x, bins, n, BLOCK: tl.constexpr, BINS: tl.constexpr):
  i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
  v = tl.load(x + i, mask=i < n, other=0)
  counts = tl.histogram(v, BINS)
  tl.atomic_add(bins + tl.arange(0, BINS), counts)


@triton.jit
def prefix_sum(x, out, n, BLOCK: tl.constexpr):
  i = tl.arange(0, BLOCK)
  v = tl.load(x + tl.program_id(0) * n + i, mask=i < n, other=0)
  tl.store(out + tl.program_id(0) * n + i, tl.cumsum(v, 0), mask=i < n)


@triton.jit
def combine(a1, b1, a2, b2):
  return a1 * a2, b1 * a2 + b2


@triton.jit
def linear_recurrence(a, b, out, BLOCK: tl.constexpr):
  i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
  _, state = tl.associative_scan((tl.load(a + i), tl.load(b + i)), 0, combine)
  tl.store(out + i, state)


@triton.jit
def sort_rows(x, out, BLOCK: tl.constexpr):
  i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
  tl.store(out + i, tl.sort(tl.load(x + i)))


@triton.jit
def transpose(x, out, rows, columns, BLOCK: tl.constexpr):
  r = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
  c = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
  mask = (r[:, None] < rows) & (c[None, :] < columns)
  v = tl.load(x + r[:, None] * columns + c[None, :], mask=mask)
  tl.store(out + c[:, None] * rows + r[None, :], tl.trans(v), mask=tl.trans(mask))


@triton.jit
def dropout(x, out, n, p, seed, BLOCK: tl.constexpr):
  i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
  v = tl.load(x + i, mask=i < n)
  keep = tl.rand(seed, i) > p
  tl.store(out + i, tl.where(keep, v / (1 - p), 0.0), mask=i < n)


@triton.jit
def checked_gather(x, index, out, size, BLOCK: tl.constexpr):
  i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
  at = tl.load(index + i)
  tl.device_assert(at < size, "index out of range")
  tl.store(out + i, tl.load(x + at))


@triton.jit
def locked_sum(x, lock, total, n, BLOCK: tl.constexpr):
  i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
  part = tl.sum(tl.load(x + i, mask=i < n, other=0.0), axis=0)
  while tl.atomic_cas(lock, 0, 1) == 1:
    pass
  tl.store(total, tl.load(total) + part)
  tl.debug_barrier()
  tl.atomic_xchg(lock, 0)


# Name, signature (a list of types; constants are taken out of it), constants, options.
BUILDS = {
    "vector_add": (vector_add, "*fp32 *fp32 *fp32 i32", dict(BLOCK=1024), {}),
    "softmax": (softmax, "*fp32 *fp32 i32 i32", dict(BLOCK=2048), {}),
    "layer_norm": (layer_norm, "*fp16 *fp32 *fp32 *fp16 i32 fp32", dict(BLOCK=1024), {}),
    "matmul": (matmul, "*fp16 *fp16 *fp16 i32 i32 i32 i32 i32 i32", dict(BM=128, BN=64, BK=32),
               dict(num_stages=3)),
    "matmul_descriptor": (matmul_descriptor,
                          "tensordesc<fp16[128,64]> tensordesc<fp16[64,128]> "
                          "tensordesc<fp16[128,128]> i32",
                          dict(BM=128, BN=128, BK=64), dict(num_stages=3)),
    "attention": (attention, "*fp16 *fp16 *fp16 *fp16 i32 fp32", dict(BM=64, BN=32, D=64), {}),
    "histogram": (histogram, "*i32 *i32 i32", dict(BLOCK=1024, BINS=128), {}),
    "prefix_sum": (prefix_sum, "*i32 *i32 i32", dict(BLOCK=1024), {}),
    "linear_recurrence": (linear_recurrence, "*fp32 *fp32 *fp32", dict(BLOCK=512), {}),
    "sort_rows": (sort_rows, "*i32 *i32", dict(BLOCK=256), dict(num_warps=2)),
    "transpose": (transpose, "*fp16 *fp16 i32 i32", dict(BLOCK=64), {}),
    "dropout": (dropout, "*fp32 *fp32 i32 fp32 i32", dict(BLOCK=512), {}),
    "checked_gather": (checked_gather, "*fp32 *i32 *fp32 i32", dict(BLOCK=256), dict(debug=True)),
    "locked_sum": (locked_sum, "*fp32 *i32 *fp32 i32", dict(BLOCK=512), dict(num_warps=8)),
}

# LAUNCH: {"kernel": "vector_add", "grid": 2, "args": ["buffer:6000:random:f32:1",
#   "buffer:6000:random:f32:2", "buffer:6000", "s32:1500", "u64:0", "u64:0"]}
# LAUNCH: {"kernel": "softmax", "grid": 2, "shared": 16384, "args": ["buffer:8000:random:f32:1",
#   "buffer:8000", "s32:1000", "s32:1000", "u64:0", "u64:0"], "expect": ["data-race"]}
# LAUNCH: {"kernel": "layer_norm", "grid": 2, "shared": 16384, "args": ["buffer:4400:random:f16:1",
#   "buffer:4400:random:f32:2", "buffer:4400:random:f32:3", "buffer:4400", "s32:1100", "f32:0.001",
#   "u64:0", "u64:0"], "expect": ["data-race"]}
# LAUNCH: {"kernel": "matmul", "grid": [1, 2], "shared": 65536, "args":
#   ["buffer:32768:small:f16:1:8", "buffer:32768:small:f16:2:8", "buffer:25600", "s32:100",
#   "s32:128", "s32:128", "s32:128", "s32:128", "s32:128", "u64:0", "u64:0"]}
# LAUNCH: {"kernel": "attention", "grid": [2, 2], "shared": 65536, "args":
#   ["buffer:32768:random:f16:1", "buffer:32768:random:f16:2", "buffer:32768:random:f16:3",
#   "buffer:32768", "s32:128", "f32:0.25", "u64:0", "u64:0"]}
# LAUNCH: {"kernel": "histogram", "grid": 2, "shared": 65536, "args":
#   ["buffer:6000:small:s32:1:128", "buffer:512", "s32:1500", "u64:0", "u64:0"]}
# LAUNCH: {"kernel": "prefix_sum", "grid": 2, "shared": 16384, "args": ["buffer:8000:random:s32:1",
#   "buffer:8000", "s32:1000", "u64:0", "u64:0"]}
# LAUNCH: {"kernel": "linear_recurrence", "grid": 2, "shared": 16384, "args":
#   ["buffer:4096:random:f32:1", "buffer:4096:random:f32:2", "buffer:4096", "u64:0", "u64:0"]}
# LAUNCH: {"kernel": "sort_rows", "grid": 2, "shared": 16384, "args": ["buffer:2048:random:s32:1",
#   "buffer:2048", "u64:0", "u64:0"], "expect": ["data-race"]}
# LAUNCH: {"kernel": "transpose", "grid": [2, 2], "shared": 65536, "args":
#   ["buffer:18000:random:f16:1", "buffer:18000", "s32:100", "s32:90", "u64:0", "u64:0"]}
# LAUNCH: {"kernel": "dropout", "grid": 2, "args": ["buffer:2800:random:f32:1", "buffer:2800",
#   "s32:700", "f32:0.25", "s32:7", "u64:0", "u64:0"]}
# LAUNCH: {"kernel": "checked_gather", "args": ["buffer:400:random:f32:1",
#   "buffer:1024:small:s32:1:100", "buffer:1024", "s32:100", "u64:0", "u64:0"]}
# LAUNCH: {"kernel": "locked_sum", "grid": 3, "shared": 16384, "args": ["buffer:5600:small:f32:1",
#   "buffer:4", "buffer:4", "s32:1400", "u64:0", "u64:0"], "expect": ["data-race"]}
# LAUNCH: {"kernel": "matmul_descriptor", "only": "triton/sm_80/*", "shared": 131072, "args":
#   ["buffer:16384:small:f16:1:8", "u64:128", "u64:64", "u64:64", "u64:1", "u8:0", "u8:0",
#   "s32:128", "s32:64", "u64:64", "u64:1", "buffer:16384:small:f16:2:8", "u64:64", "u64:128",
#   "u64:128", "u64:1", "u8:0", "u8:0", "s32:64", "s32:128", "u64:128", "u64:1", "buffer:32768",
#   "u64:128", "u64:128", "u64:128", "u64:1", "u8:0", "u8:0", "s32:128", "s32:128", "u64:128",
#   "u64:1", "s32:64", "u64:0", "u64:0"]}
# LAUNCH: {"kernel": "matmul_descriptor", "only": "triton/sm_[19]*0/*", "shared": 131072, "buffers":
#   {"a": "buffer:81920:small:f16:1:8", "b": "buffer:81920:small:f16:2:8", "c": "buffer:32768"},
#   "args": ["tensormap:&a:f16:320,128:box=64,128:swizzle=128B", "u32:128", "u32:320", "u64:320",
#   "u64:1", "tensormap:&b:f16:128,320:box=64,64:swizzle=128B", "u32:320", "u32:128", "u64:128",
#   "u64:1", "tensormap:&c:f16:128,128:box=64,128:swizzle=128B", "u32:128", "u32:128", "u64:128",
#   "u64:1", "u32:320", "u64:0", "u64:0"]}
