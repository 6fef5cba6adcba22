# kernels: saxpy block_sum transpose matmul stencil exchange
# Kernels in Mojo. The program prints the PTX of one:
#     mojo run -D KERNEL=block_sum -D ARCH=sm_90 kernels.mojo
from std.memory import stack_allocation
from std.sys.defines import get_defined_string
from max.gpu import barrier, block_dim, block_idx, thread_idx
from max.gpu.host import get_gpu_target
from max.gpu.host.compile import _compile_code
from max.gpu.memory import AddressSpace

comptime Floats = Pointer[Float32, MutAnyOrigin]
comptime BLOCK = 256
comptime TILE = 16


def saxpy(a: Float32, x: Floats, y: Floats, n: Int):
    var i = Int(block_idx.x * block_dim.x + thread_idx.x)
    if i < n:
        y.unsafe_store(i, a * x.unsafe_load(i) + y.unsafe_load(i))


def block_sum(x: Floats, result: Floats):
    var tile = stack_allocation[BLOCK, Float32, address_space=AddressSpace.SHARED]()
    var t = Int(thread_idx.x)
    tile.unsafe_store(t, x.unsafe_load(Int(block_idx.x) * BLOCK + t))
    barrier()
    var step = BLOCK // 2
    while step > 0:
        if t < step:
            tile.unsafe_store(t, tile.unsafe_load(t) + tile.unsafe_load(t + step))
        barrier()
        step //= 2
    if t == 0:
        result.unsafe_store(Int(block_idx.x), tile.unsafe_load(0))


def transpose(x: Floats, result: Floats, width: Int):
    var tile = stack_allocation[TILE * (TILE + 1), Float32, address_space=AddressSpace.SHARED]()
    var tx = Int(thread_idx.x)
    var ty = Int(thread_idx.y)
    var row = Int(block_idx.y) * TILE
    var column = Int(block_idx.x) * TILE
    tile.unsafe_store(ty * (TILE + 1) + tx, x.unsafe_load((row + ty) * width + column + tx))
    barrier()
    result.unsafe_store((column + ty) * width + row + tx, tile.unsafe_load(tx * (TILE + 1) + ty))


def matmul(a: Floats, b: Floats, c: Floats, n: Int):
    var ta = stack_allocation[TILE * TILE, Float32, address_space=AddressSpace.SHARED]()
    var tb = stack_allocation[TILE * TILE, Float32, address_space=AddressSpace.SHARED]()
    var tx = Int(thread_idx.x)
    var ty = Int(thread_idx.y)
    var row = Int(block_idx.y) * TILE + ty
    var column = Int(block_idx.x) * TILE + tx
    var total = Float32(0)
    for t in range(n // TILE):
        ta.unsafe_store(ty * TILE + tx, a.unsafe_load(row * n + t * TILE + tx))
        tb.unsafe_store(ty * TILE + tx, b.unsafe_load((t * TILE + ty) * n + column))
        barrier()
        comptime for k in range(TILE):
            total += ta.unsafe_load(ty * TILE + k) * tb.unsafe_load(k * TILE + tx)
        barrier()
    c.unsafe_store(row * n + column, total)


def stencil(x: Floats, result: Floats, n: Int):
    var tile = stack_allocation[BLOCK + 2, Float32, address_space=AddressSpace.SHARED]()
    var t = Int(thread_idx.x)
    var i = Int(block_idx.x) * BLOCK + t
    if i >= n:
        return
    tile.unsafe_store(t + 1, x.unsafe_load(i))
    if t == 0:
        tile.unsafe_store(0, x.unsafe_load(max(i - 1, 0)))
    if t == BLOCK - 1 or i == n - 1:
        tile.unsafe_store(t + 2, x.unsafe_load(min(i + 1, n - 1)))
    barrier()
    var total = tile.unsafe_load(t) + tile.unsafe_load(t + 1) + tile.unsafe_load(t + 2)
    result.unsafe_store(i, total / 3)


# Each round is fenced on both sides, so that barriers meet back to back.
def exchange(x: Floats):
    var tile = stack_allocation[BLOCK, Float32, address_space=AddressSpace.SHARED]()
    var t = Int(thread_idx.x)
    var v = x.unsafe_load(t)
    comptime for k in range(4):
        barrier()
        tile.unsafe_store(t, v)
        barrier()
        v += tile.unsafe_load(t ^ (1 << k))
        barrier()
    x.unsafe_store(t, v)


def main() raises:
    comptime target = get_gpu_target[get_defined_string["ARCH"]()]()
    comptime kernel = get_defined_string["KERNEL"]()
    comptime if kernel == "saxpy":
        print(_compile_code[saxpy, target=target]())
    elif kernel == "block_sum":
        print(_compile_code[block_sum, target=target]())
    elif kernel == "transpose":
        print(_compile_code[transpose, target=target]())
    elif kernel == "matmul":
        print(_compile_code[matmul, target=target]())
    elif kernel == "stencil":
        print(_compile_code[stencil, target=target]())
    elif kernel == "exchange":
        print(_compile_code[exchange, target=target]())

# LAUNCH: {"kernel": "saxpy", "block": 64, "grid": 2, "args": ["f32:2", "buffer:400:small:f32:1",
#   "buffer:400:small:f32:2", "s64:100"]}
# LAUNCH: {"kernel": "block_sum", "block": 256, "grid": 2, "args": ["buffer:2048:small:f32:1",
#   "buffer:8"]}
# LAUNCH: {"kernel": "transpose", "block": [16, 16], "grid": [2, 2], "args":
#   ["buffer:4096:random:f32:1", "buffer:4096", "s64:32"]}
# LAUNCH: {"kernel": "matmul", "block": [16, 16], "grid": [2, 2], "args":
#   ["buffer:4096:small:f32:1", "buffer:4096:small:f32:2", "buffer:4096", "s64:32"]}
# LAUNCH: {"kernel": "stencil", "block": 256, "grid": 2, "args": ["buffer:1200:small:f32:1",
#   "buffer:1200", "s64:300"]}
# LAUNCH: {"kernel": "exchange", "block": 256, "args": ["buffer:1024:small:f32:1"]}
