#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Kernels of the corpus compute what NumPy computes.  PTXOPT_LIBRARY names the library of this build.

They are 109 kernels of 73 files: 86 of nvcc, 8 of Numba, 15 of Triton.
"""
import concurrent.futures
import functools
import hashlib
import math
import pathlib
import sys
import unittest
import zlib

try:
    import numpy as np
    from numpy.lib.stride_tricks import sliding_window_view
    from numpy.testing import assert_allclose, assert_array_equal
except ImportError:
    print(f"{sys.executable} has no NumPy")
    sys.exit(77)

import ptxopt

CORPUS = pathlib.Path(__file__).resolve().parent.parent.parent / "corpus" / "ptx"
# Relative and absolute: sums of some hundred numbers of about 1, in another order than NumPy's.
TOLERANCES = {"e": 2e-3, "f": 2e-5, "F": 2e-5, "d": 1e-12}
erf = np.vectorize(math.erf)  # NumPy has none


@functools.lru_cache(maxsize=None)
def module(path):
    return ptxopt.load((CORPUS / f"{path}.ptx").read_bytes(), name=path)


def kernel(path, name=None):
    """Of nvcc unless the path says otherwise; the name may go where a file has one kernel only."""
    kernels = module(path if "/" in path else f"nvcc/sm_90/{path}")
    if name is not None:
        return kernels[name]
    only, = kernels
    return only


def numba_array(array):
    """What Numba passes for an array."""
    return 0, 0, array.size, array.itemsize, array, *array.shape, *array.strides


def blank(shape, dtype="d"):
    """For results: neither zeros nor what an earlier test has left there."""
    array = np.empty(shape, dtype)
    array.view("B")[...] = 0xa5
    return array


def close(actual, expected, tolerance=None):
    tolerance = tolerance or TOLERANCES[actual.dtype.char]
    assert_allclose(actual, expected, rtol=tolerance, atol=tolerance)


class Case(unittest.TestCase):
    def setUp(self):
        self.rng = np.random.default_rng(1)

    def normal(self, *shape, dtype="f"):
        return self.rng.standard_normal(shape).astype(dtype)

    def whole(self, low, high, *shape, dtype="i"):
        """Random integers, of a type that may also be one of floating point."""
        return self.rng.integers(low, high, shape).astype(dtype)


class Elementwise(Case):
    def test_saxpy_of_numpy_scalars(self):
        x, y = self.normal(2, 200)
        expected = 1.5 * x + y
        kernel("block_stride", "saxpy")[4, 64](np.int32(200), np.float32(1.5), x, y)
        close(y, expected)

    def test_add_vector4(self):
        a, b = self.normal(2, 100, 4)
        c = blank(a.shape, a.dtype)
        kernel("block_stride", "addVector4")[2, 32](a, b, c, 100)
        assert_array_equal(c, a + b)

    def test_gelu(self):
        data = self.normal(100)
        expected = 0.5 * data * (1 + np.tanh(0.7978845608 * (data + 0.044715 * data**3)))
        kernel("block_stride", "gelu")[2, 64](data, np.uint64(100))
        close(data, expected)

    def test_black_scholes(self):
        spot_strike = self.rng.uniform(50, 150, (100, 2)).astype("f")
        years = self.rng.uniform(0.25, 5, 100).astype("f")
        call_put = blank(spot_strike.shape, spot_strike.dtype)
        kernel("black_scholes", "blackScholes")[2, 32](spot_strike, years, call_put, 0.02, 0.3, 100)
        spot, strike = spot_strike.T.astype("d")
        expected = black_scholes_call(spot, strike, years, 0.02, 0.3)
        close(call_put, np.stack([expected, expected - spot + strike * np.exp(-0.02 * years)], 1), 1e-4)

    def test_black_scholes_of_numba_in_double(self):
        spot, strike, years = self.rng.uniform(1, 5, (3, 50))
        call = blank(50)
        kernel("numba/sm_90/black_scholes")[2, 32](*numba_array(spot), *numba_array(strike), *numba_array(years),
                                                   *numba_array(call), 0.02, 0.3)
        close(call, black_scholes_call(spot, strike, years, 0.02, 0.3))

    def test_binomial_tree(self):
        spot, price, steps = np.array([100, 90], "f"), blank(2, "f"), 20
        kernel("black_scholes", "binomialTree")[2, 256](spot, 95, 1.05, 0.52, 0.47, price, steps)
        ups = np.arange(steps + 1)
        weight = [math.comb(steps, k) * 0.52**k * 0.47**(steps - k) for k in ups]
        close(price, np.maximum(np.outer(spot, 1.05**(2.0 * ups - steps)) - 95, 0) @ weight, 1e-4)

    def test_special_functions_in_double(self):
        x, out = self.normal(40, dtype="d"), blank(40)
        kernel("double_math", "specialFunctions")[2, 32](x, out, 40)
        close(out, np.exp(-x * x) + np.log1p(abs(x)) * np.cbrt(x) + erf(x) + np.arctan2(x, 2) + x * x + np.sqrt(abs(x)))

    def test_sines_of_large_angles(self):
        s, f = blank(32), blank(32, "f")
        kernel("double_math", "sineTable")[1, 32](s, f, 32)
        i = np.arange(32)
        close(s, np.sin(1e5 * i))
        close(f, np.sin(1e5 * i) + i**1.5 + [math.lgamma(k + 1) for k in i])

    def test_daxpy_and_dot(self):
        x, y = self.normal(2, 600, dtype="d")
        dot, expected = np.zeros(1), y + 3 * x
        kernel("double_math", "daxpyDot")[2, 256](x, y, np.float64(3), dot, 600)
        close(y, expected)
        close(dot, [x @ expected])

    def test_square_roots_in_double(self):
        data = self.rng.uniform(0, 9, 32)
        expected = np.sqrt(data)
        kernel("launch_bounds", "registerBound")[1, 32](data)
        assert_array_equal(data, expected)

    def test_polynomial_of_constant_memory(self):
        x = self.normal(32, dtype="d")
        expected = np.polyval([-1 / 720, 0, 1 / 24, 0, -0.5, 0, 1], x) + 7 * 2.5
        kernel("constant_tables", "evaluate")[1, 32](x)
        close(x, expected)

    def test_functions_of_a_table(self):
        code, data = self.whole(0, 4, 50), self.rng.uniform(1, 2, 50).astype("f")
        expected = np.choose(code, [data**2, data**3, 1 / data, data])
        kernel("function_pointers", "applyTable")[2, 32](code, data, 50)
        close(data, expected)

    def test_bfloat16(self):
        # Small integers are exact: they have the upper half of the bits of a float.
        x = self.whole(-9, 10, 50, 2, dtype="f")
        halves, out, wide = (x.view("I") >> 16).astype("H"), blank((50, 2), "H"), blank((50, 2), "f")
        kernel("half_precision", "bfloatMath")[2, 32](halves, out, wide, 50)
        assert_array_equal(wide, x)
        assert_array_equal((out.astype("I") << 16).view("f"), x * x + np.array([1, -1], "f"))


class Matrices(Case):
    def product(self, path, name, grid, block, size):
        """Of two square matrices of float32."""
        a, b = self.normal(2, size, size)
        c = blank(a.shape, a.dtype)
        kernel(path, name)[grid, block](a, b, c, size)
        close(c, a @ b)

    def test_naive_product(self):
        self.product("matmul", "matmulNaive", (2, 3), (16, 8), 20)

    def test_tiled_product_by_its_demangled_name(self):
        self.product("matmul", "void matmulTiled<16>(float const*, float const*, float*, int)", (2, 2), (16, 16), 32)

    def test_register_blocked_product(self):
        self.product("matmul", "matmulRegisterBlocked", 1, 256, 64)

    def test_double_buffered_product(self):
        self.product("matmul_double_buffer", "matmulDoubleBuffer", (2, 2), 256, 32)

    def test_product_of_rectangles(self):
        a, b, c = self.normal(20, 18), self.normal(18, 25), blank((20, 25), "f")
        kernel("matmul", "matmulGuarded")[(2, 2), (16, 16)](a, b, c, 20, 25, 18)
        close(c, a @ b)

    def test_product_of_tensor_cores(self):
        # Sums of integers are exact in float32.
        a, b = self.whole(-8, 9, 64, 160, dtype="e"), self.whole(-8, 9, 160, 128, dtype="e")
        c = blank((64, 128), "f")
        kernel("matmul_mma_ptx")[(2, 1), 128](a, b, c, 64, 128, 160)
        assert_array_equal(c, a.astype("f") @ b.astype("f"))

    def test_product_of_int8_fragments(self):
        a, b = self.whole(-128, 128, 2, 32, 32, dtype="b")
        c = blank((32, 32), "i")
        kernel("matmul_wmma", "wmmaInt8")[(2, 2), 32](a, b, c, 32)
        assert_array_equal(c, a.astype("i") @ b.astype("i").T)

    def test_product_of_numba(self):
        a, b, c = self.normal(20, 18), self.normal(18, 25), blank((20, 25), "f")
        kernel("numba/sm_90/matmul")[(2, 2), (16, 16)](*numba_array(a), *numba_array(b), *numba_array(c))
        close(c, a @ b)

    def test_product_of_triton(self):
        # The kernel reads whole tiles of 128 rows, and writes 100.
        a, b = self.whole(-4, 5, 128, 64, dtype="e"), self.whole(-4, 5, 64, 128, dtype="e")
        c = blank((100, 128), "e")
        kernel("triton/sm_80/matmul")[(1, 2), 128](a, b, c, 100, 128, 64, 64, 128, 128, None, None, shared=65536)
        assert_array_equal(c, (a @ b)[:100])

    def test_matrix_times_vector(self):
        a, x, y = self.normal(3, 100), self.normal(100), self.normal(3)
        expected = 2 * (a @ x) + 3 * y
        kernel("gemv", "gemvBlock")[3, 64](a, x, y, 100, 2.0, 3.0, shared=256)
        close(y, expected)

    def test_vector_times_matrix(self):
        a, x, y = self.normal(130, 150), self.normal(130), blank(150, "f")
        kernel("gemv", "gemvTransposed")[2, 128](a, x, y, 130, 150)
        close(y, x @ a)

    def test_transpose_of_doubles(self):
        a = self.normal(30, 50, dtype="d")
        out = blank((50, 30))
        kernel("transpose", "transposePadded")[(2, 1), (32, 8)](out, a, 50, 30)
        assert_array_equal(out, a.T)

    def test_transpose_in_place(self):
        a = self.normal(64, 64)
        expected = a.T.copy()
        kernel("transpose", "transposeInPlace")[(2, 2), (32, 32)](a, 64)
        assert_array_equal(a, expected)

    def test_transpose_of_numba(self):
        a, out = self.normal(30, 20, dtype="d"), blank((20, 30))
        kernel("numba/sm_90/transpose")[(2, 2), (16, 16)](*numba_array(a), *numba_array(out))
        assert_array_equal(out, a.T)

    def test_transpose_of_triton(self):
        a, out = self.normal(100, 90, dtype="e"), blank((90, 100), "e")
        kernel("triton/sm_80/transpose")[(2, 2), 128](a, out, 100, 90, None, None, shared=65536)
        assert_array_equal(out, a.T)

    def test_product_in_two_parts(self):
        a, b = self.whole(-4, 5, 64, 192, dtype="e"), self.whole(-4, 5, 192, 32, dtype="e")
        c = self.whole(0, 9, 64, 32, dtype="f")
        expected = c + a.astype("f") @ b.astype("f")
        kernel("triton/sm_90/matmul_split_k")[(1, 1, 2), 128](a, b, c, 192, 192, 32, 32, None, None, shared=65536)
        assert_array_equal(c, expected)

    def test_product_of_halves_by_cp_async(self):
        a, b = self.whole(-4, 5, 2, 64, 96, dtype="e")
        c = blank((64, 64), "e")
        kernel("nvcc/sm_90a/cp_async_pipeline", "pipelineMma")[1, 128](a, b, c, 96)
        assert_array_equal(c, a @ b.T)

    def test_product_by_groups(self):
        sizes, k, n = np.array([70, 0, 40], "i"), 96, 32
        a, b = self.whole(-4, 5, 110, k, dtype="e"), self.whole(-4, 5, 3, k, n, dtype="e")
        c, which = blank((110, n), "e"), np.repeat(np.arange(3), sizes)
        kernel("triton/sm_90/matmul_grouped")[2](a, b, c, sizes, 3, n, k, None, None, shared=65536)
        assert_array_equal(c, np.einsum("rk,rkn->rn", a.astype("f"), b[which].astype("f")))

    def test_product_with_weights_of_four_bits(self):
        a, packed = self.normal(64, 96, dtype="e"), self.whole(0, 256, 48, 32, dtype="B")
        scale, c = self.normal(3, 32), blank((64, 32), "e")
        kernel("triton/sm_90/matmul_int4")[1](a, packed, scale, c, 32, 96, None, None, shared=65536)
        weights = np.stack([packed & 15, packed >> 4], 1).reshape(96, 32).astype("f") - 8
        close(c, a.astype("f") @ (weights * scale.repeat(32, 0)), 4e-3)

    def test_convolution_of_images(self):
        x, w = self.whole(-4, 5, 2, 8, 8, 16, dtype="e"), self.whole(-4, 5, 3, 3, 16, 32, dtype="e")
        out = blank((2, 8, 8, 32), "e")
        kernel("triton/sm_90/convolution")[2](x, w, out, 8, 8, None, None, shared=65536)
        windows = sliding_window_view(np.pad(x, ((0, 0), (1, 1), (1, 1), (0, 0))), (3, 3), (1, 2))
        assert_array_equal(out, np.einsum("byxcvu,vucf->byxf", windows.astype("f"), w.astype("f")))

    def test_gradient_of_attention(self):
        q, k, v, gradient = self.normal(4, 128, 32, dtype="e")
        logarithm, delta, dq = self.normal(128), self.normal(128), blank((128, 32), "f")
        kernel("triton/sm_90/attention_backward_queries")[2](
            q, k, v, gradient, logarithm, delta, dq, 128, 0.125, None, None, shared=131072)
        q, k, v, gradient = (one.astype("d") for one in (q, k, v, gradient))
        p = np.tril(np.exp2(q @ k.T * 0.125 - logarithm[:, None]))
        # The kernel rounds these to halves before it multiplies them.
        close(dq, (p * (gradient @ v.T - delta[:, None])).astype("e") @ k, 1e-2)

    def test_cholesky(self):
        a = self.normal(2, 4, 4, dtype="d")
        matrices = a @ a.transpose(0, 2, 1) + np.eye(4)
        expected = np.linalg.cholesky(matrices)
        kernel("lu_decomposition", "choleskySmall")[2, 32](matrices, 4, shared=128)
        close(np.tril(matrices), expected)

    def test_lu(self):
        a = self.normal(32, 32) + 8 * np.eye(32, dtype="f")
        tile = a[16:, 16:]
        given = tile.copy()
        kernel("lu_decomposition", "luDiagonal")[1, 16](a, 32, 16)
        close((np.tril(tile, -1) + np.eye(16)) @ np.triu(tile), given, 1e-5)

    def test_tridiagonal_systems(self):
        a, c, d = self.normal(3, 10, 8, dtype="d")
        b = self.rng.uniform(4, 5, (10, 8))
        systems = [np.diag(b[:, s]) + np.diag(a[1:, s], -1) + np.diag(c[:-1, s], 1) for s in range(8)]
        expected = np.linalg.solve(systems, d.T[..., None])[..., 0].T
        kernel("tridiagonal", "thomas")[1, 32](a, b, c, d, 10, 8)
        close(d, expected)

    def test_sparse_rows(self):
        start, _, column, value, x, expected = self.sparse(40, 30, "f")
        y = blank(40, "f")
        kernel("spmv", "csrScalar")[2, 32](start, column, value, x, y, 40)
        close(y, expected)

    def test_sparse_rows_by_block_in_double(self):
        start, _, column, value, x, expected = self.sparse(40, 30, "d")
        y = blank(40)
        kernel("spmv", "csrStream")[2, 256](start, column, value, x, y, np.array([0, 25, 40], "i"))
        close(y, expected)

    def test_sparse_coordinates(self):
        _, row, column, value, x, expected = self.sparse(40, 30, "f")
        y = np.zeros(40, "f")
        kernel("spmv", "coo")[2, 32](row, column, value, x, y, len(value))
        close(y, expected)

    def sparse(self, rows, columns, dtype):
        """A matrix, a vector, and their product."""
        dense = self.normal(rows, columns, dtype=dtype) * (self.rng.random((rows, columns)) < 0.2)
        row, column = (one.astype("i") for one in np.nonzero(dense))
        start = np.searchsorted(row, np.arange(rows + 1)).astype("i")
        x = self.normal(columns, dtype=dtype)
        return start, row, column, dense[row, column], x, dense @ x


class Reductions(Case):
    def test_sums_of_blocks_of_integers(self):
        x, out = self.whole(-9, 9, 100), blank(2, "i")
        kernel("reduce_cooperative_groups", "reduceTree")[2, 64](x, out, 100, shared=256)
        assert_array_equal(out, [x[:64].sum(), x[64:].sum()])

    def test_sums_of_eight(self):
        x, out = self.normal(16, 8), blank(16, "f")
        kernel("reduce_cooperative_groups", "reduceEights")[2, 64](x, out, 128)
        close(out, x.sum(1))

    def test_sum_by_one_atomic_of_a_warp(self):
        x, out = self.normal(200), np.zeros(1, "f")
        kernel("reduce_shuffle", "reduceWarpAtomic")[2, 64](x, out, 200)
        close(out, [x.sum()])

    def test_moments(self):
        x, out = self.normal(2, 64), blank((2, 3), "f")
        kernel("reduce_shuffle", "momentsOfBlock")[2, 64](x, out, 128)
        close(out, np.stack([x.sum(1), (x**2).sum(1), (x**3).sum(1)], 1))

    def test_argmax_in_a_structure(self):
        x, best = self.normal(200), blank(1, [("value", "f"), ("index", "i")])
        kernel("reduce_minmax", "argmax")[1, 64](x, best, 200)
        self.assertEqual(best[0].item(), (x.max(), x.argmax()))

    def test_normalised_blocks(self):
        x = self.normal(2, 64)
        low, high = x.min(1, keepdims=True), x.max(1, keepdims=True)
        expected = (x - low) / (high - low)
        kernel("reduce_minmax", "normaliseBlock")[2, 64](x, 128)
        close(x, expected)

    def test_softmax(self):
        x, out = self.normal(2, 2, 100)
        kernel("softmax", "softmaxRows")[2, 64](x, out, 100)
        e = np.exp(x)
        close(out, e / e.sum(1, keepdims=True))

    def test_cross_entropy(self):
        x, label, loss = self.normal(2, 100), np.array([7, 55], "i"), blank(2, "f")
        kernel("softmax", "crossEntropy")[2, 64](x, label, loss, 100)
        close(loss, np.log(np.exp(x).sum(1)) - x[[0, 1], label])

    def test_layer_norm(self):
        x, gamma, beta, out = self.normal(2, 100), self.normal(100), self.normal(100), blank((2, 100), "f")
        kernel("layer_norm", "layerNorm")[2, 64](x, gamma, beta, out, 100, 1e-3)
        close(out, (x - x.mean(1, keepdims=True)) / np.sqrt(x.var(1, keepdims=True) + 1e-3) * gamma + beta)

    def test_rms_norm_of_halves(self):
        x, residual, out = *self.normal(2, 2, 300, dtype="e"), blank((2, 300), "e")
        gamma = self.normal(300, dtype="e")
        added = x + residual
        kernel("rms_norm", "rmsNorm")[2, 256](x, gamma, residual, out, 150, 1e-3)
        assert_array_equal(residual, added)
        wide = added.astype("f")
        close(out, wide / np.sqrt((wide**2).mean(1, keepdims=True) + 1e-3) * gamma)

    def test_mean_and_variance_of_numba(self):
        x, out = self.normal(2, 300), blank((2, 2), "f")
        kernel("numba/sm_90/mean_and_variance")[2, 256](*numba_array(x), *numba_array(out))
        close(out, np.stack([x.mean(1), x.var(1)], 1))

    def test_dot_of_halves(self):
        a, b = self.whole(0, 4, 2, 200, dtype="e")  # exact up to 2048
        out = blank(1, "f")
        kernel("half_precision", "dotHalf")[1, 128](a, b, out, 200)
        assert_array_equal(out, [2 * (a @ b)])

    def test_histogram_of_bytes(self):
        x, bins = self.whole(0, 256, 1000, dtype="B"), np.zeros(256, "I")
        kernel("histogram", "histogramShared")[2, 256](x, bins, 1000)
        assert_array_equal(bins, np.bincount(x, minlength=256))

    def test_histogram_of_numba(self):
        x, bins = self.whole(0, 256, 1000, dtype="B"), np.zeros(256, "i")
        kernel("numba/sm_90/histogram")[2, 256](*numba_array(x), *numba_array(bins))
        assert_array_equal(bins, np.bincount(x, minlength=256))

    def test_histogram_of_a_cluster(self):
        x, bins = self.whole(-9, 40, 200), np.zeros(32, "i")
        kernel("cluster_dsmem", "clusterHistogram")[4, 64](x, bins, 200, 16, shared=64)
        assert_array_equal(bins, np.bincount(x.clip(0, 31), minlength=32))

    def test_votes_of_numba_in_int64(self):
        x, out = self.whole(-4, 8, 2, 64, dtype="q"), blank(2, "i")
        x[0] = 5
        kernel("numba/sm_90/block_votes")[2, 64](*numba_array(x.ravel()), *numba_array(out))
        assert_array_equal(out, (x > 0).sum(1) + 1000 * (x != 3).all(1) + 10000 * (x == 7).any(1))

    def test_nearest_centres(self):
        points, centres = self.whole(-9, 9, 3, 100, dtype="f"), self.whole(-9, 9, 5, 3, dtype="f")
        label, moved = np.zeros(100, "i"), np.zeros(1, "i")
        kernel("kmeans", "assignPoints")[2, 64](points, centres, label, moved, 100, 5, 3, shared=60)
        nearest = ((points.T[:, None] - centres) ** 2).sum(2).argmin(1)
        assert_array_equal(label, nearest)
        assert_array_equal(moved, [np.count_nonzero(nearest)])


    # Several lanes store the same sum: what Triton relies on is a race.
    def test_gradient_of_softmax(self):
        y, dy, dx = self.normal(2, 500), self.normal(2, 500), blank((2, 500), "f")
        kernel("triton/sm_90/softmax_backward")[2](y, dy, dx, 500, None, None, shared=16384, races=False)
        close(dx, y * (dy - (y * dy).sum(1, keepdims=True)), 1e-4)

    def test_cross_entropy_and_its_gradient(self):
        x, label = self.normal(3, 600), np.array([5, -1, 599], "i")
        loss, dx = blank(3, "f"), blank((3, 600), "f")
        kernel("triton/sm_90/cross_entropy")[3](x, label, loss, dx, 600, None, None, shared=16384, races=False)
        counts = (label >= 0)[:, None]
        p = np.exp(x) / np.exp(x).sum(1, keepdims=True)
        one = np.arange(600) == label[:, None]
        close(dx, counts * (p - one))
        close(loss, -np.log(np.where(one, p, 1).prod(1)))

    def test_moments_and_largest(self):
        x = self.normal(2, 450)
        mean, variance, value, index = blank(2, "f"), blank(2, "f"), blank(2, "f"), blank(2, "i")
        kernel("triton/sm_90/welford")[2](x, mean, variance, 450, None, None, shared=16384, races=False)
        kernel("triton/sm_90/arg_max")[2](x, value, index, 450, None, None, shared=16384, races=False)
        close(mean, x.mean(1))
        close(variance, x.var(1))
        assert_array_equal(value, x.max(1))
        assert_array_equal(index, x.argmax(1))

    def test_largest_eight(self):
        x, out = self.normal(2, 100), blank((2, 8), "f")
        kernel("triton/sm_90/top_k")[2](x, out, 100, None, None, shared=16384, races=False)
        assert_array_equal(out, -np.sort(-x)[:, :8])

    def test_sums_of_columns_by_a_ring(self):
        x, out = self.whole(-99, 99, 2, 28, 256, dtype="f"), blank((2, 256), "f")
        kernel("nvcc/sm_90a/tma_ring", "ringColumnSums")[2, 160](x, out, 7)
        assert_array_equal(out, x.sum(1))

    def test_bulk_reductions(self):
        x, sums, tops = self.whole(-99, 99, 9, 64), np.zeros(64, "i"), np.full(64, -999, "i")
        kernel("nvcc/sm_90a/bulk_reductions", "reduceRows")[2, 64](x, sums, tops, 9)
        x -= np.arange(64, dtype="i")
        assert_array_equal(sums, x.sum(0))
        assert_array_equal(tops, x.max(0))

    def test_sum_and_counts_of_a_cluster(self):
        x, out = self.whole(-99, 99, 1000, dtype="f"), blank(1, "f")
        kernel("nvcc/sm_90a/cluster_copies", "sumThroughCluster")[4, 128](x, out, 1000)
        assert_array_equal(out, [x.sum()])
        x, counts = self.whole(0, 99, 768), blank(16, "I")
        kernel("nvcc/sm_90a/cluster_copies", "countInCluster")[4, 64](x, counts, 3)
        assert_array_equal(counts, np.bincount(x % 16, minlength=16))


class Scans(Case):
    def test_scan_of_rows(self):
        x, out = self.whole(-99, 99, 2, 64), blank((2, 64), "i")
        kernel("scan_block", "scanHillisSteele")[2, 64](x, out, 64, shared=512)
        assert_array_equal(out, x.cumsum(1))

    def test_exclusive_scan(self):
        x, out, sums = self.whole(-99, 99, 2, 512), blank((2, 512), "i"), blank(2, "i")
        kernel("scan_block", "scanBlelloch")[2, 256](x, out, sums)
        assert_array_equal(out, x.cumsum(1) - x)
        assert_array_equal(sums, x.sum(1))

    def test_scan_of_triton(self):
        x, out = self.whole(-99, 99, 2, 1000), blank((2, 1000), "i")
        kernel("triton/sm_80/prefix_sum")[2](x, out, 1000, None, None, shared=16384)
        assert_array_equal(out, x.cumsum(1))

    def test_scans_from_the_end(self):
        x, sums, tops = self.whole(-99, 99, 2, 256), blank((2, 256), "i"), blank((2, 256), "i")
        kernel("triton/sm_90/suffix_scans")[2](x, sums, tops, None, None, shared=16384)
        assert_array_equal(sums, x[:, ::-1].cumsum(1)[:, ::-1])
        assert_array_equal(tops, np.maximum.accumulate(x[:, ::-1], 1)[:, ::-1])

    def test_scan_that_is_passed_on(self):
        x, out = self.whole(-99, 99, 768), blank(768, "i")
        carry, flag = blank(3, "i"), np.zeros(3, "i")
        kernel("triton/sm_90/chained_scan")[3](x, out, carry, flag, None, None, shared=16384, races=False)
        assert_array_equal(out, x.cumsum())

    def test_rows_of_an_integral_image(self):
        x, out = self.whole(0, 256, 2, 100, dtype="B"), blank((2, 100), "I")
        kernel("video_filter", "integralRow")[2, 64](x, out, 100, shared=256)
        assert_array_equal(out, x.cumsum(1))

    def test_compaction(self):
        x, out, total = self.normal(200), np.zeros(200, "f"), np.zeros(1, "i")
        kernel("compaction", "compactByBallot")[2, 64](x, out, total, 0.25, 200)
        kept = np.sort(x[x > 0.25])  # The warps come in any order.
        assert_array_equal(total, [len(kept)])
        assert_array_equal(np.sort(out[:len(kept)]), kept)

    def test_sort(self):
        keys = self.whole(0, 2**32, 2, 1024, dtype="I")
        expected = np.sort(keys)
        kernel("bitonic_sort", "bitonicSortShared")[2, 512](keys)
        assert_array_equal(keys, expected)

    def test_sort_of_numba(self):
        keys = self.whole(-99, 99, 64)
        expected = np.sort(keys)
        kernel("numba/sm_90/bitonic_sort")[1, 64](*numba_array(keys), shared=256)
        assert_array_equal(keys, expected)

    def test_merge(self):
        a, b, out = np.sort(self.whole(0, 999, 500)), np.sort(self.whole(0, 999, 300)), blank(800, "i")
        kernel("merge_path")[2, 128](a, 500, b, 300, out)
        assert_array_equal(out, np.sort(np.concatenate([a, b])))

    def test_largest_of_rows(self):
        x, value, index = self.normal(2, 300), blank((2, 5), "f"), blank((2, 5), "i")
        kernel("top_k", "topRepeated")[2, 256](x, value, index, 300, 5, shared=1200)
        expected = (-x).argsort(1)[:, :5]
        assert_array_equal(index, expected)
        assert_array_equal(value, np.take_along_axis(x, expected, 1))

    def test_selection(self):
        keys, result = self.whole(0, 2**32, 500, dtype="I"), blank(1, "I")
        kernel("top_k", "radixSelect")[1, 256](keys, 500, 37, result)
        assert_array_equal(result, np.sort(keys)[-37])


class Grids(Case):
    def test_convolution_of_channels(self):
        x, weight, out = self.normal(2, 12, 20), self.normal(3, 2, 3, 3), blank((3, 12, 20), "f")
        kernel("convolution", "convolveChannels")[(2, 1, 3), (16, 16)](x, weight, out, 2, 12, 20)
        windows = sliding_window_view(np.pad(x, ((0, 0), (1, 1), (1, 1))), (3, 3), (1, 2))
        close(out, np.einsum("chwij,ocij->ohw", windows, weight))

    def test_max_pooling(self):
        x, out, where = self.normal(6, 10), blank((3, 5), "f"), blank((3, 5), "i")
        kernel("convolution", "maxPool")[(1, 3), 16](x, out, where, 6, 10)
        assert_array_equal(out, x.reshape(3, 2, 5, 2).max((1, 3)))
        assert_array_equal(x.ravel()[where], out)

    def test_image_to_columns(self):
        x, out = self.normal(2, 6, 7), blank((2, 3, 3, 2, 3), "f")
        kernel("convolution", "im2col")[1, 8](x, out, 2, 6, 7, 3, 2)
        assert_array_equal(out, sliding_window_view(x, (3, 3), (1, 2))[:, ::2, ::2].transpose(0, 3, 4, 1, 2))

    def test_filter_of_constant_memory(self):
        x, out = self.normal(60), np.zeros(60, "f")
        kernel("constant_tables", "filter")[2, 32](x, out, 60)
        close(out[3:-3], np.convolve(x, [0.0044, 0.0540, 0.2420, 0.3989, 0.2420, 0.0540, 0.0044], "valid"))

    def test_jacobi(self):
        x, out = self.normal(12, 20), blank((12, 20), "f")
        kernel("stencil_2d", "jacobi")[(2, 1), (16, 16)](x, out, 20, 12)
        p = np.pad(x, 1)
        close(out, 0.25 * (p[:-2, 1:-1] + p[2:, 1:-1] + p[1:-1, :-2] + p[1:-1, 2:]))

    def test_jacobi_of_numba_in_double(self):
        u, v = self.normal(10, 20, dtype="d"), np.zeros((10, 20))
        kernel("numba/sm_90/jacobi")[(2, 2), (16, 8)](*numba_array(u), *numba_array(v))
        close(v[1:-1, 1:-1], 0.25 * (u[:-2, 1:-1] + u[2:, 1:-1] + u[1:-1, :-2] + u[1:-1, 2:]))

    def test_game_of_life(self):
        cells, out = self.whole(0, 2, 16, 32, dtype="B"), blank((16, 32), "B")
        kernel("stencil_2d", "gameOfLife")[(2, 1), (16, 16)](cells, out, 32, 16)
        alive = sum(np.roll(cells, (y, x), (0, 1)) for y in (-1, 0, 1) for x in (-1, 0, 1)) - cells
        assert_array_equal(out, (alive == 3) | ((alive == 2) & (cells == 1)))

    def test_stencil_of_seven_points(self):
        x, out = self.normal(5, 10, 34), np.zeros((5, 10, 34), "f")
        kernel("stencil_3d", "sevenPoint")[1, (32, 8)](x, out, 34, 10, 5, 2, 3)
        inner = slice(1, -1)
        around = sum(np.roll(x, step, axis) for step in (-1, 1) for axis in (0, 1, 2))
        close(out[inner, inner, inner], (2 * x + 3 * around)[inner, inner, inner])

    def test_median(self):
        x, out = self.whole(0, 256, 12, 20, dtype="B"), blank((12, 20), "B")
        kernel("video_filter", "median3x3")[(2, 1), (16, 16)](x, out, 20, 12)
        assert_array_equal(out, np.median(sliding_window_view(np.pad(x, 1, "edge"), (3, 3)), (2, 3)))

    def test_mandelbrot_in_double(self):
        out = blank((8, 16), "i")
        name = "void mandelbrot<double>(int*, int, int, double, double, double, int)"
        kernel("mandelbrot", name)[(1, 2), (16, 4)](out, 16, 8, np.float64(-2), -1.0, 0.2, 30)
        c = (-2 + 0.2 * np.arange(16)) + 1j * (-1 + 0.2 * np.arange(8))[:, None]
        z, count = np.zeros_like(c), np.zeros(c.shape, "i")
        for _ in range(30):
            inside = abs(z) < 2
            count += inside
            z = np.where(inside, z * z + c, z)
        assert_array_equal(out, count)

    def test_fourier_transform_of_complex_numbers(self):
        x, out = self.normal(2, 256, 2).view("F")[..., 0], blank((2, 256), "F")
        kernel("fft", "fft256")[2, 64](np.ascontiguousarray(x), out)
        close(out, np.fft.fft(x), 1e-4)

    def test_fourier_transform_by_steps(self):
        x = self.normal(64, 2).view("F").ravel()
        now, then = x.copy(), blank(x.shape, x.dtype)
        for step in range(6):
            kernel("fft", "stockhamStep")[2, 16](now, then, 64, 1 << step)
            now, then = then, now
        close(now, np.fft.fft(x), 1e-4)

    def test_ring_of_a_cluster(self):
        cells = self.normal(4, 128)
        expected = cells.copy()
        for _ in range(3):
            expected = np.roll(0.5 * (expected + np.roll(expected, -1, 1)), 1, 0)
        kernel("cluster_dsmem", "ringExchange")[4, 128](cells, 3)
        close(cells, expected)

    def test_forces_between_bodies(self):
        bodies, force = self.normal(100, 4), blank((100, 3), "f")
        kernel("nbody", "nbodyForces")[4, 32](bodies, force, 100, shared=512)
        r = bodies[None, :, :3].astype("d") - bodies[:, None, :3]
        close(force, (r * (bodies[:, 3] / ((r**2).sum(2) + 1e-4)**1.5)[..., None]).sum(1), 1e-3)

    def test_shortest_paths(self):
        d = self.whole(1, 1000, 32, 32)
        expected = d.copy()
        for k in range(32):
            expected = np.minimum(expected, expected[:, k:k + 1] + expected[k])
        kernel("floyd_warshall", "diagonalTile")[1, (32, 32)](d, 32, 0)
        assert_array_equal(d, expected)


class Bits(Case):
    def test_crc32(self):
        data, out = self.whole(0, 256, 256, 10, dtype="B"), blank(256, "I")
        kernel("bit_tricks", "crc32")[1, 256](data, 10, out)
        assert_array_equal(out, [zlib.crc32(row) for row in data])

    def test_sha256(self):
        text = b"abc"
        block = np.frombuffer((text + b"\x80").ljust(63, b"\0") + bytes([8 * len(text)]), "I")
        primes = np.array([n for n in range(2, 312) if all(n % k for k in range(2, n))])
        constants = (np.cbrt(primes) % 1 * 2**32).astype("I")
        state = np.tile((np.sqrt(primes[:8]) % 1 * 2**32).astype("I"), (32, 1))
        kernel("bit_tricks", "sha256Rounds")[1, 32](block, constants, state)
        assert_array_equal(state, np.tile(np.frombuffer(hashlib.sha256(text).digest(), ">u4"), (32, 1)))

    def test_substitution(self):
        words = self.whole(0, 2**32, 50, dtype="I")
        box = np.array([0xc, 5, 6, 0xb, 9, 0, 0xa, 0xd, 3, 0xe, 0xf, 8, 4, 7, 1, 2], "I")
        expected = sum(box[words >> k & 15] << np.uint32(k) for k in range(0, 32, 4))
        kernel("constant_tables", "substitute")[2, 32](words, 50)
        assert_array_equal(words, expected)

    def test_sums_of_256_bits(self):
        a, b = self.whole(0, 2**32, 2, 16, 8, dtype="I")
        out = blank(a.shape, a.dtype)
        kernel("wide_integers", "add256")[2, 8](a, b, out)
        self.assertEqual(numbers(out), [(x + y) % 2**256 for x, y in zip(numbers(a), numbers(b))])

    def test_products_of_64_bits(self):
        a, b = self.rng.integers(0, 2**64, (2, 32), "Q")
        out = blank((32, 2), "Q")
        kernel("wide_integers", "multiply64Wide")[1, 32](a, b, out)
        self.assertEqual(numbers(out), (a.astype(object) * b).tolist())

    def test_quotients(self):
        a, b, out = self.rng.integers(-2**63, 2**63, 32), self.whole(2, 99, 32), blank(32, "q")
        b[::2] *= -1
        kernel("wide_integers", "quotients")[1, 32](a, b, out)

        def divide(x, y):  # as C does, towards zero
            return (x - np.fmod(x, y)) // y

        assert_array_equal(out, divide(a, b) + np.fmod(a, 1000003) + (a.view("Q") // np.uint64(10)).view("q")
                           + divide(b, 7) + np.fmod(b, 12))

    def test_modular_powers(self):
        n, radix = 1000003, 2**64
        x, out = self.whole(1, n, 32, dtype=object), blank(32, "Q")
        base = (x * radix % n).astype("Q")  # Montgomery's form
        kernel("wide_integers", "modularPower")[1, 32](base, np.uint64(65537), n, pow(n, -1, radix), radix % n, out)
        assert_array_equal(out, [pow(one, 65537, n) * radix % n for one in x.tolist()])

    def test_shuffles_of_64_bits(self):
        v, whole = self.normal(32, dtype="d"), self.rng.integers(-2**63, 2**63, 32)
        data, given, lane = v.copy(), whole.copy(), np.arange(32)
        kernel("warp_primitives", "shuffles")[1, 32](data, whole)
        v = v + v[3]
        v = v + v[np.where(lane % 8 >= 1, lane - 1, lane)]
        v = v + v[np.where(lane % 16 < 14, lane + 2, lane) % 32]
        assert_array_equal(data, v[lane ^ 4])
        assert_array_equal(whole, given[lane * 7 % 32])

    def test_half_warps(self):
        data = self.whole(-99, 99, 2, 2, 16)
        expected = np.empty_like(data)
        expected[:, 0], expected[:, 1] = data[:, 0].sum(1)[:, None], data[:, 1].max(1)[:, None]
        kernel("warp_primitives", "halfWarps")[1, 64](data)
        assert_array_equal(data, expected)

    def test_bits_of_floats(self):
        x, out = self.normal(64), blank(64, "i")
        kernel("dynamic_shared", "aliased")[1, 64](out, x, shared=256)
        assert_array_equal(out, x.view("i")[np.arange(64) ^ 2] + 1)

    def test_odd_positions(self):
        x, out = self.whole(0, 99, 50), blank(51, "i")
        kernel("dynamic_shared", "staticAndDynamic")[1, 32](x, out, 50, shared=200)
        odd = np.flatnonzero(x & 1)
        self.assertEqual(out[50], len(odd))
        assert_array_equal(np.sort(out[:len(odd)]), odd)  # The threads come in any order.

    def test_hash_table(self):
        table = np.full(128, 2**64 - 1, "Q")
        keys, values = self.rng.permutation(1000).astype("I"), self.whole(0, 2**32, 60, dtype="I")
        out = blank(100, "I")
        kernel("hash_table", "insertPairs")[2, 32](table, 127, keys, values, 60)
        kernel("hash_table", "findValues")[4, 32](table, 127, keys, out, 100)
        assert_array_equal(out[:60], values)
        assert_array_equal(out[60:], 2**32 - 1)

    def test_classes_of_characters(self):
        text, counts = np.frombuffer(b"The 3 quick foxes\n jump over 20 dogs.", "B"), np.zeros(5, "i")
        kernel("switch_dispatch", "countClasses")[1, 32](text, counts, len(text))
        vowels, blanks, digits = (np.isin(text, list(one)).sum() for one in (b"aeiou", b" \n\t", b"0123456789"))
        assert_array_equal(counts, [len(text) - vowels - blanks - digits, vowels, blanks, digits, 0])

    def test_edit_distance(self):
        a, b = np.frombuffer(b"intention", "B"), np.frombuffer(b"execution", "B")
        out = blank(1, "i")
        kernel("needleman_wunsch", "editDistance")[1, 32](a, len(a), b, len(b), out, shared=12 * (len(a) + 1))
        assert_array_equal(out, [5])

    def test_work_of_persistent_blocks(self):
        size, result = self.whole(0, 200, 7), blank(7, "i")
        kernel("early_exit", "persistentWorkers")[3, 64](size, result, 7)
        assert_array_equal(result, (size - 1) * size * (2 * size - 1) // 6)


class Arguments(Case):
    def test_overlapping_views_are_one_memory(self):
        # y = 2 * y + y where x is y.
        data = self.normal(150)
        expected = data.copy()
        expected[50:] *= 3
        kernel("block_stride", "saxpy")[2, 64](100, 2.0, data[50:], data[50:])
        close(data, expected)

    def test_views_that_overlap_in_part(self):
        # What a thread reads no other one writes.
        data = self.whole(-99, 99, 96, dtype="f")
        first, second = data[:64], data[32:]
        expected = np.concatenate([data[:32], data[32:64] + data[:32], data[64:]])
        kernel("block_stride", "saxpy")[1, 32](32, 1, first, second)
        assert_array_equal(data, expected)

    def test_neighbouring_views_are_not_one_memory(self):
        data = np.zeros(128, "f")
        with self.assertRaises(ptxopt.KernelError) as raised:
            kernel("block_stride", "saxpy")[2, 64](65, 1, data[:64], data[64:])
        self.assertEqual(raised.exception.findings[0].kind, "out-of-bounds")

    def test_arrays_that_are_not_contiguous(self):
        matrix = np.ones((8, 8), "f")
        for array in (matrix[:, :4], matrix[::2], matrix[:, :2].T, np.asfortranarray(matrix), matrix[0, ::-1]):
            with self.assertRaisesRegex(ValueError, "ascontiguousarray"):
                kernel("block_stride", "saxpy")[1, 32](4, 1, array, matrix)

    def test_read_only_arrays(self):
        x, y = self.normal(2, 32)
        expected = x + y
        x.flags.writeable = False
        kernel("block_stride", "saxpy")[1, 32](32, 1, x, y)
        assert_array_equal(y, expected)
        before = x.copy()
        with self.assertRaisesRegex(ValueError, "read-only"):
            kernel("block_stride", "saxpy")[1, 32](32, 1, y, x)
        assert_array_equal(x, before)

    def test_a_read_only_view_is_the_memory_of_the_array(self):
        x = np.ones(32, "f")
        view = x.view()
        view.flags.writeable = False
        kernel("block_stride", "saxpy")[1, 32](32, 2, view, x)
        assert_array_equal(x, np.full(32, 3, "f"))

    def test_elements_that_a_kernel_knows_nothing_of(self):
        for kind in (object, ">f4"):
            with self.assertRaisesRegex(TypeError, "knows nothing"):
                kernel("block_stride", "saxpy")[1, 32](4, 1, np.ones(4, "f"), np.ones(4, kind))

    def test_arrays_without_dimensions_and_without_elements(self):
        out = np.zeros((), "f")
        kernel("reduce_shuffle", "reduceWarpAtomic")[1, 32](np.ones(8, "f"), out, 8)
        self.assertEqual(out, 8)
        kernel("block_stride", "saxpy")[1, 32](0, 1, np.empty(0, "f"), np.empty((0, 3), "f"))

    def test_kinds_of_numbers(self):
        saxpy, x, y = kernel("block_stride", "saxpy")[1, 32], np.ones(8, "f"), np.zeros(8, "f")
        for n in (8, np.int32(8), np.int64(8), np.uint8(8), np.uint64(8)):
            for a in (1, 1.0, True, np.float16(1), np.float32(1), np.float64(1), np.int16(1), np.bool_(True)):
                saxpy(n, a, x, y)
        assert_array_equal(y, np.full(8, 40))
        for wrong, error in ((8.0, TypeError), (np.float32(8), TypeError), ("8", TypeError), (8j, TypeError),
                             (2**32, OverflowError), (np.int64(-2**40), OverflowError), (x, TypeError)):
            with self.assertRaises(error, msg=repr(wrong)):
                saxpy(wrong, 1, x, y)
        for wrong in ("1", 1j, np.complex64(1), x):
            with self.assertRaises(TypeError, msg=repr(wrong)):
                saxpy(8, wrong, x, y)
        with self.assertRaises(TypeError):
            saxpy(8, 1, x)
        assert_array_equal(y, np.full(8, 40))

    def test_a_race_is_reported(self):
        bfs = kernel("bfs", "bfsLevel")[2, 32]

        def arguments():
            start, edge, level = np.arange(65, dtype="i") * 2, np.arange(128, dtype="i") % 4, np.full(64, -1, "i")
            level[8:] = 0
            return start, edge, level, 0, np.zeros(1, "i"), 64

        with self.assertRaises(ptxopt.KernelError) as raised:
            bfs(*arguments())
        self.assertIn("data-race", {one.kind for one in raised.exception.findings})
        given = arguments()
        run = bfs(*given, check="return")
        self.assertEqual({one.kind for one in run.findings}, {"data-race"})
        self.assertTrue(run.completed)
        assert_array_equal(given[2][:8], [1, 1, 1, 1, -1, -1, -1, -1])
        self.assertEqual(list(bfs(*arguments(), races=False).findings), [])

    def test_an_access_out_of_bounds_changes_nothing(self):
        x, y = self.normal(2, 100)
        before = y.copy()
        for check in ("raise", "return"):
            with self.subTest(check):
                try:
                    run = kernel("block_stride", "saxpy")[4, 32](101, 2.0, x, y, check=check)
                except ptxopt.KernelError as error:
                    run = error.run
                self.assertFalse(run.completed)
                self.assertEqual(run.findings[0].kind, "out-of-bounds")
                assert_array_equal(y, before)

    def test_eight_threads_share_a_module(self):
        inputs = [self.whole(-99, 99, 2, 512) for _ in range(64)]

        def scan(x):
            out, sums = blank(x.shape, x.dtype), blank(2, "i")
            kernel("scan_block", "scanBlelloch")[2, 256](x, out, sums)
            return out, sums

        with concurrent.futures.ThreadPoolExecutor(8) as pool:
            for x, (out, sums) in zip(inputs, pool.map(scan, inputs)):
                assert_array_equal(out, x.cumsum(1) - x)
                assert_array_equal(sums, x.sum(1))


def black_scholes_call(spot, strike, years, rate, volatility):
    root = volatility * np.sqrt(years)
    d = (np.log(spot / strike) + (rate + 0.5 * volatility**2) * years) / root

    def normal(x):
        return 0.5 * (1 + erf(x / math.sqrt(2)))

    return spot * normal(d) - strike * np.exp(-rate * years) * normal(d - root)


def numbers(rows):
    """The bytes of each row as one number."""
    return [int.from_bytes(row.tobytes(), "little") for row in rows]


if __name__ == "__main__":
    unittest.main()
