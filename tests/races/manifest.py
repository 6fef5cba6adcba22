# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The kernels, their answers and launches, from the comments of cuda/*.cu.  README.md has the form."""
import json
import os
import re

FOLDER = os.path.dirname(os.path.abspath(__file__))
TARGETS = ("75", "90")
ANSWERS = ("racy", "race-free")
# The findings of ptxrun that show a mistake, by its kind, where the comment does not say `seen as`.
SEEN = {
    "race": {"data-race"},
    "race-global": {"data-race"},
    "race-grid": {"data-race"},
    "missing-syncwarp": {"data-race"},
    "missing-fence": {"data-race"},
    "missing-wait": {"data-race"},
    "divergent-barrier": {"barrier-divergence", "deadlock"},
    "barrier-count": {"barrier-mismatch", "deadlock"},
    "uninitialised": {"uninitialised"},
    "proxy": {"proxy-race"},
}
TRUTH = re.compile(r"(race-free|racy ([a-z-]+))(, not seen|, seen as ([a-z-]+))?(?:: (.*))?")


class Kernel:
    """A kernel: its answer, kind of mistake ('' if none), what ptxrun shows of it, and its launch."""

    def __init__(self, file, truth, launch):
        match = TRUTH.fullmatch(truth)
        if match is None:
            raise ValueError(f"{file}: not understood: TRUTH: {truth}")
        self.file, self.launch, self.name = file, launch, launch["kernel"]
        self.answer, self.kind, self.why = match[1].split()[0], match[2] or "", match[5] or ""
        if self.kind and self.kind not in SEEN:
            raise ValueError(f"{file}: {self.name}: no such kind: {self.kind}")
        self.visible = match[3] != ", not seen"
        if not self.visible and not self.why:
            raise ValueError(f"{file}: {self.name}: says not why ptxrun sees nothing")
        self.seen = {match[4]} if match[4] else SEEN.get(self.kind, set())

    def racy(self):
        return self.answer == "racy"


def comments(text):
    """The texts of `// TRUTH:` and `// LAUNCH:` in their order, each with the lines in which it goes on."""
    found = []
    for line in text.splitlines():
        match = re.match(r"// (TRUTH|LAUNCH): *(.*)", line)
        if match:
            found.append([match[1], match[2]])
        elif line.startswith("//") and found and found[-1] is not None:
            found[-1][1] += " " + line[2:].strip()
        else:
            found.append(None)
    return [entry for entry in found if entry]


def kernels_of(path):
    file, found, truth = os.path.splitext(os.path.basename(path))[0], [], None
    with open(path, encoding="utf-8") as source:
        for key, text in comments(source.read()):
            if key == "TRUTH" and truth is None:
                truth = text
            elif key == "LAUNCH" and truth is not None:
                found.append(Kernel(file, truth, json.loads(text)))
                truth = None
            else:
                raise ValueError(f"{path}: {key} out of order: {text}")
    return found


def sources():
    folder = os.path.join(FOLDER, "cuda")
    return [os.path.join(folder, name) for name in sorted(os.listdir(folder)) if name.endswith(".cu")]


def targets_of(path):
    """All targets, or those that a line `// targets:` in the head of the file names."""
    with open(path, encoding="utf-8") as source:
        match = re.search(r"^// targets: (.*)$", source.read(), re.MULTILINE)
    return tuple(match[1].split()) if match else TARGETS


def ptx_path(target, file):
    return os.path.join(FOLDER, "ptx", f"sm_{target}", f"{file}.ptx")


def programs():
    """For each PTX file: target, name of the source, path of the PTX, kernels with their symbols there."""
    for path in sources():
        kernels = kernels_of(path)
        file = os.path.splitext(os.path.basename(path))[0]
        for target in targets_of(path):
            ptx = ptx_path(target, file)
            with open(ptx, encoding="utf-8") as text:
                entries = re.findall(r"\.entry\s+([\w$]+)", text.read())
            symbols = {kernel.name: symbol(kernel.name, entries) for kernel in kernels}
            unknown = sorted(set(entries) - set(symbols.values()))
            if None in symbols.values() or unknown or len(entries) != len(kernels):
                missing = [name for name, entry in symbols.items() if entry is None]
                raise ValueError(f"{ptx}: without a comment: {unknown}; without a kernel: {missing}")
            yield target, file, ptx, [(kernel, symbols[kernel.name]) for kernel in kernels]


def symbol(name, entries):
    """The entry of a kernel `scan`, `scan<16>` or `scan<float>`: its name, or that mangled."""
    base, _, argument = name.rstrip(">").partition("<")
    types = {"float": "f", "double": "d", "int": "i", "unsigned": "j", "true": "Lb1E", "false": "Lb0E"}
    suffix = f"I{types.get(argument, f'Li{argument}E')}E" if argument else ""
    pattern = re.compile(rf"{re.escape(base)}|\w*?(?<!\d){len(base)}{re.escape(base)}{suffix}\w*")
    return next((entry for entry in entries if pattern.fullmatch(entry)), None)
