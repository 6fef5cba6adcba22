#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Facts of the launches by which the files of the corpus describe their kernels: launch_facts.py FOLDER

Writes a folder for `ptxopt-corpus run --launches` for each kind of fact, and for several of them:

    block, grid, cluster, shared, distinct
               as in a file of --launch
    scalars    the numbers that are passed, also in structures
    ranges     what is rather known of integers: not below 0 or 1, at most the next power of two, and the power of two
               up to 32 that divides them; of pointers that 16 does
    sizes      how large the buffers are
    all        all of these but ranges and sizes
    enforced   the same without distinct, for --enforce

and prints of how many kernels each is known.
"""
import json
import os
import pathlib
import re
import sys

PTX = pathlib.Path(__file__).resolve().parents[2] / "corpus" / "ptx"
LAUNCH = re.compile(r"^// LAUNCH: (\{.*\})", re.MULTILINE)
ALL = ["block", "grid", "cluster", "shared", "scalars", "distinct"]
ENFORCED = "enforced"
SETS = {**{fact: [fact] for fact in ALL}, "ranges": ["ranges"], "sizes": ["sizes"], "all": ALL, ENFORCED: ALL[:-1]}


# ---- facts of a file -----------------------------------------------------------------------------


def number(text):
    """(type, number) of "s32:5"; None for an address or a buffer."""
    kind, _, value = text.partition(":")
    try:
        return (kind, float(value)) if kind in ("f32", "f64") else \
            (kind, int(value, 0)) if re.fullmatch(r"[us]\d+", kind) else None
    except ValueError:
        return None


def members(text):
    """{place: number} of the fields of "struct:u32:5,f32:1.5,&arg0"."""
    found, offset = {}, 0
    for field in text.removeprefix("struct:").split(","):
        size = 8 if field.startswith("&") else int(re.match(r"[a-z]+(\d+):", field).group(1)) // 8
        offset = (offset + size - 1) // size * size
        if known := number(field):
            found[f"+{offset}:{known[0]}"] = known[1]
        offset += size
    return found


def texts(launch):
    """The arguments; "" for one that is no text, such as a multicast object."""
    return [text if isinstance(text, str) else "" for text in launch.get("args", [])]


def arguments(launch):
    found = {}
    for k, text in enumerate(texts(launch)):
        if text.startswith("struct:"):
            try:
                found[f"arg{k}"] = members(text)
            except AttributeError:
                continue  # a field that has no type of its own
        elif known := number(text):
            found[f"arg{k}"] = known[1]
    return found


def bounds(value):
    """What a person may know of a number."""
    known = {"min": min(value, 1), "multiple_of": min(value & -value or 32, 32)}
    if value < 1 << 31:
        known["max"] = 1 << max(value - 1, 1).bit_length()
    return known


def ranges(launch):
    found = {}
    for k, text in enumerate(texts(launch)):
        known = number(text)
        if known and isinstance(known[1], int) and known[1] >= 0:
            found[f"arg{k}"] = bounds(known[1])
        elif text.startswith("buffer:"):
            found[f"arg{k}"] = {"align": 16}
    return found


def sizes(launch):
    found = {}
    for k, text in enumerate(texts(launch)):
        if match := re.match(r"buffer:(\d+)([KM]?)", text):
            found[f"arg{k}"] = {"bytes": int(match[1]) << {"": 0, "K": 10, "M": 20}[match[2]]}
    return found


def facts_of(launch):
    """{fact: what a file of --launch says}"""
    listed = {"block": launch.get("block"), "grid": launch.get("grid", 1),
              "cluster": launch.get("cluster"), "shared": launch.get("shared", 0)}
    # Without a block or a cluster it is that of a directive.
    facts = {name: {name: value} for name, value in listed.items() if value is not None}
    if not any("&" in text for text in texts(launch)):  # else two pointers may be one
        facts["distinct"] = {"distinct": True}
    facts["scalars"] = {"args": arguments(launch)}
    facts["ranges"] = {"args": ranges(launch)}
    facts["sizes"] = {"args": sizes(launch)}
    return facts


def common(left, right):
    """What both say."""
    if isinstance(left, dict) and isinstance(right, dict):
        both = {key: common(left[key], right[key]) for key in left if key in right}
        return {key: value for key, value in both.items() if value not in (None, {})}
    return left if left == right else None


def merged(facts, names):
    """The facts of these names as one."""
    result = {}
    for name in names:
        result.update(facts.get(name, {}))
    return {key: value for key, value in result.items() if value != {}}


def described(text):
    """{kernel: {fact: ...}}"""
    found = {}
    for line in LAUNCH.findall(text):
        launch = json.loads(line)
        facts = facts_of(launch)
        kernel = launch["kernel"]
        found[kernel] = common(found[kernel], facts) if kernel in found else facts
    return found


# ---- files ---------------------------------------------------------------------------------------


def groups():
    """[({path: its kernels}, {kernel: facts})] of one folder each, that agree about kernels of one name: a ptxopt takes
    them together."""
    result = []
    for folder in sorted({path.parent for path in PTX.rglob("*.ptx")}):
        of_folder = []
        for path in sorted(folder.glob("*.ptx")):
            if not (facts := described(path.read_text(errors="replace"))):
                continue
            for taken, known in of_folder:
                if all(known.get(kernel, value) == value for kernel, value in facts.items()):
                    break
            else:
                taken, known = {}, {}
                of_folder.append((taken, known))
            taken[path] = set(facts)
            known.update(facts)
        result += of_folder
    return result


def write(folder):
    """FOLDER/SET/ for each set.  The number of kernels of which it says something."""
    counts = dict.fromkeys(SETS, 0)
    for paths, facts in groups():
        for name, kinds in SETS.items():
            known = {kernel: one for kernel, of_kernel in facts.items() if (one := merged(of_kernel, kinds))}
            first = None
            for path, kernels in paths.items():
                counts[name] += len(known.keys() & kernels)
                file = pathlib.Path(folder, name, path.relative_to(PTX)).with_suffix(".json")
                file.parent.mkdir(parents=True, exist_ok=True)
                if first:
                    os.link(first, file)
                else:
                    file.write_text(json.dumps({"kernels": known}))
                    first = file
    return counts


if __name__ == "__main__":
    for name_of_set, count in write(sys.argv[1]).items():
        print(f"{name_of_set}\t{count}")
