# targets: 90 100
# Kernels of training and inference in Triton that take rows, one program each: reductions, scans,
# indices and atomics. BUILDS at the end gives the types, constants and options of each.
import triton
import triton.language as tl


@triton.jit
def softmax_backward(y, dy, dx, columns, BLOCK: tl.constexpr):
  at = tl.program_id(0) * columns + tl.arange(0, BLOCK)
  mask = tl.arange(0, BLOCK) < columns
  vy = tl.load(y + at, mask=mask, other=0.0)
  vd = tl.load(dy + at, mask=mask, other=0.0)
  tl.store(dx + at, vy * (vd - tl.sum(vy * vd, axis=0)), mask=mask)


# One pass for maximum and sum, a second one for the quotients.
@triton.jit
def softmax_online(x, out, columns, BLOCK: tl.constexpr):
  row = tl.program_id(0).to(tl.int64) * columns
  top = tl.full([BLOCK], -float("inf"), dtype=tl.float32)
  total = tl.zeros([BLOCK], dtype=tl.float32)
  for start in tl.range(0, columns, BLOCK):
    c = start + tl.arange(0, BLOCK)
    v = tl.load(x + row + c, mask=c < columns, other=-float("inf"))
    bigger = tl.maximum(top, v)
    total = tl.where(bigger == -float("inf"), 0.0, total * tl.exp(top - bigger) + tl.exp(v - bigger))
    top = bigger
  highest = tl.max(top, axis=0)
  whole = tl.sum(tl.where(top == -float("inf"), 0.0, total * tl.exp(top - highest)), axis=0)
  for start in tl.range(0, columns, BLOCK):
    c = start + tl.arange(0, BLOCK)
    v = tl.load(x + row + c, mask=c < columns, other=0.0)
    tl.store(out + row + c, tl.exp(v - highest) / whole, mask=c < columns)


# Each program takes several rows; the gradients of gamma and beta are added up by atomics.
@triton.jit
def layer_norm_backward(x, dy, gamma, dx, dgamma, dbeta, rows, columns, epsilon,
                        BLOCK: tl.constexpr):
  c = tl.arange(0, BLOCK)
  mask = c < columns
  g = tl.load(gamma + c, mask=mask, other=0.0)
  sum_gamma = tl.zeros([BLOCK], dtype=tl.float32)
  sum_beta = tl.zeros([BLOCK], dtype=tl.float32)
  for row in range(tl.program_id(0), rows, tl.num_programs(0)):
    v = tl.load(x + row * columns + c, mask=mask, other=0.0)
    d = tl.load(dy + row * columns + c, mask=mask, other=0.0)
    mean = tl.sum(v, axis=0) / columns
    centred = tl.where(mask, v - mean, 0.0)
    scale = tl.rsqrt(tl.sum(centred * centred, axis=0) / columns + epsilon)
    normal = centred * scale
    w = g * d
    part = (w - tl.sum(w, axis=0) / columns - normal * tl.sum(normal * w, axis=0) / columns) * scale
    tl.store(dx + row * columns + c, part, mask=mask)
    sum_gamma += d * normal
    sum_beta += d
  tl.atomic_add(dgamma + c, sum_gamma, mask=mask, sem="relaxed")
  tl.atomic_add(dbeta + c, sum_beta, mask=mask, sem="relaxed")


# Residual first, in place; the row stays in registers.
@triton.jit
def rms_norm(x, residual, gamma, out, columns, epsilon, BLOCK: tl.constexpr):
  c = tl.arange(0, BLOCK)
  mask = c < columns
  at = tl.program_id(0) * columns + c
  v = tl.load(x + at, mask=mask, other=0.0).to(tl.float32)
  v += tl.load(residual + at, mask=mask, other=0.0).to(tl.float32)
  tl.store(residual + at, v.to(tl.bfloat16), mask=mask)
  scale = tl.rsqrt(tl.sum(v * v, axis=0) / columns + epsilon)
  g = tl.load(gamma + c, mask=mask, other=0.0)
  tl.store(out + at, (v * scale * g).to(tl.bfloat16), mask=mask)


