# targets: 100 120
# targets gather_scatter: 100
# What Blackwell adds, in Triton, for sm_100 and sm_120: rows gathered and scattered by the tensor
# memory accelerator, elements of four bits. BUILDS at the end gives the types, constants and options.
import triton
import triton.language as tl


# Rows in the order of index, and back to other places.
@triton.jit
def gather_scatter(x, index, out, rows, ROWS: tl.constexpr, COLUMNS: tl.constexpr):
  source = tl.make_tensor_descriptor(x, [rows, COLUMNS], [COLUMNS, 1], [1, COLUMNS])
  target = tl.make_tensor_descriptor(out, [rows, COLUMNS], [COLUMNS, 1], [1, COLUMNS])
  i = tl.program_id(0) * ROWS + tl.arange(0, ROWS)
  tile = source.gather(tl.load(index + i), 0)
  target.scatter((tile * 2).to(tl.float16), rows - 1 - i, 0)


# The rows of an expert are where index says.
@triton.jit
def matmul_gathered(a, index, b, c, rows, n, k, BM: tl.constexpr, BN: tl.constexpr,
                    BK: tl.constexpr):
  da = tl.make_tensor_descriptor(a, [rows, k], [k, 1], [1, BK])
  db = tl.make_tensor_descriptor(b, [n, k], [k, 1], [BN, BK])
  row = tl.program_id(0) * BM + tl.arange(0, BM)
  column = tl.program_id(1) * BN
  at = tl.load(index + row)
  acc = tl.zeros((BM, BN), dtype=tl.float32)
  for t in tl.range(0, k, BK):
    acc = tl.dot(da.gather(at, t), db.load([column, t]).T, acc)
  tl.store(c + row[:, None] * n + column + tl.arange(0, BN)[None, :], acc.to(tl.bfloat16))


# Two elements in a byte, a scale of eight bits for every 32 of k.
@triton.jit
def matmul_fp4(a, scale_a, b, scale_b, c, n, k, BM: tl.constexpr, BN: tl.constexpr,
               BK: tl.constexpr):
  row = tl.program_id(0) * BM + tl.arange(0, BM)
  column = tl.program_id(1) * BN + tl.arange(0, BN)
  inner = tl.arange(0, BK // 2)
  group = tl.arange(0, BK // 32)
  acc = tl.zeros((BM, BN), dtype=tl.float32)
  for t in range(0, k, BK):
    va = tl.load(a + row[:, None] * (k // 2) + t // 2 + inner[None, :])
    vb = tl.load(b + column[None, :] * (k // 2) + t // 2 + inner[:, None])
    sa = tl.load(scale_a + row[:, None] * (k // 32) + t // 32 + group[None, :])
    sb = tl.load(scale_b + column[:, None] * (k // 32) + t // 32 + group[None, :])
    acc = tl.dot_scaled(va, sa, "e2m1", vb, sb, "e2m1", acc)
  tl.store(c + row[:, None] * n + column[None, :], acc)


# Tiles are dealt out, and within a program the warps have different work.
@triton.jit
def matmul_persistent_specialised(a, b, c, m, n, k, BM: tl.constexpr, BN: tl.constexpr,
                                  BK: tl.constexpr):
  da = tl.make_tensor_descriptor(a, [m, k], [k, 1], [BM, BK])
  db = tl.make_tensor_descriptor(b, [n, k], [k, 1], [BN, BK])
  dc = tl.make_tensor_descriptor(c, [m, n], [n, 1], [BM, BN])
  across = tl.cdiv(n, BN)
  for tile in tl.range(tl.program_id(0), tl.cdiv(m, BM) * across, tl.num_programs(0),
                       warp_specialize=True):
    row = tile // across * BM
    column = tile % across * BN
    acc = tl.zeros((BM, BN), dtype=tl.float32)
    for t in range(0, k, BK):
      acc = tl.dot(da.load([row, t]), db.load([column, t]).T, acc)
    dc.store([row, column], acc.to(tl.bfloat16))


BUILDS = {
    "gather_scatter": (gather_scatter, "*fp16 *i32 *fp16 i32", dict(ROWS=32, COLUMNS=64), {}),
    "matmul_gathered": (matmul_gathered, "*bf16 *i32 *bf16 *bf16 i32 i32 i32",
                        dict(BM=64, BN=32, BK=64), dict(num_stages=3)),
    "matmul_fp4": (matmul_fp4, "*u8 *u8 *u8 *u8 *fp32 i32 i32", dict(BM=128, BN=32, BK=128),
                   dict(num_stages=2)),
    "matmul_persistent_specialised": (matmul_persistent_specialised,
                                      "*bf16 *bf16 *bf16 i32 i32 i32",
                                      dict(BM=128, BN=64, BK=64), dict(num_stages=2)),
}

# LAUNCH: {"kernel": "gather_scatter", "grid": 2, "shared": 65536, "args":
#   ["buffer:8192:random:f16:1", "buffer:256:small:s32:2:64", "buffer:8192", "s32:64",
#   "buffer:4096", "u64:0"]}
# LAUNCH: {"kernel": "matmul_gathered", "grid": [1, 1], "shared": 131072, "args":
#   ["buffer:38400:small:bf16:1:8", "buffer:256:small:s32:2:100", "buffer:12288:small:bf16:3:8",
#   "buffer:4096", "s32:100", "s32:32", "s32:192", "buffer:4096", "u64:0"]}
# LAUNCH: {"kernel": "matmul_fp4", "grid": [1, 1], "shared": 131072, "args":
#   ["buffer:24576:random:u8:1", "buffer:1536:iota:u8:124:0.0025", "buffer:6144:random:u8:2",
#   "buffer:384:iota:u8:125:0.01", "buffer:16384", "s32:32", "s32:384", "u64:0", "u64:0"]}
# LAUNCH: {"kernel": "matmul_persistent_specialised", "grid": 1, "shared": 131072, "args":
#   ["buffer:98304:small:bf16:1:8", "buffer:24576:small:bf16:2:8", "buffer:32768", "s32:256",
#   "s32:64", "s32:192", "buffer:4096", "u64:0"], "expect": ["data-race"]}
