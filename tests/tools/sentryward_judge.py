# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What sentryward says of a kernel at a fixed launch.

sentryward (on PyPI, optional) proves statically that a PTX kernel is well synchronized and free of
races in every schedule of one launch.  This module makes its input.json from a launch description
(`// LAUNCH: {...}`, docs/ptxrun.md), runs it, and reduces its answer to a Verdict.

    for launch in launches(text):
        verdict = judge(command, path, launch, seconds=20)

The input says which parameters point to buffers (each an object of its own) and what the scalars
and structures are.  It does not say what the buffers hold: sentryward takes their content as
unknown, and so rejects a kernel whose control depends on it.
"""
import collections
import dataclasses
import json
import os
import re
import shutil
import struct
import subprocess
import tempfile

# A verdict on a launch.  `kind` is one of:
#   clean    every schedule is well synchronized and without a race
#   race     two accesses of which one writes may not be ordered
#   barrier  barriers do not pair up in every schedule, or an mbarrier is misused
#   none     no verdict: `reason` says why
Verdict = collections.namedtuple("Verdict", "kind reason detail")

KINDS = {"race_free": "clean", "verified": "clean", "potential_race": "race",
         "not_wellsynced": "barrier", "invalid_lifecycle": "barrier"}


def find_command():
    """The program, of PTXOPT_SENTRYWARD or on PATH; None where it is not installed."""
    return os.environ.get("PTXOPT_SENTRYWARD") or shutil.which("sentryward")


# ---- launch descriptions -------------------------------------------------------------------------

LAUNCH = re.compile(r"^// LAUNCH:(.*)$", re.MULTILINE)


def launches(text):
    """The launch descriptions of a PTX file, as dictionaries in order."""
    return [json.loads(match) for match in LAUNCH.findall(text)]


@dataclasses.dataclass
class Parameter:
    type: str  # without the dot
    size: int  # in bytes
    is_array: bool
    is_pointer: bool  # declared with .ptr


@dataclasses.dataclass
class Entry:
    name: str
    parameters: list
    attributes: dict  # ".reqntid" -> [256, 1, 1]


COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)
ENTRY = re.compile(r"\.entry\s+([\w$%]+)\s*(?:\((.*?)\))?([^{;]*)[{;]", re.DOTALL)
PARAMETER = re.compile(r"\.(pred|[busf]\d+|bf16|[bf]16x2)\b.*?([\w$%]+)\s*((?:\[\s*\d*\s*\]\s*)*)$",
                       re.DOTALL)
ATTRIBUTE = re.compile(r"(\.\w+)\s+((?:\d+\s*,\s*)*\d+)")


def type_bytes(name):
    if name == "pred":
        return 1
    bits = re.search(r"(\d+)(x2)?$", name)
    return int(bits[1]) // 8 * (2 if bits[2] else 1)


def entries(text):
    """The kernels of a PTX text, by name."""
    found = {}
    for name, parameters, attributes in ENTRY.findall(COMMENT.sub(" ", text)):
        entry = Entry(name, [], {})
        for declaration in parameters.split(","):
            match = PARAMETER.search(declaration.strip())
            if match is None:
                continue
            size = type_bytes(match[1])
            for extent in re.findall(r"\d+", match[3]):
                size *= int(extent)
            entry.parameters.append(Parameter(match[1], size, bool(match[3].strip()),
                                              bool(re.search(r"\.ptr\b", declaration))))
        for key, values in ATTRIBUTE.findall(attributes):
            entry.attributes[key] = [int(v) for v in re.findall(r"\d+", values)]
        found[name] = entry
    return found


def entry_of(text, launch):
    known = entries(text)
    name = launch.get("kernel") or next(iter(known))
    return known[name]


def dimensions(value):
    values = [value] if isinstance(value, int) else list(value)
    return (values + [1, 1, 1])[:3]


# ---- arguments -----------------------------------------------------------------------------------

FLOATS = {"f16": "<e", "f32": "<f", "f64": "<d"}


def scalar_bytes(kind, text):
    if kind in FLOATS:
        return struct.pack(FLOATS[kind], float(text))
    if kind == "bf16":  # what launches use is exact
        return struct.pack("<f", float(text))[2:]
    size = type_bytes(kind)
    return (int(text, 0) & ((1 << (8 * size)) - 1)).to_bytes(size, "little")


def value_of(text):
    """(bytes, {offset: name of what the eight bytes there point to}) of an argument by value."""
    kind, _, rest = text.partition(":")
    if kind == "zero":
        return bytes(int(rest)), {}
    if kind != "values":
        return scalar_bytes(kind, rest), {}
    kind, _, rest = rest.partition(":")
    content, pointers = b"", {}
    for element in rest.split(","):
        element, _, count = element.partition("*")
        if element.startswith("&"):
            pointers[len(content)] = element[1:].partition("+")[0]
            content += bytes(8)
        else:
            content += scalar_bytes(kind, element) * int(count or 1)
    return content, pointers


def bind_scalar(index, parameter, content):
    if parameter.is_pointer and not any(content):
        return {"parameter": index, "type": "pointer", "value": None}
    if parameter.type in FLOATS:
        value = struct.unpack(FLOATS[parameter.type], content)[0]
        return {"parameter": index, "type": parameter.type, "value": value}
    signed = parameter.type.startswith("s")
    # bf16 and packed types have no name there; their bits do.
    kind = parameter.type if parameter.type[0] in "us" else f"b{8 * parameter.size}"
    value = int.from_bytes(content, "little", signed=signed)
    return {"parameter": index, "type": kind, "value": value}


def bind_structure(index, content, pointers):
    """A structure as words, as wide as alignment and the pointers in it allow."""
    fields, at = [], 0
    while at < len(content):
        if at in pointers:
            at += 8
            continue
        limit = min([p for p in pointers if p > at] + [len(content)])
        width = next(w for w in (4, 2, 1) if at % w == 0 and at + w <= limit)
        fields.append({"parameter": index, "offset": at, "type": f"u{8 * width}",
                       "value": int.from_bytes(content[at : at + width], "little")})
        at += width
    return fields


def make_input(text, launch):
    """The content of input.json for one launch of a PTX text."""
    entry = entry_of(text, launch)
    default = entry.attributes.get(".reqntid") or entry.attributes.get(".maxntid") or 32
    shape = {"grid_dim": dimensions(launch.get("grid", 1)),
             "block_dim": dimensions(launch.get("block", default)),
             "dynamic_shared_bytes": launch.get("shared", 0)}
    cluster = launch.get("cluster") or entry.attributes.get(".reqnctapercluster")
    if cluster:
        shape["cluster_dim"] = dimensions(cluster)
    declarations, arguments = [], []

    def point(index, offset, target):
        declarations.append({"parameter": index, "offset": offset, "type": "pointer",
                             "space": "global", "object": target})

    for index, argument in enumerate(launch.get("args", [])):
        if argument.startswith("buffer:"):
            point(index, 0, f"arg{index}")
            continue
        content, pointers = value_of(argument)
        for offset, target in pointers.items():
            point(index, offset, target)
        parameter = entry.parameters[index]
        if parameter.is_array:
            arguments += bind_structure(index, content, pointers)
        elif not pointers:
            arguments.append(bind_scalar(index, parameter, content))
    return {"schema": "spverify.kernel-input/v1", "entry": entry.name, "launch": shape,
            "declarations": declarations, "arguments": arguments}


# ---- the verdict ---------------------------------------------------------------------------------


def verdict_of(report):
    """A Verdict from the program's output, a dictionary."""
    diagnostics = report.get("diagnostics") or [{}]
    code = diagnostics[0].get("code", "")
    message = diagnostics[0].get("message", "")
    kind = KINDS.get(report.get("result"))
    if kind is not None:
        return Verdict(kind, code, message)
    return Verdict("none", f"{report.get('result')}: {code}" if code else report.get("result"),
                   message)


