# Kernels in cuTile. BUILDS at the end says what is known of the arguments.
# targets: 90 100
import cuda.tile as ct
from cuda.tile.compilation import ArrayConstraint

TILE = 64


@ct.kernel
def axpy(x, y, out):
  row, column = ct.bid(0), ct.bid(1)
  a = ct.load(x, index=(row, column), shape=(TILE, TILE))
  b = ct.load(y, index=(row, column), shape=(TILE, TILE))
  ct.store(out, index=(row, column), tile=2.5 * a + b)


@ct.kernel
def row_softmax(x, out):
  row = ct.bid(0)
  values = ct.load(x, index=(row, 0), shape=(1, 256))
  shifted = ct.exp(values - ct.max(values, axis=1, keepdims=True))
  ct.store(out, index=(row, 0), tile=shifted / ct.sum(shifted, axis=1, keepdims=True))


@ct.kernel
def matmul(a, b, out):
  row, column = ct.bid(0), ct.bid(1)
  sums = ct.full((128, TILE), 0, dtype=ct.float32)
  for k in range(4):
    left = ct.load(a, index=(row, k), shape=(128, TILE))
    right = ct.load(b, index=(k, column), shape=(TILE, TILE))
    sums = ct.mma(left, right, sums)
  ct.store(out, index=(row, column), tile=ct.astype(sums, ct.float16))


@ct.kernel
def running_sum(x, out):
  row = ct.bid(0)
  values = ct.load(x, index=(row, 0), shape=(1, 1024))
  ct.store(out, index=(row, 0), tile=ct.cumsum(values, axis=1))


def matrix(dtype, rows, columns):
  return ArrayConstraint(dtype, 2, index_dtype=ct.int32, stride_lower_bound_incl=0, alias_groups=(),
                         may_alias_internally=False, stride_constant=(columns, 1),
                         shape_divisible_by=(rows, columns), base_addr_divisible_by=128)


BUILDS = {
    "axpy": (axpy, [matrix(ct.float32, 64, 256)] * 3),
    "row_softmax": (row_softmax, [matrix(ct.float32, 1, 256)] * 2),
    "matmul": (matmul, [matrix(ct.float16, 128, 256), matrix(ct.float16, 256, 128),
                        matrix(ct.float16, 128, 128)]),
    "running_sum": (running_sum, [matrix(ct.int32, 1, 1024)] * 2),
}

# The driver appends the tensor maps; the boxes are as the copies of the kernels need them.
# LAUNCH: {"kernel": "axpy", "grid": [2, 4], "block": 128, "buffers":
#   {"x": "buffer:131072:random:f32:1", "y": "buffer:131072:random:f32:2", "out": "buffer:131072"},
#   "args": ["&x", "128", "256", "256", "1", "&y", "128", "256", "256", "1", "&out", "128", "256",
#   "256", "1"]}
# LAUNCH: {"kernel": "running_sum", "grid": 4, "block": 128, "buffers":
#   {"x": "buffer:16384:small:s32:1", "out": "buffer:16384"}, "args": ["&x", "4", "1024", "1024",
#   "1", "&out", "4", "1024", "1024", "1"]}
# LAUNCH: {"kernel": "row_softmax", "grid": 4, "block": 256, "buffers":
#   {"x": "buffer:4096:random:f32:1", "out": "buffer:4096"}, "args": ["&x", "4", "256", "256", "1",
#   "&out", "4", "256", "256", "1", "tensormap:&x:f32:256,4:box=256,1",
#   "tensormap:&out:f32:256,4:box=256,1"], "expect": ["data-race"]}
# LAUNCH: {"kernel": "matmul", "only": "cutile/sm_90/*", "grid": [1, 2], "block": 256, "buffers":
#   {"a": "buffer:65536:small:f16:1:4", "b": "buffer:65536:small:f16:2:4", "out": "buffer:32768"},
#   "args": ["&a", "128", "256", "256", "1", "&b", "256", "128", "128", "1", "&out", "128", "128",
#   "128", "1", "tensormap:&a:f16:256,128:box=64,128:swizzle=128B",
#   "tensormap:&b:f16:128,256:box=64,64:swizzle=128B",
#   "tensormap:&out:f16:128,128:box=64,64:swizzle=128B"], "expect": ["data-race"]}
# LAUNCH: {"kernel": "matmul", "only": "cutile/sm_100/*", "grid": [1, 2], "block": 256, "buffers":
#   {"a": "buffer:65536:small:f16:1:4", "b": "buffer:65536:small:f16:2:4", "out": "buffer:32768"},
#   "args": ["&a", "128", "256", "256", "1", "&b", "256", "128", "128", "1", "&out", "128", "128",
#   "128", "1", "tensormap:&a:f16:256,128:box=64,128:swizzle=128B",
#   "tensormap:&b:f16:128,256:box=64,64:swizzle=128B",
#   "tensormap:&out:f16:128,128:box=64,128:swizzle=128B"], "expect": ["data-race"]}
