# Functions that XLA turns into kernels. BUILDS at the end gives the shapes of the arguments.
import jax
import jax.numpy as jnp


def softmax(x):
  return jax.nn.softmax(x, axis=-1)


def layer_norm(x, gamma, beta):
  mean = jnp.mean(x, axis=-1, keepdims=True)
  variance = jnp.var(x, axis=-1, keepdims=True)
  return (x - mean) * jax.lax.rsqrt(variance + 1e-5) * gamma + beta


def column_sums(x):
  return jnp.sum(x, axis=0), jnp.max(x, axis=0)


def transpose_add(x, y):
  return x.T + y


def running_sum(x):
  return jnp.cumsum(x, axis=-1)


def sort_rows(x):
  return jnp.sort(x, axis=-1)


def segment_sum(values, index):
  return jnp.zeros((1000,), values.dtype).at[index].add(values)


def gather_rows(table, index):
  return table[index] * 2.0


def arg_max(x):
  return jnp.argmax(x, axis=-1)


def power_iteration(a, v):
  def step(_, v):
    w = jnp.sum(a * v[None, :], axis=1)
    return w * jax.lax.rsqrt(jnp.sum(w * w))
  return jax.lax.fori_loop(0, 10, step, v)


def dropout(x):
  key = jax.random.wrap_key_data(jnp.array([1, 2], dtype=jnp.uint32), impl="threefry2x32")
  return jnp.where(jax.random.bernoulli(key, 0.9, x.shape), x / 0.9, 0.0)


def heat(u):
  around = u[:-2, 1:-1] + u[2:, 1:-1] + u[1:-1, :-2] + u[1:-1, 2:]
  return u.at[1:-1, 1:-1].add(0.1 * (around - 4 * u[1:-1, 1:-1]))


def floats(*shape):
  return jax.ShapeDtypeStruct(shape, jnp.float32)


def ints(*shape):
  return jax.ShapeDtypeStruct(shape, jnp.int32)


BUILDS = {
    "softmax": (softmax, [floats(512, 2048)]),
    "layer_norm": (layer_norm, [floats(256, 1024), floats(1024), floats(1024)]),
    "column_sums": (column_sums, [floats(4096, 512)]),
    "transpose_add": (transpose_add, [floats(1024, 512), floats(512, 1024)]),
    "running_sum": (running_sum, [ints(64, 2048)]),
    "sort_rows": (sort_rows, [ints(16, 1000)]),
    "segment_sum": (segment_sum, [floats(100000), ints(100000)]),
    "gather_rows": (gather_rows, [floats(1000, 256), ints(4096)]),
    "arg_max": (arg_max, [floats(128, 5000)]),
    "power_iteration": (power_iteration, [floats(512, 512), floats(512)]),
    "dropout": (dropout, [floats(1024, 1024)]),
    "heat": (heat, [floats(1024, 1024)]),
}

# LAUNCH: {"kernel": "softmax", "grid": 2, "shared": 16384, "args": ["buffer:16384:random:f32:1",
#   "buffer:16384"], "expect": ["data-race"]}
# LAUNCH: {"kernel": "layer_norm", "grid": 2, "shared": 16384, "args": ["buffer:16384:random:f32:1",
#   "buffer:4096:random:f32:2", "buffer:4096:random:f32:3", "buffer:16384"], "expect":
#   ["data-race"]}
# LAUNCH: {"kernel": "gather_rows", "grid": 2, "args": ["buffer:1024000:random:f32:1",
#   "buffer:16384:small:s32:2:1000", "buffer:4194304"]}
# LAUNCH: {"kernel": "heat", "grid": 4, "args": ["buffer:4194304:random:f32:1", "buffer:4194304"]}
# LAUNCH: {"kernel": "transpose_add", "grid": 2, "args": ["buffer:2097152:random:f32:1",
#   "buffer:2097152:random:f32:2", "buffer:2097152"]}
# LAUNCH: {"kernel": "arg_max", "grid": 2, "args": ["buffer:2560000:random:f32:1", "buffer:512",
#   "buffer:512"]}
# LAUNCH: {"kernel": "segment_sum", "grid": 2, "args": ["buffer:4000", "buffer:400000:small:f32:2",
#   "buffer:400000:small:s32:1:1000", "buffer:4000"]}
# LAUNCH: {"kernel": "power_iteration", "grid": 2, "args": ["buffer:1048576:small:f32:1",
#   "buffer:2048:small:f32:2", "buffer:2048"]}
# LAUNCH: {"kernel": "sort_rows", "block": 256, "grid": 2, "args": ["buffer:64000",
#   "buffer:64000:random:s32:1", "buffer:64000"]}
# LAUNCH: {"kernel": "column_sums", "grid": 2, "args": ["buffer:8388608:small:f32:1", "buffer:2048",
#   "buffer:2048"]}
# LAUNCH: {"kernel": "running_sum", "grid": 18, "args": ["buffer:9216:random:s32:1",
#   "buffer:1024:random:s32:2", "buffer:9216"]}
# LAUNCH: {"kernel": "dropout", "grid": 4, "args": ["buffer:8192:random:f32:1",
#   "buffer:16:iota:u64:4294966784:1024", "buffer:8192"]}