# Loss and its gradient, in blocks of the vocabulary; a label of -1 counts for nothing.
@triton.jit
def cross_entropy(x, label, loss, dx, columns, BLOCK: tl.constexpr):
  row = tl.program_id(0)
  y = tl.load(label + row)
  top = -float("inf")
  total = 0.0
  for start in range(0, columns, BLOCK):
    c = start + tl.arange(0, BLOCK)
    v = tl.load(x + row * columns + c, mask=c < columns, other=-float("inf"))
    bigger = tl.maximum(top, tl.max(v, axis=0))
    total = total * tl.exp(top - bigger) + tl.sum(tl.exp(v - bigger), axis=0)
    top = bigger
  if y >= 0:
    tl.store(loss + row, tl.log(total) + top - tl.load(x + row * columns + y))
  else:
    tl.store(loss + row, 0.0)
  for start in range(0, columns, BLOCK):
    c = start + tl.arange(0, BLOCK)
    v = tl.load(x + row * columns + c, mask=c < columns, other=0.0)
    p = tl.exp(v - top) / total - tl.where(c == y, 1.0, 0.0)
    tl.store(dx + row * columns + c, tl.where(y >= 0, p, 0.0), mask=c < columns)


@triton.jit
def top_k(x, out, columns, BLOCK: tl.constexpr, K: tl.constexpr):
  c = tl.arange(0, BLOCK)
  v = tl.load(x + tl.program_id(0) * columns + c, mask=c < columns, other=-float("inf"))
  tl.store(out + tl.program_id(0) * K + tl.arange(0, K), tl.topk(v, K))


@triton.jit
def arg_max(x, value, index, columns, BLOCK: tl.constexpr):
  row = tl.program_id(0)
  c = tl.arange(0, BLOCK)
  v = tl.load(x + row * columns + c, mask=c < columns, other=-float("inf"))
  best, at = tl.max(v, axis=0, return_indices=True)
  tl.store(value + row, best)
  tl.store(index + row, at)


@triton.jit
def embedding(table, index, out, WIDTH: tl.constexpr, ROWS: tl.constexpr):
  r = tl.program_id(0) * ROWS + tl.arange(0, ROWS)
  c = tl.arange(0, WIDTH)
  at = tl.load(index + r)
  tl.store(out + r[:, None] * WIDTH + c[None, :], tl.load(table + at[:, None] * WIDTH + c[None, :]))


# The gradient of embedding: rows with the same index meet.
@triton.jit
def scatter_add(dout, index, table, n, WIDTH: tl.constexpr, ROWS: tl.constexpr):
  r = tl.program_id(0) * ROWS + tl.arange(0, ROWS)
  c = tl.arange(0, WIDTH)
  mask = (r[:, None] < n) & (c[None, :] < WIDTH)
  at = tl.load(index + r, mask=r < n, other=0)
  v = tl.load(dout + r[:, None] * WIDTH + c[None, :], mask=mask)
  tl.atomic_add(table + at[:, None] * WIDTH + c[None, :], v, mask=mask, sem="relaxed")


# Pairs of neighbours are turned, so values are split and joined.
@triton.jit
def rotary(x, cosine, sine, out, HALF: tl.constexpr, HEADS: tl.constexpr):
  position = tl.program_id(0)
  h = tl.arange(0, HEADS)
  c = tl.arange(0, 2 * HALF)
  at = position * HEADS * 2 * HALF + h[:, None] * 2 * HALF + c[None, :]
  v = tl.load(x + at).to(tl.float32)
  even, odd = tl.split(tl.reshape(v, (HEADS, HALF, 2)))
  i = tl.arange(0, HALF)
  a = tl.load(cosine + position * HALF + i)[None, :]
  b = tl.load(sine + position * HALF + i)[None, :]
  turned = tl.join(even * a - odd * b, even * b + odd * a)
  tl.store(out + at, tl.reshape(turned, (HEADS, 2 * HALF)).to(tl.bfloat16))


