# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Decompression, with libraries that are imported only when they are needed."""
import importlib
import io

from .found import Damaged

MOST_BYTES = 1 << 30  # of one entry, decompressed: an entry of a few bytes can claim any number
_LZ4_RATIO = 255  # a byte of LZ4 stands for at most so many


def _module(name, package):
    try:
        return importlib.import_module(name)
    except ImportError:
        raise Damaged(f"a compressed entry needs the Python module {name}: install {package}") from None


def _check_size(size):
    if size > MOST_BYTES:
        raise Damaged(f"an entry claims {size} bytes, decompressed; at most {MOST_BYTES} are read")


def lz4(packed: bytes, size: int) -> bytes:
    _check_size(size)
    if size > len(packed) * _LZ4_RATIO:  # before that much memory is asked for
        raise Damaged(f"{len(packed)} bytes of LZ4 cannot be {size} bytes")
    block = _module("lz4.block", "python3-lz4 of Debian, or lz4 of PyPI")
    try:
        text = block.decompress(packed, uncompressed_size=size)
    except (block.LZ4BlockError, ValueError) as error:
        raise Damaged(f"bad LZ4 data: {error}") from None
    return _whole(text, size)


def zstd(packed: bytes, size: int) -> bytes:
    _check_size(size)
    library = _module("zstandard", "python3-zstandard of Debian, or zstandard of PyPI")
    window = max(1 << 20, 1 << (size - 1).bit_length())  # a frame can ask for a larger one than it needs
    try:
        with library.ZstdDecompressor(max_window_size=window).stream_reader(io.BytesIO(packed)) as reader:
            text = _read(reader, size + 1)
    except library.ZstdError as error:
        raise Damaged(f"bad zstd data: {error}") from None
    return _whole(text, size)


def _read(reader, most):
    pieces = []
    while most > 0:
        piece = reader.read(min(most, 1 << 20))
        if not piece:
            break
        pieces.append(piece)
        most -= len(piece)
    return b"".join(pieces)


def _whole(text, size):
    if len(text) != size:
        raise Damaged(f"an entry has {'more' if len(text) > size else 'fewer'} than the {size} bytes that it claims")
    return text