def judge(command, path, launch, seconds=20, memory_mib=2048):
    """Runs the program on one launch of a PTX file.  Never raises for what the program does."""
    with open(path, errors="replace") as file:
        text = file.read()
    # Not translated, nor buffers that only they name.
    described = [*launch.get("args", []), *launch.get("set", {}).values()]
    if any(str(argument).startswith(("tensormap:", "&")) for argument in described):
        return Verdict("none", "no_tensor_maps", "")
    if any(str(argument).startswith("multicast:") for argument in described):
        return Verdict("none", "no_multimem", "")
    if any(isinstance(argument, dict) or argument.startswith(("texture:", "surface:", "sampler:"))
           for argument in described):
        return Verdict("none", "no_textures", "")
    if any(argument.startswith("struct:") for argument in described):
        return Verdict("none", "no_structures", "")
    if len(launch.get("args", [])) != len(entry_of(text, launch).parameters):
        return Verdict("none", "no_parameters_in_body", "")  # as until PTX 1.3
    with tempfile.TemporaryDirectory() as folder:
        config = os.path.join(folder, "input.json")
        with open(config, "w") as file:
            json.dump(make_input(text, launch), file)
        arguments = [command, path, "--input", config, "--timeout", str(seconds),
                     "--memory-limit-mib", str(memory_mib)]
        try:
            run = subprocess.run(arguments, capture_output=True, text=True, errors="replace",
                                 timeout=seconds + 30)
            return verdict_of(json.loads(run.stdout))
        except subprocess.TimeoutExpired:
            return Verdict("none", "timeout", "")
        except ValueError:
            return Verdict("none", "tool_failure", run.stderr[-200:])
