# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The shared library, and its functions as <ptxopt/ptxopt.h> declares them."""
import ctypes
import os
import pathlib
import platform

_STRING = ctypes.c_char_p
_OPTIONS = ctypes.c_void_p
_RESULT = ctypes.c_void_p
_MODULE = ctypes.c_void_p
_LAUNCH = ctypes.c_void_p


class Counts(ctypes.Structure):
    _fields_ = [("instructions", ctypes.c_uint64), ("barriers", ctypes.c_uint64)]


class Diagnostic(ctypes.Structure):
    _fields_ = [("severity", ctypes.c_int), ("line", ctypes.c_uint32), ("column", ctypes.c_uint32),
                ("message", _STRING)]


class Statistic(ctypes.Structure):
    _fields_ = [("pass_name", _STRING), ("counter", _STRING), ("value", ctypes.c_uint64)]


# Name, result, arguments.
_FUNCTIONS = [
    ("version", _STRING, []),
    ("options_new", _OPTIONS, []),
    ("options_free", None, [_OPTIONS]),
    ("options_set_level", None, [_OPTIONS, ctypes.c_int]),
    ("options_set_passes", None, [_OPTIONS, _STRING]),
    ("options_disable_pass", None, [_OPTIONS, _STRING]),
    ("options_set_change_limit", None, [_OPTIONS, ctypes.c_uint64]),
    ("options_set_threads", None, [_OPTIONS, ctypes.c_uint]),
    ("options_set_assumptions", None, [_OPTIONS, _STRING]),
    ("options_set_launches", None, [_OPTIONS, _STRING]),
    ("options_set_enforce", None, [_OPTIONS, ctypes.c_int]),
    ("options_set_dispatch", None, [_OPTIONS, ctypes.c_int]),
    ("options_keep_kernel", None, [_OPTIONS, _STRING]),
    ("options_set_retarget", None, [_OPTIONS, _STRING]),
    ("options_set_retarget_lenient", None, [_OPTIONS, ctypes.c_int]),
    ("options_set_remarks", None, [_OPTIONS, ctypes.c_int]),
    ("optimize", _RESULT, [_STRING, ctypes.c_char_p, ctypes.c_size_t, _OPTIONS]),
    ("explain", _RESULT, [_STRING, ctypes.c_char_p, ctypes.c_size_t, _OPTIONS]),
    ("needs", _RESULT, [_STRING, ctypes.c_char_p, ctypes.c_size_t, ctypes.c_int]),
    ("module_new", _MODULE, [_STRING, ctypes.c_char_p, ctypes.c_size_t]),
    ("module_free", None, [_MODULE]),
    ("module_kernels", _RESULT, [_MODULE]),
    ("launch_new", _LAUNCH, [_MODULE, _STRING]),
    ("launch_free", None, [_LAUNCH]),
    ("launch_set_grid", None, [_LAUNCH, ctypes.c_uint32, ctypes.c_uint32, ctypes.c_uint32]),
    ("launch_set_block", None, [_LAUNCH, ctypes.c_uint32, ctypes.c_uint32, ctypes.c_uint32]),
    ("launch_set_cluster", None, [_LAUNCH, ctypes.c_uint32, ctypes.c_uint32, ctypes.c_uint32]),
    ("launch_set_shared", None, [_LAUNCH, ctypes.c_uint64]),
    ("launch_add_buffer", ctypes.c_size_t, [_LAUNCH, ctypes.c_void_p, ctypes.c_size_t]),
    ("launch_add_pointer", None, [_LAUNCH, ctypes.c_size_t, ctypes.c_uint64]),
    ("launch_add_value", None, [_LAUNCH, ctypes.c_char_p, ctypes.c_size_t]),
    ("launch_set_schedules", None, [_LAUNCH, ctypes.c_uint32]),
    ("launch_set_races", None, [_LAUNCH, ctypes.c_int]),
    ("launch_set_step_limit", None, [_LAUNCH, ctypes.c_uint64]),
    ("launch_run", _RESULT, [_LAUNCH]),
    ("result_free", None, [_RESULT]),
    ("result_ok", ctypes.c_int, [_RESULT]),
    ("result_changed", ctypes.c_int, [_RESULT]),
    ("result_text", ctypes.c_void_p, [_RESULT, ctypes.POINTER(ctypes.c_size_t)]),
    ("result_diagnostic_count", ctypes.c_size_t, [_RESULT]),
    ("result_diagnostic", Diagnostic, [_RESULT, ctypes.c_size_t]),
    ("result_before", Counts, [_RESULT]),
    ("result_after", Counts, [_RESULT]),
    ("result_statistic_count", ctypes.c_size_t, [_RESULT]),
    ("result_statistic", Statistic, [_RESULT, ctypes.c_size_t]),
    ("result_remarks", _STRING, [_RESULT]),
]


def _path() -> pathlib.Path:
    """PTXOPT_LIBRARY names another build of the library than that of the package."""
    named = os.environ.get("PTXOPT_LIBRARY")
    return pathlib.Path(named) if named else pathlib.Path(__file__).with_name("libptxopt.so")


# Of the ELF header: e_machine.
_MACHINES = {62: "x86_64", 183: "aarch64"}


def _other_machine(path: pathlib.Path) -> str:
    """For an error: the machine that the library is for, if that is another one than this."""
    try:
        header = path.read_bytes()[:20]
    except OSError:
        return ""
    machine = _MACHINES.get(int.from_bytes(header[18:20], "little")) if header.startswith(b"\x7fELF") else None
    if machine is None or machine == platform.machine():
        return ""
    return f"it is for {machine}, and this Python for {platform.machine()}: install a wheel for that; "


class Library:
    """`optimize` is ptxopt_optimize, and so on.  Calls release the GIL."""

    def __init__(self, path: pathlib.Path):
        try:
            loaded = ctypes.CDLL(os.fspath(path))
        except OSError as error:
            raise ImportError(f"ptxopt: cannot load {path}: {error}; {_other_machine(path)}"
                              "PTXOPT_LIBRARY can name another library") from error
        for name, result, arguments in _FUNCTIONS:
            try:
                function = getattr(loaded, f"ptxopt_{name}")
            except AttributeError:
                raise ImportError(f"ptxopt: {path} has no ptxopt_{name}: it is older than this package") from None
            function.restype = result
            function.argtypes = arguments
            setattr(self, name, function)


library = Library(_path())
