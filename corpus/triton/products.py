# targets: 90 100
# Products of matrices and attention in Triton, by warp groups on sm_90 and in tensor memory on
# sm_100. BUILDS at the end gives the types, constants and options of each.
import triton
import triton.language as tl


# The tiles of the result are dealt out over the programs; descriptors are made by the kernel.
@triton.jit
def matmul_persistent(a, b, c, m, n, k, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
  da = tl.make_tensor_descriptor(a, [m, k], [k, 1], [BM, BK])
  db = tl.make_tensor_descriptor(b, [n, k], [k, 1], [BN, BK])
  dc = tl.make_tensor_descriptor(c, [m, n], [n, 1], [BM, BN])
  across = tl.cdiv(n, BN)
  for tile in tl.range(tl.program_id(0), tl.cdiv(m, BM) * across, tl.num_programs(0), flatten=True):
    row = tile // across * BM
    column = tile % across * BN
    acc = tl.zeros((BM, BN), dtype=tl.float32)
    for t in range(0, k, BK):
      acc = tl.dot(da.load([row, t]), db.load([column, t]).T, acc)
    dc.store([row, column], acc.to(tl.bfloat16))


# Loads, products and the rest are left to different warps.
@triton.jit
def matmul_specialised(a, b, c, m, n, k, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
  da = tl.make_tensor_descriptor(a, [m, k], [k, 1], [BM, BK])
  db = tl.make_tensor_descriptor(b, [n, k], [k, 1], [BN, BK])
  dc = tl.make_tensor_descriptor(c, [m, n], [n, 1], [BM, BN])
  row = tl.program_id(0) * BM
  column = tl.program_id(1) * BN
  acc = tl.zeros((BM, BN), dtype=tl.float32)
  for t in tl.range(0, k, BK, warp_specialize=True):
    acc = tl.dot(da.load([row, t]), db.load([column, t]).T, acc)
  dc.store([row, column], acc.to(tl.bfloat16))


@triton.jit
def matmul_fp8(a, b, c, scale, k, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
  row = tl.program_id(0) * BM
  column = tl.program_id(1) * BN
  acc = tl.zeros((BM, BN), dtype=tl.float32)
  for t in range(0, k, BK):
    acc = tl.dot(a.load([row, t]), b.load([column, t]).T, acc)
  c.store([row, column], acc * scale)


# The programs of the third dimension share the sum.
@triton.jit
def matmul_split_k(a, b, c, k, stride_a, stride_b, stride_c, BM: tl.constexpr, BN: tl.constexpr,
                   BK: tl.constexpr, PARTS: tl.constexpr):
  row = tl.program_id(0) * BM + tl.arange(0, BM)
  column = tl.program_id(1) * BN + tl.arange(0, BN)
  inner = tl.program_id(2) * BK + tl.arange(0, BK)
  pa = a + row[:, None] * stride_a + inner[None, :]
  pb = b + inner[:, None] * stride_b + column[None, :]
  acc = tl.zeros((BM, BN), dtype=tl.float32)
  for t in range(0, k, BK * PARTS):
    acc = tl.dot(tl.load(pa), tl.load(pb), acc)
    pa += BK * PARTS
    pb += BK * PARTS * stride_b
  tl.atomic_add(c + row[:, None] * stride_c + column[None, :], acc, sem="relaxed")


@triton.jit
def matmul_batched(a, b, c, m, n, k, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
  batch = tl.program_id(2)
  row = tl.program_id(0) * BM + tl.arange(0, BM)
  column = tl.program_id(1) * BN + tl.arange(0, BN)
  inner = tl.arange(0, BK)
  pa = a + batch * m * k + row[:, None] * k + inner[None, :]
  pb = b + batch * k * n + inner[:, None] * n + column[None, :]
  acc = tl.zeros((BM, BN), dtype=tl.float32)
  for t in range(0, k, BK):
    va = tl.load(pa, mask=row[:, None] < m, other=0.0)
    vb = tl.load(pb, mask=column[None, :] < n, other=0.0)
    acc = tl.dot(va, vb, acc)
    pa += BK
    pb += BK * n
  mask = (row[:, None] < m) & (column[None, :] < n)
  tl.store(c + batch * m * n + row[:, None] * n + column[None, :], acc.to(tl.bfloat16), mask=mask)


@triton.jit
def matmul_gelu(a, b, bias, c, n, k, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
  row = tl.program_id(0) * BM
  column = tl.program_id(1) * BN
  acc = tl.zeros((BM, BN), dtype=tl.float32)
  for t in range(0, k, BK):
    acc = tl.dot(a.load([row, t]), b.load([t, column]), acc)
  v = acc + tl.load(bias + column + tl.arange(0, BN))[None, :]
  v = v * tl.sigmoid(1.5957691216 * (v + 0.044715 * v * v * v))
  c.store([row, column], v.to(tl.float16))


# Gate and up share the rows of a.
@triton.jit
def matmul_swiglu(a, gate, up, c, n, k, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
  row = tl.program_id(0) * BM
  column = tl.program_id(1) * BN
  g = tl.zeros((BM, BN), dtype=tl.float32)
  u = tl.zeros((BM, BN), dtype=tl.float32)
  for t in range(0, k, BK):
    va = a.load([row, t])
    g = tl.dot(va, gate.load([t, column]), g)
    u = tl.dot(va, up.load([t, column]), u)
  r = row + tl.arange(0, BM)
  at = tl.program_id(1) * BN + tl.arange(0, BN)
  tl.store(c + r[:, None] * n + at[None, :], (g * tl.sigmoid(g) * u).to(tl.bfloat16))


# Each expert has its own b, and as many rows of a as sizes says.
@triton.jit
def matmul_grouped(a, b, c, sizes, experts, n, k, BM: tl.constexpr, BN: tl.constexpr,
                   BK: tl.constexpr):
  first = 0
  tile = tl.program_id(0)
  for expert in range(experts):
    rows = tl.load(sizes + expert)
    tiles = tl.cdiv(rows, BM)
    while tile < tiles:
      row = tile * BM + tl.arange(0, BM)
      column = tl.program_id(1) * BN + tl.arange(0, BN)
      inner = tl.arange(0, BK)
      pa = a + (first + row[:, None]) * k + inner[None, :]
      pb = b + expert * k * n + inner[:, None] * n + column[None, :]
      acc = tl.zeros((BM, BN), dtype=tl.float32)
      for t in range(0, k, BK):
        acc = tl.dot(tl.load(pa, mask=row[:, None] < rows, other=0.0), tl.load(pb), acc)
        pa += BK
        pb += BK * n
      tl.store(c + (first + row[:, None]) * n + column[None, :], acc.to(tl.float16),
               mask=row[:, None] < rows)
      tile += tl.num_programs(0)
    tile -= tiles
    first += rows


@triton.jit
def matmul_int8(a, b, c, n, k, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
  row = tl.program_id(0) * BM
  column = tl.program_id(1) * BN
  acc = tl.zeros((BM, BN), dtype=tl.int32)
  for t in range(0, k, BK):
    acc = tl.dot(a.load([row, t]), b.load([column, t]).T, acc)
  r = row + tl.arange(0, BM)
  at = column + tl.arange(0, BN)
  tl.store(c + r[:, None] * n + at[None, :], acc)


# Two weights of four bits in a byte, rows k and k + 1 of b; a scale for each group of BK rows.
@triton.jit
def matmul_int4(a, b, scale, c, n, k, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
  row = tl.program_id(0) * BM + tl.arange(0, BM)
  column = tl.program_id(1) * BN + tl.arange(0, BN)
  inner = tl.arange(0, BK)
  half = tl.arange(0, BK // 2)
  acc = tl.zeros((BM, BN), dtype=tl.float32)
  for t in range(0, k, BK):
    va = tl.load(a + row[:, None] * k + t + inner[None, :])
    packed = tl.load(b + (t // 2 + half[:, None]) * n + column[None, :])
    low = ((packed & 15).to(tl.int8) - 8).to(tl.float16)
    high = ((packed >> 4).to(tl.int8) - 8).to(tl.float16)
    weights = tl.join(low, high).permute(0, 2, 1).reshape(BK, BN)
    s = tl.load(scale + t // BK * n + column)
    acc += tl.dot(va, weights) * s[None, :]
  tl.store(c + row[:, None] * n + column[None, :], acc.to(tl.float16))


@triton.jit
def matmul_tf32(a, b, c, n, k, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
  row = tl.program_id(0) * BM
  column = tl.program_id(1) * BN
  acc = tl.zeros((BM, BN), dtype=tl.float32)
  for t in range(0, k, BK):
    acc = tl.dot(a.load([row, t]), b.load([column, t]).T, acc, input_precision="tf32")
  c.store([row, column], acc)


# Elements of eight bits with a scale of eight bits for every 32 of k.
@triton.jit
def matmul_scaled(a, scale_a, b, scale_b, c, n, k, BM: tl.constexpr, BN: tl.constexpr,
                  BK: tl.constexpr):
  row = tl.program_id(0) * BM + tl.arange(0, BM)
  column = tl.program_id(1) * BN + tl.arange(0, BN)
  inner = tl.arange(0, BK)
  group = tl.arange(0, BK // 32)
  acc = tl.zeros((BM, BN), dtype=tl.float32)
  for t in range(0, k, BK):
    va = tl.load(a + row[:, None] * k + t + inner[None, :])
    vb = tl.load(b + column[None, :] * k + t + inner[:, None])
    sa = tl.load(scale_a + row[:, None] * (k // 32) + t // 32 + group[None, :])
    sb = tl.load(scale_b + column[:, None] * (k // 32) + t // 32 + group[None, :])
    acc = tl.dot_scaled(va, sa, "e4m3", vb, sb, "e4m3", acc)
  tl.store(c + row[:, None] * n + column[None, :], acc)


# An implicit product: rows are pixels of the output, k runs over taps and channels. NHWC.
@triton.jit
def convolution(x, w, out, height, width, CHANNELS: tl.constexpr, FILTERS: tl.constexpr,
                BM: tl.constexpr):
  p = tl.program_id(0) * BM + tl.arange(0, BM)
  batch = p // (height * width)
  y = p // width % height
  z = p % width
  c = tl.arange(0, CHANNELS)
  f = tl.arange(0, FILTERS)
  acc = tl.zeros((BM, FILTERS), dtype=tl.float32)
  for tap in range(9):
    v = y + tap // 3 - 1
    u = z + tap % 3 - 1
    inside = (v >= 0) & (v < height) & (u >= 0) & (u < width)
    at = ((batch * height + v) * width + u) * CHANNELS
    va = tl.load(x + at[:, None] + c[None, :], mask=inside[:, None], other=0.0)
    vb = tl.load(w + (tap * CHANNELS + c[:, None]) * FILTERS + f[None, :])
    acc = tl.dot(va, vb, acc)
  tl.store(out + p[:, None] * FILTERS + f[None, :], acc.to(tl.float16))


# Not causal; everything by descriptors of [heads * length, D].
@triton.jit
def attend(q, k, v, out, length, scale, BM: tl.constexpr, BN: tl.constexpr, D: tl.constexpr,
           SPECIALISE: tl.constexpr):
  head = tl.program_id(1) * length
  row = head + tl.program_id(0) * BM
  query = q.load([row, 0])
  top = tl.full([BM], -float("inf"), dtype=tl.float32)
  total = tl.zeros([BM], dtype=tl.float32)
  acc = tl.zeros([BM, D], dtype=tl.float32)
  for start in tl.range(0, length, BN, warp_specialize=SPECIALISE):
    score = tl.dot(query, k.load([head + start, 0]).T) * scale
    bigger = tl.maximum(top, tl.max(score, 1))
    p = tl.exp2(score - bigger[:, None])
    shrink = tl.exp2(top - bigger)
    total = total * shrink + tl.sum(p, 1)
    acc = tl.dot(p.to(tl.float16), v.load([head + start, 0]), acc * shrink[:, None])
    top = bigger
  out.store([row, 0], (acc / total[:, None]).to(tl.float16))


@triton.jit
def attention_full(q, k, v, out, length, scale, BM: tl.constexpr, BN: tl.constexpr,
                   D: tl.constexpr):
  attend(q, k, v, out, length, scale, BM, BN, D, False)


@triton.jit
def attention_specialised(q, k, v, out, length, scale, BM: tl.constexpr, BN: tl.constexpr,
                          D: tl.constexpr):
  rows = tl.num_programs(1) * length
  dq = tl.make_tensor_descriptor(q, [rows, D], [D, 1], [BM, D])
  dk = tl.make_tensor_descriptor(k, [rows, D], [D, 1], [BN, D])
  dv = tl.make_tensor_descriptor(v, [rows, D], [D, 1], [BN, D])
  do = tl.make_tensor_descriptor(out, [rows, D], [D, 1], [BM, D])
  attend(dq, dk, dv, do, length, scale, BM, BN, D, True)


# What is added to each row to get the gradient of the scores: out . dout.
@triton.jit
def attention_delta(out, dout, delta, BM: tl.constexpr, D: tl.constexpr):
  r = tl.program_id(0) * BM + tl.arange(0, BM)
  at = r[:, None] * D + tl.arange(0, D)[None, :]
  o = tl.load(out + at).to(tl.float32)
  tl.store(delta + r, tl.sum(o * tl.load(dout + at).to(tl.float32), axis=1))


# A block of keys against all queries behind them. Causal; logarithm holds that of the sums, base 2.
@triton.jit
def attention_backward_keys(q, k, v, dout, logarithm, delta, dk, dv, length, scale,
                            BM: tl.constexpr, BN: tl.constexpr, D: tl.constexpr):
  base = tl.program_id(1) * length
  j = tl.program_id(0) * BN + tl.arange(0, BN)
  d = tl.arange(0, D)
  key = tl.load(k + (base + j[:, None]) * D + d[None, :])
  value = tl.load(v + (base + j[:, None]) * D + d[None, :])
  sum_k = tl.zeros([BN, D], dtype=tl.float32)
  sum_v = tl.zeros([BN, D], dtype=tl.float32)
  for start in range(tl.program_id(0) * BN, length, BM):
    i = start + tl.arange(0, BM)
    query_t = tl.load(q + (base + i[None, :]) * D + d[:, None])
    l = tl.load(logarithm + base + i)
    p_t = tl.exp2(tl.dot(key, query_t) * scale - l[None, :])
    p_t = tl.where(i[None, :] >= j[:, None], p_t, 0.0)
    do = tl.load(dout + (base + i[:, None]) * D + d[None, :])
    sum_v += tl.dot(p_t.to(tl.float16), do)
    ds_t = p_t * (tl.dot(value, tl.trans(do)) - tl.load(delta + base + i)[None, :])
    sum_k += tl.dot(ds_t.to(tl.float16), tl.trans(query_t))
  at = (base + j[:, None]) * D + d[None, :]
  tl.store(dv + at, sum_v)
  tl.store(dk + at, sum_k)


# A block of queries against all keys in front of them.
@triton.jit
def attention_backward_queries(q, k, v, dout, logarithm, delta, dq, length, scale,
                               BM: tl.constexpr, BN: tl.constexpr, D: tl.constexpr):
  base = tl.program_id(1) * length
  i = tl.program_id(0) * BM + tl.arange(0, BM)
  d = tl.arange(0, D)
  at = (base + i[:, None]) * D + d[None, :]
  query = tl.load(q + at)
  do = tl.load(dout + at)
  l = tl.load(logarithm + base + i)
  o = tl.load(delta + base + i)
  total = tl.zeros([BM, D], dtype=tl.float32)
  for start in range(0, (tl.program_id(0) + 1) * BM, BN):
    j = start + tl.arange(0, BN)
    key_t = tl.load(k + (base + j[None, :]) * D + d[:, None])
    value_t = tl.load(v + (base + j[None, :]) * D + d[:, None])
    p = tl.exp2(tl.dot(query, key_t) * scale - l[:, None])
    p = tl.where(i[:, None] >= j[None, :], p, 0.0)
    ds = p * (tl.dot(do, value_t) - o[:, None])
    total += tl.dot(ds.to(tl.float16), tl.trans(key_t))
  tl.store(dq + at, total)


# One query for each head against a cache of pages of BN keys; pages says where they are.
@triton.jit
def attention_paged(q, cache_k, cache_v, pages, out, length, scale, HEADS: tl.constexpr,
                    BN: tl.constexpr, D: tl.constexpr):
  h = tl.arange(0, HEADS)
  d = tl.arange(0, D)
  batch = tl.program_id(0)
  query = tl.load(q + batch * HEADS * D + h[:, None] * D + d[None, :])
  top = tl.full([HEADS], -float("inf"), dtype=tl.float32)
  total = tl.zeros([HEADS], dtype=tl.float32)
  acc = tl.zeros([HEADS, D], dtype=tl.float32)
  for start in range(0, length, BN):
    page = tl.load(pages + batch * tl.cdiv(length, BN) + start // BN)
    j = tl.arange(0, BN)
    key = tl.load(cache_k + (page * BN + j[None, :]) * D + d[:, None])
    score = tl.dot(query, key) * scale
    score = tl.where(start + j[None, :] < length, score, -float("inf"))
    bigger = tl.maximum(top, tl.max(score, 1))
    p = tl.exp2(score - bigger[:, None])
    shrink = tl.exp2(top - bigger)
    total = total * shrink + tl.sum(p, 1)
    value = tl.load(cache_v + (page * BN + j[:, None]) * D + d[None, :])
    acc = acc * shrink[:, None] + tl.dot(p.to(tl.bfloat16), value)
    top = bigger
  tl.store(out + batch * HEADS * D + h[:, None] * D + d[None, :], acc / total[:, None])


# Name, signature (a list of types; constants are taken out of it), constants, options.
BUILDS = {
    "matmul_persistent": (matmul_persistent, "*bf16 *bf16 *bf16 i32 i32 i32",
                          dict(BM=64, BN=64, BK=64), dict(num_stages=3)),
    "matmul_specialised": (matmul_specialised, "*bf16 *bf16 *bf16 i32 i32 i32",
                           dict(BM=128, BN=64, BK=64), dict(num_stages=3)),
    "matmul_fp8": (matmul_fp8,
                   "tensordesc<fp8e4nv[64,64]> tensordesc<fp8e4nv[64,64]> "
                   "tensordesc<fp32[64,64]> fp32 i32", dict(BM=64, BN=64, BK=64),
                   dict(num_stages=3)),
    "matmul_split_k": (matmul_split_k, "*fp16 *fp16 *fp32 i32 i32 i32 i32",
                       dict(BM=64, BN=32, BK=32, PARTS=2), dict(num_stages=3)),
    "matmul_batched": (matmul_batched, "*bf16 *bf16 *bf16 i32 i32 i32", dict(BM=64, BN=32, BK=32),
                       dict(num_stages=4)),
    "matmul_gelu": (matmul_gelu,
                    "tensordesc<fp16[64,32]> tensordesc<fp16[32,64]> *fp32 "
                    "tensordesc<fp16[64,64]> i32 i32", dict(BM=64, BN=64, BK=32),
                    dict(num_stages=3)),
    "matmul_swiglu": (matmul_swiglu,
                      "tensordesc<bf16[64,32]> tensordesc<bf16[32,32]> tensordesc<bf16[32,32]> "
                      "*bf16 i32 i32", dict(BM=64, BN=32, BK=32), dict(num_stages=3)),
    "matmul_grouped": (matmul_grouped, "*fp16 *fp16 *fp16 *i32 i32 i32 i32",
                       dict(BM=64, BN=32, BK=32), dict(num_stages=3)),
    "matmul_int8": (matmul_int8, "tensordesc<i8[64,64]> tensordesc<i8[32,64]> *i32 i32 i32",
                    dict(BM=64, BN=32, BK=64), dict(num_stages=3)),
    "matmul_int4": (matmul_int4, "*fp16 *u8 *fp32 *fp16 i32 i32", dict(BM=64, BN=32, BK=32),
                    dict(num_stages=3)),
    "matmul_tf32": (matmul_tf32,
                    "tensordesc<fp32[64,32]> tensordesc<fp32[32,32]> tensordesc<fp32[64,32]> "
                    "i32 i32", dict(BM=64, BN=32, BK=32), dict(num_stages=3)),
    "matmul_scaled": (matmul_scaled, "*fp8e4nv *u8 *fp8e4nv *u8 *fp32 i32 i32",
                      dict(BM=128, BN=32, BK=64), dict(num_stages=2)),
    "convolution": (convolution, "*fp16 *fp16 *fp16 i32 i32",
                    dict(CHANNELS=16, FILTERS=32, BM=64), dict(num_stages=3)),
    "attention_full": (attention_full,
                       "tensordesc<fp16[64,32]> tensordesc<fp16[32,32]> tensordesc<fp16[32,32]> "
                       "tensordesc<fp16[64,32]> i32 fp32", dict(BM=64, BN=32, D=32),
                       dict(num_stages=3)),
    "attention_specialised": (attention_specialised, "*fp16 *fp16 *fp16 *fp16 i32 fp32",
                              dict(BM=128, BN=32, D=32), dict(num_stages=2)),
    "attention_delta": (attention_delta, "*fp16 *fp16 *fp32", dict(BM=32, D=32), {}),
    "attention_backward_keys": (attention_backward_keys,
                                "*fp16 *fp16 *fp16 *fp16 *fp32 *fp32 *fp32 *fp32 i32 fp32",
                                dict(BM=32, BN=64, D=32), dict(num_stages=2)),
    "attention_backward_queries": (attention_backward_queries,
                                   "*fp16 *fp16 *fp16 *fp16 *fp32 *fp32 *fp32 i32 fp32",
                                   dict(BM=64, BN=32, D=32), dict(num_stages=2)),
    "attention_paged": (attention_paged, "*bf16 *bf16 *bf16 *i32 *fp32 i32 fp32",
                        dict(HEADS=16, BN=32, D=64), dict(num_stages=2)),
}

# LAUNCH: {"kernel": "matmul_persistent", "grid": 2, "shared": 131072, "args":
#   ["buffer:49152:small:bf16:1:8", "buffer:49152:small:bf16:2:8", "buffer:32768", "s32:128",
#   "s32:128", "s32:192", "buffer:4096", "u64:0"]}
# LAUNCH: {"kernel": "matmul_specialised", "grid": [1, 1], "shared": 131072, "args":
#   ["buffer:65536:small:bf16:1:8", "buffer:32768:small:bf16:2:8", "buffer:16384", "s32:128",
#   "s32:64", "s32:256", "buffer:4096", "u64:0"], "expect": ["data-race"]}
# LAUNCH: {"kernel": "matmul_fp8", "grid": [1, 1], "shared": 131072, "buffers": {"a":
#   "buffer:16384:small:u8:1:64", "b": "buffer:16384:small:u8:2:64", "c": "buffer:16384"}, "args":
#   ["tensormap:&a:u8:256,64:box=64,64:swizzle=64B", "u32:64", "u32:256", "u64:256", "u64:1",
#   "tensormap:&b:u8:256,64:box=64,64:swizzle=64B", "u32:64", "u32:256", "u64:256", "u64:1",
#   "tensormap:&c:f32:64,64:box=32,64:swizzle=128B", "u32:64", "u32:64", "u64:64", "u64:1",
#   "f32:0.5", "u32:256", "u64:0", "u64:0"]}
# LAUNCH: {"kernel": "matmul_split_k", "grid": [1, 1, 2], "shared": 65536, "args":
#   ["buffer:24576:small:f16:1:8", "buffer:12288:small:f16:2:8", "buffer:8192:small:f32:3",
#   "s32:192", "s32:192", "s32:32", "s32:32", "u64:0", "u64:0"]}
# LAUNCH: {"kernel": "matmul_batched", "grid": [1, 1, 2], "shared": 65536, "args":
#   ["buffer:23040:small:bf16:1:8", "buffer:12288:small:bf16:2:8", "buffer:7680", "s32:60",
#   "s32:32", "s32:96", "u64:0", "u64:0"]}
# LAUNCH: {"kernel": "matmul_gelu", "grid": [1, 1], "shared": 65536, "buffers": {"a":
#   "buffer:12288:random:f16:1", "b": "buffer:12288:random:f16:2", "c": "buffer:8192"}, "args":
#   ["tensormap:&a:f16:96,64:box=32,64:swizzle=64B", "u32:64", "u32:96", "u64:96", "u64:1",
#   "tensormap:&b:f16:64,96:box=64,32:swizzle=128B", "u32:96", "u32:64", "u64:64", "u64:1",
#   "buffer:256:random:f32:3", "tensormap:&c:f16:64,64:box=64,64:swizzle=128B", "u32:64", "u32:64",
#   "u64:64", "u64:1", "s32:64", "s32:96", "u64:0", "u64:0"]}
# LAUNCH: {"kernel": "matmul_swiglu", "grid": [1, 2], "shared": 65536, "buffers": {"a":
#   "buffer:12288:random:bf16:1", "gate": "buffer:12288:random:bf16:2", "up":
#   "buffer:12288:random:bf16:3"}, "args": ["tensormap:&a:bf16:96,64:box=32,64:swizzle=64B",
#   "u32:64", "u32:96", "u64:96", "u64:1", "tensormap:&gate:bf16:64,96:box=32,32:swizzle=64B",
#   "u32:96", "u32:64", "u64:64", "u64:1", "tensormap:&up:bf16:64,96:box=32,32:swizzle=64B",
#   "u32:96", "u32:64", "u64:64", "u64:1", "buffer:8192", "s32:64", "s32:96", "u64:0", "u64:0"]}
# LAUNCH: {"kernel": "matmul_grouped", "grid": [2, 1], "shared": 65536, "args":
#   ["buffer:21120:small:f16:1:8", "buffer:18432:small:f16:2:8", "buffer:7040",
#   "buffer:12:values:s32:70,0,40", "s32:3", "s32:32", "s32:96", "u64:0", "u64:0"]}
# LAUNCH: {"kernel": "matmul_int8", "grid": [1, 1], "shared": 65536, "buffers": {"a":
#   "buffer:12288:random:s8:1", "b": "buffer:6144:random:s8:2"}, "args":
#   ["tensormap:&a:u8:192,64:box=64,64:swizzle=64B", "u32:64", "u32:192", "u64:192", "u64:1",
#   "tensormap:&b:u8:192,32:box=64,32:swizzle=64B", "u32:32", "u32:192", "u64:192", "u64:1",
#   "buffer:8192", "s32:32", "s32:192", "u64:0", "u64:0"]}
# LAUNCH: {"kernel": "matmul_int4", "grid": [1, 1], "shared": 65536, "args":
#   ["buffer:12288:random:f16:1", "buffer:1536:random:u8:2", "buffer:384:random:f32:3",
#   "buffer:4096", "s32:32", "s32:96", "u64:0", "u64:0"]}
# LAUNCH: {"kernel": "matmul_tf32", "grid": [1, 1], "shared": 65536, "buffers": {"a":
#   "buffer:24576:small:f32:1", "b": "buffer:12288:small:f32:2", "c": "buffer:8192"}, "args":
#   ["tensormap:&a:f32:96,64:box=32,64:swizzle=128B", "u32:64", "u32:96", "u64:96", "u64:1",
#   "tensormap:&b:f32:96,32:box=32,32:swizzle=128B", "u32:32", "u32:96", "u64:96", "u64:1",
#   "tensormap:&c:f32:32,64:box=32,64:swizzle=128B", "u32:64", "u32:32", "u64:32", "u64:1",
#   "s32:32", "s32:96", "u64:0", "u64:0"]}
# LAUNCH: {"kernel": "matmul_scaled", "grid": [1, 1], "shared": 131072, "args":
#   ["buffer:24576:small:u8:1:64", "buffer:768:iota:u8:124:0.005", "buffer:6144:small:u8:2:64",
#   "buffer:192:iota:u8:125:0.02", "buffer:16384", "s32:32", "s32:192", "u64:0", "u64:0"]}
# LAUNCH: {"kernel": "convolution", "grid": 2, "shared": 65536, "args":
#   ["buffer:4096:small:f16:1:8", "buffer:9216:small:f16:2:8", "buffer:8192", "s32:8", "s32:8",
#   "u64:0", "u64:0"]}
# LAUNCH: {"kernel": "attention_full", "grid": [2, 1], "shared": 65536, "buffers": {"q":
#   "buffer:8192:random:f16:1", "k": "buffer:8192:random:f16:2", "v": "buffer:8192:random:f16:3",
#   "out": "buffer:8192"}, "args": ["tensormap:&q:f16:32,128:box=32,64:swizzle=64B", "u32:128",
#   "u32:32", "u64:32", "u64:1", "tensormap:&k:f16:32,128:box=32,32:swizzle=64B", "u32:128",
#   "u32:32", "u64:32", "u64:1", "tensormap:&v:f16:32,128:box=32,32:swizzle=64B", "u32:128",
#   "u32:32", "u64:32", "u64:1", "tensormap:&out:f16:32,128:box=32,64:swizzle=64B", "u32:128",
#   "u32:32", "u64:32", "u64:1", "s32:128", "f32:0.25", "u64:0", "u64:0"]}
# LAUNCH: {"kernel": "attention_specialised", "grid": [1, 1], "shared": 131072, "args":
#   ["buffer:8192:random:f16:1", "buffer:8192:random:f16:2", "buffer:8192:random:f16:3",
#   "buffer:8192", "s32:128", "f32:0.25", "buffer:4096", "u64:0"], "expect": ["data-race"]}
# LAUNCH: {"kernel": "attention_delta", "grid": 2, "shared": 16384, "args":
#   ["buffer:4096:random:f16:1", "buffer:4096:random:f16:2", "buffer:256", "u64:0", "u64:0"],
#   "expect": ["data-race"]}
# LAUNCH: {"kernel": "attention_backward_keys", "grid": [2, 1], "shared": 131072, "args":
#   ["buffer:8192:random:f16:1", "buffer:8192:random:f16:2", "buffer:8192:random:f16:3",
#   "buffer:8192:random:f16:4", "buffer:512:random:f32:5", "buffer:512:random:f32:6",
#   "buffer:16384", "buffer:16384", "s32:128", "f32:0.25", "u64:0", "u64:0"]}
# LAUNCH: {"kernel": "attention_backward_queries", "grid": [2, 1], "shared": 131072, "args":
#   ["buffer:8192:random:f16:1", "buffer:8192:random:f16:2", "buffer:8192:random:f16:3",
#   "buffer:8192:random:f16:4", "buffer:512:random:f32:5", "buffer:512:random:f32:6",
#   "buffer:16384", "s32:128", "f32:0.25", "u64:0", "u64:0"]}
# LAUNCH: {"kernel": "attention_paged", "grid": 2, "shared": 65536, "args":
#   ["buffer:4096:random:bf16:1", "buffer:32768:random:bf16:2", "buffer:32768:random:bf16:3",
#   "buffer:24:values:s32:5,0,7,2,1,6", "buffer:8192", "s32:80", "f32:0.25", "u64:0", "u64:0"],
#   "expect": ["data-race"]}