@triton.jit
def merge(mean1, square1, count1, mean2, square2, count2):
  count = count1 + count2
  share = tl.where(count == 0.0, 0.0, count2 / count)
  delta = mean2 - mean1
  return mean1 + delta * share, square1 + square2 + delta * delta * count1 * share, count


@triton.jit
def welford(x, mean, variance, columns, BLOCK: tl.constexpr):
  row = tl.program_id(0)
  c = tl.arange(0, BLOCK)
  mask = c < columns
  v = tl.load(x + row * columns + c, mask=mask, other=0.0)
  count = tl.where(mask, 1.0, 0.0)
  m, s, n = tl.reduce((v, tl.zeros([BLOCK], tl.float32), count), 0, merge)
  tl.store(mean + row, m)
  tl.store(variance + row, s / n)


# From the end of a row, in one pass: what remains of each value and the largest behind it.
@triton.jit
def larger(a, b):
  return tl.maximum(a, b)


@triton.jit
def suffix_scans(x, sums, tops, BLOCK: tl.constexpr):
  i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
  v = tl.load(x + i)
  tl.store(sums + i, tl.cumsum(v, 0, reverse=True))
  tl.store(tops + i, tl.associative_scan(v, 0, larger, reverse=True))


# A scale for each row, from its largest magnitude.
@triton.jit
def quantise_rows(x, out, scale, columns, BLOCK: tl.constexpr):
  row = tl.program_id(0)
  c = tl.arange(0, BLOCK)
  v = tl.load(x + row * columns + c, mask=c < columns, other=0.0)
  s = tl.maximum(tl.max(tl.abs(v), axis=0), 1e-10) / 448.0
  tl.store(scale + row, s)
  tl.store(out + row * columns + c, (v / s).to(tl.float8e4nv), mask=c < columns)


# Sums of columns, over rows that the programs share.
@triton.jit
def column_sums(x, out, rows, columns, ROWS: tl.constexpr, COLUMNS: tl.constexpr):
  c = tl.program_id(0) * COLUMNS + tl.arange(0, COLUMNS)
  total = tl.zeros([ROWS, COLUMNS], dtype=tl.float32)
  for start in tl.range(0, rows, ROWS, num_stages=3):
    r = start + tl.arange(0, ROWS)
    mask = (r[:, None] < rows) & (c[None, :] < columns)
    total += tl.load(x + r[:, None] * columns + c[None, :], mask=mask, other=0.0)
  tl.store(out + c, tl.sum(total, axis=0), mask=c < columns)


# The program that comes last adds the parts of all, and leaves the counter as it was.
@triton.jit
def sum_last_program(x, parts, counter, out, n, BLOCK: tl.constexpr, PROGRAMS: tl.constexpr):
  i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
  tl.store(parts + tl.program_id(0), tl.sum(tl.load(x + i, mask=i < n, other=0.0), axis=0))
  tl.debug_barrier()
  if tl.atomic_add(counter, 1, sem="acq_rel") == PROGRAMS - 1:
    p = tl.load(parts + tl.arange(0, PROGRAMS), volatile=True)
    tl.store(out, tl.sum(p, axis=0))
    tl.atomic_xchg(counter, 0, sem="relaxed")


# Each program passes its sum on to the next one.
@triton.jit
def chained_scan(x, out, carry, flag, BLOCK: tl.constexpr):
  program = tl.program_id(0)
  i = program * BLOCK + tl.arange(0, BLOCK)
  v = tl.load(x + i)
  before = 0
  if program > 0:
    while tl.atomic_add(flag + program - 1, 0, sem="acquire") == 0:
      pass
    before = tl.load(carry + program - 1)
  tl.store(carry + program, before + tl.sum(v, axis=0))
  tl.debug_barrier()
  tl.atomic_xchg(flag + program, 1, sem="release")
  tl.store(out + i, before + tl.cumsum(v, 0))


