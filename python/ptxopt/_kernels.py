# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Kernels that run on the CPU, in place on arrays."""
import ctypes
import dataclasses
import json
import math
import numbers
import re
import struct
from typing import Any, List, Mapping, NamedTuple, Optional, Sequence, Tuple, Union

from ._library import library as _library
from ._results import Made as _Made
from ._results import as_bytes as _as_bytes

Extent = Union[int, Sequence[int]]  # 64 or (8, 8, 1)

_FLOATS = {".f16": "<e", ".f32": "<f", ".f64": "<d"}


class Place(NamedTuple):
    """An instruction, and where it comes from."""
    line: int    # of the PTX, from 1
    column: int  # from 1, in bytes
    source: str  # "kernel.cu:14", or ""

    def __str__(self) -> str:
        return self.source or f"line {self.line}"


class Finding(NamedTuple):
    """Something wrong with a kernel, or why a run ended."""
    kind: str                # "data-race", "out-of-bounds", ...: docs/ptxrun.md
    message: str
    place: Optional[Place]
    other_message: str       # about the other access of a race
    other: Optional[Place]
    threads: int             # that take part; 0: not counted

    def __str__(self) -> str:
        text = f"{self.place}: " if self.place else ""
        text += f"{self.message} [{self.kind}]"
        if self.other_message:
            text += f"\n  {self.other}: {self.other_message}" if self.other else f"\n  {self.other_message}"
        return text


@dataclasses.dataclass(frozen=True)
class Run:
    """What came of a launch."""
    findings: Sequence[Finding]
    completed: bool  # False: the arrays are as they were
    printed: str     # by printf
    steps: int       # instructions of threads, over all schedules
    data: Mapping[str, Any] = dataclasses.field(repr=False)  # all of it, as `ptxrun --json` prints it


class KernelError(RuntimeError):
    """A launch found something; `run` has all of it."""

    def __init__(self, run: Run):
        self.run = run
        self.findings = run.findings
        super().__init__("\n".join(str(finding) for finding in run.findings))

    def __reduce__(self):
        return KernelError, (self.run,)


@dataclasses.dataclass(frozen=True)
class Parameter:
    """Of a kernel."""
    name: str
    type: str   # ".u64", ".f32", ".b8[24]"
    bytes: int


class Kernel:
    """A kernel of a Module: `kernel[grid, block](arguments)` runs it.

    A grid and a block are a number or up to three, `kernel[(4, 2), (16, 16)]`; `kernel[4, 2]` is a grid of 4 CTAs of
    2 threads.  Without a block, `kernel[4]`, it has the size that the kernel requires, or allows, or 32 threads.
    """

    def __init__(self, module: "Module", data: Mapping[str, Any]):
        self._module = module
        self.data = data  # as `ptxrun --list --json` prints it
        self.name: str = data["name"]
        self.parameters = tuple(Parameter(one["name"], one["type"], one["bytes"]) for one in data["parameters"])

    def __reduce__(self):
        return _kernel, (self._module, self.name)

    def __repr__(self) -> str:
        return f"<kernel {self.data['demangled']}>"

    def __getitem__(self, key: Union[Extent, Tuple[Extent, Extent]]) -> "Launcher":
        if isinstance(key, tuple) and len(key) == 2:
            return Launcher(self, extent(key[0], "grid"), extent(key[1], "block"))
        return Launcher(self, extent(key, "grid"), None)


def _kernel(module: "Module", symbol: str) -> Kernel:
    return module.kernels[symbol]