# Only where it changes something is the record touched.
@triton.jit
def records(x, group, low, high, n, BLOCK: tl.constexpr):
  i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
  v = tl.load(x + i, mask=i < n, other=0)
  g = tl.load(group + i, mask=i < n, other=0)
  tl.atomic_min(low + g, v, mask=(i < n) & (v < 0), sem="relaxed")
  tl.atomic_max(high + g, v, mask=(i < n) & (v > 0), sem="relaxed")


@triton.jit
def adam(parameter, gradient, first, second, n, rate, step1, step2, BLOCK: tl.constexpr):
  i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
  mask = i < n
  g = tl.load(gradient + i, mask=mask).to(tl.float32)
  m = 0.9 * tl.load(first + i, mask=mask) + 0.1 * g
  v = 0.99 * tl.load(second + i, mask=mask) + 0.01 * g * g
  tl.store(first + i, m, mask=mask)
  tl.store(second + i, v, mask=mask)
  p = tl.load(parameter + i, mask=mask) - rate * (m / step1) / (tl.sqrt(v / step2) + 1e-6)
  tl.store(parameter + i, p, mask=mask)


# Through shared memory by the tensor memory accelerator, both ways.
@triton.jit
def transpose_descriptor(x, out, BLOCK: tl.constexpr):
  r = tl.program_id(0) * BLOCK
  c = tl.program_id(1) * BLOCK
  out.store([c, r], tl.trans(x.load([r, c])))


# Descriptors made by the kernel; each program adds its tiles to the same result.
@triton.jit
def add_tiles(x, out, rows, columns, ROWS: tl.constexpr, COLUMNS: tl.constexpr):
  source = tl.make_tensor_descriptor(x, [rows, columns], [columns, 1], [ROWS, COLUMNS])
  target = tl.make_tensor_descriptor(out, [ROWS, columns], [columns, 1], [ROWS, COLUMNS])
  c = tl.program_id(1) * COLUMNS
  for r in range(tl.program_id(0) * ROWS, rows, tl.num_programs(0) * ROWS):
    target.atomic_add([0, c], source.load([r, c]))


@triton.jit
def gather_within(x, index, out, BLOCK: tl.constexpr):
  i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
  tl.store(out + i, tl.gather(tl.load(x + i), tl.load(index + i), 0))


@triton.jit
def swiglu(gate, up, out, n, BLOCK: tl.constexpr):
  i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
  g = tl.load(gate + i, mask=i < n).to(tl.float32)
  u = tl.load(up + i, mask=i < n).to(tl.float32)
  tl.store(out + i, (g * tl.sigmoid(g) * u).to(tl.bfloat16), mask=i < n)


# Name, signature (a list of types; constants are taken out of it), constants, options.
BUILDS = {
    "softmax_backward": (softmax_backward, "*fp32 *fp32 *fp32 i32", dict(BLOCK=512), {}),
    "softmax_online": (softmax_online, "*fp32 *fp32 i32", dict(BLOCK=256), {}),
    "layer_norm_backward": (layer_norm_backward,
                            "*fp32 *fp32 *fp32 *fp32 *fp32 *fp32 i32 i32 fp32", dict(BLOCK=256),
                            {}),
    "rms_norm": (rms_norm, "*bf16 *bf16 *fp32 *bf16 i32 fp32", dict(BLOCK=512), {}),
    "cross_entropy": (cross_entropy, "*fp32 *i32 *fp32 *fp32 i32", dict(BLOCK=256),
                      dict(num_warps=2)),
    "top_k": (top_k, "*fp32 *fp32 i32", dict(BLOCK=128, K=8), dict(num_warps=2)),
    "arg_max": (arg_max, "*fp32 *fp32 *i32 i32", dict(BLOCK=512), {}),
    "embedding": (embedding, "*fp16 *i32 *fp16", dict(WIDTH=64, ROWS=16), {}),
    "scatter_add": (scatter_add, "*fp32 *i32 *fp32 i32", dict(WIDTH=32, ROWS=16), {}),
    "rotary": (rotary, "*bf16 *fp32 *fp32 *bf16", dict(HALF=32, HEADS=8), {}),
    "welford": (welford, "*fp32 *fp32 *fp32 i32", dict(BLOCK=512), {}),
    "suffix_scans": (suffix_scans, "*i32 *i32 *i32", dict(BLOCK=256), dict(num_warps=2)),
    "quantise_rows": (quantise_rows, "*fp32 *fp8e4nv *fp32 i32", dict(BLOCK=512), {}),
    "column_sums": (column_sums, "*fp32 *fp32 i32 i32", dict(ROWS=16, COLUMNS=32), {}),
    "sum_last_program": (sum_last_program, "*fp32 *fp32 *i32 *fp32 i32",
                         dict(BLOCK=256, PROGRAMS=4), {}),
    "chained_scan": (chained_scan, "*i32 *i32 *i32 *i32", dict(BLOCK=256), {}),
    "records": (records, "*i32 *i32 *i32 *i32 i32", dict(BLOCK=256), {}),
    "adam": (adam, "*fp32 *bf16 *fp32 *fp32 i32 fp32 fp32 fp32", dict(BLOCK=256), {}),
    "transpose_descriptor": (transpose_descriptor,
                             "tensordesc<fp16[64,64]> tensordesc<fp16[64,64]>", dict(BLOCK=64),
                             {}),
    "add_tiles": (add_tiles, "*fp32 *fp32 i32 i32", dict(ROWS=16, COLUMNS=32), {}),
    "gather_within": (gather_within, "*fp32 *i32 *fp32", dict(BLOCK=256), {}),
    "swiglu": (swiglu, "*bf16 *bf16 *bf16 i32", dict(BLOCK=512), {}),
}