class Launcher:
    """A kernel with a grid and a block."""

    def __init__(self, kernel: Kernel, grid: Sequence[int], block: Optional[Sequence[int]]):
        self.kernel = kernel
        self.grid = grid
        self.block = block

    def __call__(self, *arguments: Any, shared: int = 0, cluster: Optional[Extent] = None, check: str = "raise",
                 races: bool = True, schedules: int = 1, step_limit: int = 100_000_000) -> Run:
        """Runs the kernel.

        arguments   for each parameter an array, whose memory the kernel reads and writes in place; a number; or
                    bytes, for a structure.  An array is one of NumPy, or anything else with a buffer, such as a
                    bytearray; it must be contiguous.  None is a null pointer.  If the kernel changes an array that
                    is read-only, that is a ValueError; others have their results by then.
        shared      bytes of dynamic shared memory
        cluster     CTAs of a cluster
        check       "raise": KernelError if something is found; "return": it is only in the result
        races       whether to look for races and for reads of memory that nothing has written; without, a run is
                    faster
        schedules   how many schedules of the threads to try; the arrays get what the first one leaves
        step_limit  instructions of threads after which a run stops

        Where a run does not come to its end, the arrays stay as they were.  Variables of the module start with
        their initial values each time.  Raises Error if the arguments do not fit.
        """
        if check not in ("raise", "return"):
            raise ValueError("check must be 'raise' or 'return'")
        if schedules == 0:
            raise ValueError("schedules must be at least 1")
        kernel = self.kernel
        if len(arguments) != len(kernel.parameters):
            expected = ", ".join(f"{one.type} {one.name}" for one in kernel.parameters)
            raise TypeError(f"{kernel.name} takes {len(kernel.parameters)} arguments ({expected}), "
                            f"not {len(arguments)}")
        self._check_block()
        memory = _Memory()
        values = [memory.take(argument, parameter) for argument, parameter in zip(arguments, kernel.parameters)]
        buffers = memory.buffers()
        with _Launch(kernel) as launch:
            _library.launch_set_grid(launch.raw, *self.grid)
            if self.block is not None:
                _library.launch_set_block(launch.raw, *self.block)
            if cluster is not None:
                _library.launch_set_cluster(launch.raw, *extent(cluster, "cluster"))
            _library.launch_set_shared(launch.raw, _unsigned(shared, 64, "shared"))
            _library.launch_set_schedules(launch.raw, _unsigned(schedules, 32, "schedules"))
            _library.launch_set_step_limit(launch.raw, _unsigned(step_limit, 64, "step_limit"))
            _library.launch_set_races(launch.raw, bool(races))
            for one in buffers:
                _library.launch_add_buffer(launch.raw, one.start, one.end - one.start)
            for value in values:
                if isinstance(value, bytes):
                    _library.launch_add_value(launch.raw, value, len(value))
                else:
                    number = next(k for k, one in enumerate(buffers) if one.start <= value.start < one.end)
                    _library.launch_add_pointer(launch.raw, number, value.start - buffers[number].start)
            with _Made(_library.launch_run(launch.raw), kernel.data["name"]) as made:
                data = json.loads(made.text)
        memory.check_read_only()
        run = _run(data)
        if run.findings and check == "raise":
            raise KernelError(run)
        return run

    def _check_block(self) -> None:
        """A GPU refuses a block that the kernel does not allow."""
        bounds = self.kernel.data["bounds"]
        if self.block is None:
            return
        required = bounds.get(".reqntid")
        if required and list(self.block) != list(required) + [1] * (3 - len(required)):
            raise ValueError(f"{self.kernel.name} requires a block of {required}, not {list(self.block)}")
        most = bounds.get(".maxntid")
        if most and math.prod(self.block) > math.prod(most):
            raise ValueError(f"{self.kernel.name} allows {math.prod(most)} threads in a block, not "
                             f"{math.prod(self.block)}")


class Module:
    """The kernels of a text: module["name"], where the name is the symbol or the name in the source."""

    def __init__(self, text: bytes, name: str):
        self._made_from = (text, name)
        self._raw = _library.module_new(_as_bytes(name, "name"), text, len(text))
        if not self._raw:
            raise MemoryError
        with _Made(_library.module_kernels(self._raw), name) as made:
            kernels = json.loads(made.text)["kernels"]
        self.kernels: Mapping[str, Kernel] = {one["name"]: Kernel(self, one) for one in kernels}

    def __reduce__(self):
        return Module, self._made_from

    def __getitem__(self, name: str) -> Kernel:
        called = self._called(name)
        if len(called) == 1:
            return called[0]
        names = ", ".join(one.data["demangled"] for one in called or self.kernels.values())
        raise KeyError(f"{'several kernels' if called else 'no kernel'} called {name!r}: there are {names or 'none'}")

    def __contains__(self, name: str) -> bool:
        return len(self._called(name)) == 1

    def _called(self, name: str) -> Sequence[Kernel]:
        if name in self.kernels:
            return [self.kernels[name]]
        return [one for one in self.kernels.values() if name in _names(one.data["demangled"])]

    def __iter__(self):
        return iter(self.kernels.values())

    def __len__(self) -> int:
        return len(self.kernels)

    def __repr__(self) -> str:
        return f"<module of {', '.join(self.kernels) or 'no kernels'}>"

    def __del__(self):
        if getattr(self, "_raw", None):
            _library.module_free(self._raw)


# ---- arguments -----------------------------------------------------------------------------------

class _Range(NamedTuple):
    start: int
    end: int


class _Array:
    """The memory of an array; `start` is where the kernel's is."""

    def __init__(self, content: Any, start: int, size: int, is_read_only: bool, name: str):
        self.content = content  # stays alive as long as this
        self.start = start
        self.size = size
        self.is_read_only = is_read_only
        self.name = name
        self.before: Optional[bytes] = None  # of a copy: what it was

    @property
    def range(self) -> _Range:
        return _Range(self.start, self.start + self.size)

    def copy(self) -> None:
        self.before = memoryview(self.content).tobytes()
        self.content = ctypes.create_string_buffer(self.before, self.size)
        self.start = ctypes.addressof(self.content)


class _Memory:
    """The memory of the arrays of a launch.  What overlaps is one buffer, so that the kernel sees it once."""

    def __init__(self):
        self._arrays = []

    def take(self, argument: Any, parameter: Parameter) -> Union[_Array, bytes]:
        """Memory, or the bytes of a value."""
        if argument is None and parameter.bytes == ctypes.sizeof(ctypes.c_uint64) and parameter.type not in _FLOATS:
            return bytes(parameter.bytes)
        if isinstance(argument, bytes) and "[" in parameter.type:
            if len(argument) != parameter.bytes:
                raise TypeError(f"{parameter.name} has {parameter.bytes} bytes, not {len(argument)}")
            return argument
        if isinstance(argument, (bool, numbers.Number)) or _is_numpy_scalar(argument):
            return _value(argument.item() if hasattr(argument, "item") else argument, parameter)
        array = _array(argument, parameter)
        if array.size == 0:
            return bytes(parameter.bytes)
        self._arrays.append(array)
        return array

    def buffers(self) -> Sequence[_Range]:
        writable = [one.range for one in self._arrays if not one.is_read_only]
        for one in self._arrays:
            # A view of what another argument may change is that memory.
            if one.is_read_only and not any(_overlap(one.range, other) for other in writable):
                one.copy()
        merged: List[_Range] = []
        for one in sorted(array.range for array in self._arrays):
            if merged and _overlap(one, merged[-1]):
                merged[-1] = _Range(merged[-1].start, max(merged[-1].end, one.end))
            else:
                merged.append(one)
        return merged

    def check_read_only(self) -> None:
        for one in self._arrays:
            if one.before is not None and one.content.raw != one.before:
                raise ValueError(f"the kernel writes to the array for {one.name}, which is read-only")


def _overlap(one: _Range, other: _Range) -> bool:
    return one.start < other.end and other.start < one.end


def _array(argument: Any, parameter: Parameter) -> _Array:
    if parameter.bytes != ctypes.sizeof(ctypes.c_uint64):
        raise TypeError(f"{parameter.name} is a {parameter.type}, not a pointer: it takes "
                        f"{'bytes' if '[' in parameter.type else 'a number'}, not a {type(argument).__name__}")
    kind = getattr(argument, "dtype", None)
    if kind is not None and hasattr(argument, "__array_interface__"):
        if kind.hasobject or not kind.isnative:
            raise TypeError(f"the array for {parameter.name} is of {kind}, of which a kernel knows nothing")
        if not argument.flags.c_contiguous:
            raise ValueError(f"the array for {parameter.name} is not contiguous: numpy.ascontiguousarray() copies")
        start, is_read_only = argument.__array_interface__["data"]
        return _Array(argument, start, argument.nbytes, is_read_only, parameter.name)
    try:
        content = memoryview(argument)
    except TypeError:
        raise TypeError(f"{parameter.name} takes an array or a number, not a {type(argument).__name__}") from None
    if not content.c_contiguous:
        raise ValueError(f"the buffer for {parameter.name} is not contiguous")
    start = 0
    if content.nbytes and not content.readonly:
        start = ctypes.addressof(ctypes.c_char.from_buffer(content.cast("B")))
    return _Array(content, start, content.nbytes, content.readonly, parameter.name)