# LAUNCH: {"kernel": "softmax_backward", "grid": 2, "shared": 16384, "args":
#   ["buffer:4000:random:f32:1", "buffer:4000:random:f32:2", "buffer:4000", "s32:500", "u64:0",
#   "u64:0"], "expect": ["data-race"]}
# LAUNCH: {"kernel": "softmax_online", "grid": 2, "shared": 16384, "args":
#   ["buffer:5600:random:f32:1", "buffer:5600", "s32:700", "u64:0", "u64:0"], "expect":
#   ["data-race"]}
# LAUNCH: {"kernel": "layer_norm_backward", "grid": 2, "shared": 16384, "args":
#   ["buffer:4000:random:f32:1", "buffer:4000:random:f32:2", "buffer:800:random:f32:3",
#   "buffer:4000", "buffer:800", "buffer:800", "s32:5", "s32:200", "f32:0.01", "u64:0", "u64:0"],
#   "expect": ["data-race"]}
# LAUNCH: {"kernel": "rms_norm", "grid": 2, "shared": 16384, "args": ["buffer:1600:random:bf16:1",
#   "buffer:1600:random:bf16:2", "buffer:1600:random:f32:3", "buffer:1600", "s32:400", "f32:0.001",
#   "u64:0", "u64:0"], "expect": ["data-race"]}
# LAUNCH: {"kernel": "cross_entropy", "grid": 3, "shared": 16384, "args":
#   ["buffer:7200:random:f32:1", "buffer:12:values:s32:5,-1,599", "buffer:12", "buffer:7200",
#   "s32:600", "u64:0", "u64:0"], "expect": ["data-race"]}
# LAUNCH: {"kernel": "top_k", "grid": 2, "shared": 16384, "args": ["buffer:800:random:f32:1",
#   "buffer:64", "s32:100", "u64:0", "u64:0"], "expect": ["data-race"]}
# LAUNCH: {"kernel": "arg_max", "grid": 2, "shared": 16384, "args": ["buffer:4000:random:f32:1",
#   "buffer:8", "buffer:8", "s32:500", "u64:0", "u64:0"], "expect": ["data-race"]}
# LAUNCH: {"kernel": "embedding", "grid": 2, "args": ["buffer:2560:random:f16:1",
#   "buffer:128:small:s32:2:20", "buffer:4096", "u64:0", "u64:0"]}
# LAUNCH: {"kernel": "scatter_add", "grid": 2, "args": ["buffer:3200:small:f32:1",
#   "buffer:100:small:s32:2:4", "buffer:512:small:f32:3", "s32:25", "u64:0", "u64:0"]}
# LAUNCH: {"kernel": "rotary", "grid": 2, "shared": 16384, "args": ["buffer:2048:random:bf16:1",
#   "buffer:256:random:f32:2", "buffer:256:random:f32:3", "buffer:2048", "u64:0", "u64:0"]}
# LAUNCH: {"kernel": "welford", "grid": 2, "shared": 16384, "args": ["buffer:3600:random:f32:1",
#   "buffer:8", "buffer:8", "s32:450", "u64:0", "u64:0"], "expect": ["data-race"]}
# LAUNCH: {"kernel": "suffix_scans", "grid": 2, "shared": 16384, "args":
#   ["buffer:2048:random:s32:1", "buffer:2048", "buffer:2048", "u64:0", "u64:0"]}
# LAUNCH: {"kernel": "quantise_rows", "grid": 2, "shared": 16384, "args":
#   ["buffer:4000:random:f32:1", "buffer:1000", "buffer:8", "s32:500", "u64:0", "u64:0"], "expect":
#   ["data-race"]}
# LAUNCH: {"kernel": "column_sums", "grid": 2, "shared": 16384, "args":
#   ["buffer:12000:small:f32:1", "buffer:240", "s32:50", "s32:60", "u64:0", "u64:0"], "expect":
#   ["data-race"]}
# LAUNCH: {"kernel": "sum_last_program", "grid": 4, "shared": 16384, "args":
#   ["buffer:4000:small:f32:1", "buffer:16", "buffer:4", "buffer:4", "s32:1000", "u64:0", "u64:0"],
#   "expect": ["data-race"]}
# LAUNCH: {"kernel": "chained_scan", "grid": 3, "shared": 16384, "args":
#   ["buffer:3072:random:s32:1", "buffer:3072", "buffer:12", "buffer:12", "u64:0", "u64:0"],
#   "expect": ["data-race"]}
# LAUNCH: {"kernel": "records", "grid": 2, "shared": 16384, "args": ["buffer:2000:random:s32:1",
#   "buffer:2000:small:s32:2:8", "buffer:32", "buffer:32", "s32:500", "u64:0", "u64:0"]}
# LAUNCH: {"kernel": "adam", "grid": 2, "args": ["buffer:2000:random:f32:1",
#   "buffer:1000:random:bf16:2", "buffer:2000:random:f32:3", "buffer:2000:small:f32:4:2",
#   "s32:500", "f32:0.125", "f32:0.5", "f32:0.25", "u64:0", "u64:0"]}
# LAUNCH: {"kernel": "transpose_descriptor", "grid": [2, 1], "shared": 65536, "buffers": {"x":
#   "buffer:16384:random:f16:1", "out": "buffer:16384"}, "args":
#   ["tensormap:&x:f16:64,128:box=64,64:swizzle=128B", "u32:128", "u32:64", "u64:64", "u64:1",
#   "tensormap:&out:f16:128,64:box=64,64:swizzle=128B", "u32:64", "u32:128", "u64:128", "u64:1",
#   "u64:0", "u64:0"]}
# LAUNCH: {"kernel": "add_tiles", "grid": [2, 2], "shared": 65536, "args":
#   ["buffer:16384:small:f32:1", "buffer:4096:small:f32:2", "s32:64", "s32:64", "buffer:4096",
#   "u64:0"]}
# LAUNCH: {"kernel": "gather_within", "grid": 2, "shared": 16384, "args":
#   ["buffer:2048:random:f32:1", "buffer:2048:small:s32:2:256", "buffer:2048", "u64:0", "u64:0"]}
# LAUNCH: {"kernel": "swiglu", "grid": 2, "args": ["buffer:1800:random:bf16:1",
#   "buffer:1800:random:bf16:2", "buffer:1800", "s32:900", "u64:0", "u64:0"]}