def _is_numpy_scalar(argument: Any) -> bool:
    return hasattr(argument, "__array_interface__") and not hasattr(argument, "__setitem__")


def _value(number: Any, parameter: Parameter) -> bytes:
    """The bytes of a number of the type of a parameter."""
    what = f"{parameter.name} is a {parameter.type}"
    if not parameter.bytes:
        raise TypeError(f"{parameter.name} is of a type that ptxopt does not know")
    if "[" in parameter.type:
        raise TypeError(f"{what}, which takes bytes")
    if parameter.type in _FLOATS:
        if not isinstance(number, numbers.Real):
            raise TypeError(f"{what}, not a {type(number).__name__}")
        try:
            return struct.pack(_FLOATS[parameter.type], float(number))
        except OverflowError:
            return struct.pack(_FLOATS[parameter.type], math.inf if number > 0 else -math.inf)
    if not isinstance(number, numbers.Integral):
        raise TypeError(f"{what}, not a {type(number).__name__}")
    bits = parameter.bytes * 8
    # Compilers write .u32 for signed numbers, too.
    if not -(1 << (bits - 1)) <= number < 1 << bits:
        raise OverflowError(f"{what}: {number} does not fit")
    return (int(number) & ((1 << bits) - 1)).to_bytes(parameter.bytes, "little")


def extent(given: Extent, what: str) -> Sequence[int]:
    sizes = list(given) if isinstance(given, (list, tuple)) else [given]
    if not 1 <= len(sizes) <= 3:
        raise ValueError(f"a {what} has one to three numbers")
    sizes = [_unsigned(one, 32, f"a {what}") for one in sizes + [1] * (3 - len(sizes))]
    if 0 in sizes:
        raise ValueError(f"a {what} must not be 0")
    return sizes


def _unsigned(number: Any, bits: int, what: str) -> int:
    if not isinstance(number, numbers.Integral):
        raise TypeError(f"{what} must be an integer, not a {type(number).__name__}")
    if not 0 <= number < 1 << bits:
        raise ValueError(f"{what} must be from 0 to 2**{bits} - 1")
    return int(number)


# ---- results -------------------------------------------------------------------------------------

class _Launch:
    """Owns a ptxopt_launch."""

    def __init__(self, kernel: Kernel):
        self.raw = _library.launch_new(kernel._module._raw, _as_bytes(kernel.name, "kernel"))
        if not self.raw:
            raise MemoryError

    def __enter__(self) -> "_Launch":
        return self

    def __exit__(self, *_) -> None:
        _library.launch_free(self.raw)


def _place(data: Optional[Mapping[str, Any]]) -> Optional[Place]:
    if data is None:
        return None
    source = data.get("source")
    return Place(data["line"], data["column"], f"{source['file']}:{source['line']}" if source else "")


def _run(data: Mapping[str, Any]) -> Run:
    findings = [Finding(one["kind"], one["message"], _place(one["place"]), one["otherMessage"], _place(one["other"]),
                        one.get("threads", 0)) for one in data["findings"]]
    outcomes = data["outcomes"]
    return Run(findings=findings, completed=bool(outcomes), printed=outcomes[0]["printed"] if outcomes else "",
               steps=data["steps"], data=data)


def _names(demangled: str) -> Sequence[str]:
    """What else a kernel may be called: "void ns::reduce<4>(int*)" is ns::reduce and reduce."""
    plain = re.sub(r"\[abi:[^]]*\]", "", demangled.replace("(anonymous namespace)::", "").replace("decltype(auto) ", ""))
    qualified = plain.split("(")[0].split("<")[0].split(" ")[-1]
    return demangled, plain, qualified, qualified.split("::")[-1]
