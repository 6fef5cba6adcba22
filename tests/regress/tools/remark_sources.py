# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Every remark has a line of the source: runs all passes on files to which it adds a .loc for each line.

    remark_sources.py PTXOPT FOLDER

Takes every .ptx file below FOLDER that ptxopt accepts without and with the .loc, and fails if a remark
has no source, or if a pass or a counter of SEEN has no remark.  Without a source are only remarks that
are about the module: about its variables, and of global-opt about what it did in all.
"""
import json
import os
import re
import subprocess
import sys
import tempfile

OF_MODULE = re.compile(r"Stopped after \d+ rounds|Saved \d+ bytes of \.(global|const)$")
# Remarks about a function, which has no place in its body.
SEEN = ["Removed function", "is left unchanged", "new registers", "hashing: ", " was met: ",
        "bytes of .shared and"]
# What a .loc may follow, outside of brackets.
ENDS = re.compile(r"[;{}:]\s*(//.*)?$")


def passes(ptxopt):
    listed = subprocess.run([ptxopt, "--list-passes"], check=True, capture_output=True, text=True)
    return re.findall(r"^([a-z][a-z-]+) +[A-Z]", listed.stdout, re.MULTILINE)


def with_lines(text):
    """A .loc of the line before each instruction that begins one, in the body of a function."""
    result = []
    depth = 0
    may_follow = False
    for number, line in enumerate(text.split("\n"), 1):
        code = line.split("//")[0].strip()
        is_instruction = re.match(r"(@|[a-z][\w.:]*[;\s])", code)
        if depth > 0 and may_follow and is_instruction:
            result.append(f".loc 1 {number} 1")
        if depth == 0:  # a function in one line
            line = re.sub(r"^([^={]*\{)(?=.*;)", rf"\1 .loc 1 {number} 1 ", line)
        result.append(line)
        depth += code.count("{") - code.count("}")
        if code:
            may_follow = bool(ENDS.search(code))
    return "\n".join([*result, '.file 1 "k.cu"', ""])


def remarks_of(ptxopt, text, options):
    """None: the text is not accepted."""
    with tempfile.NamedTemporaryFile("w", suffix=".ptx") as file:
        file.write(text)
        file.flush()
        run = subprocess.run([ptxopt, "--verify", file.name, "-o", "/dev/null", "--remarks=-", *options],
                             capture_output=True, text=True, errors="replace")
    if run.returncode != 0:
        return None
    return [json.loads(line) for line in run.stdout.splitlines()]


def texts(folder):
    for path, _, names in sorted(os.walk(folder)):
        for name in sorted(names):
            if not name.endswith(".ptx"):
                continue
            with open(os.path.join(path, name), encoding="latin-1") as file:
                yield os.path.join(path, name), file.read()


def main():
    ptxopt, folder = sys.argv[1:]
    names = passes(ptxopt)
    pipelines = [["--passes=" + ",".join(names), "--cssa-verbosity=2", "--earlycse-debug-hash"],
                 ["--passes=common-base", "--cbe-max-iter=0", "--cbe-max-depth=1"],
                 ["-O3"]]
    unseen = {*names, *SEEN}
    faults = []
    for path, text in texts(folder):
        if ".loc" in text or len(text) > 100_000:
            continue
        for options in pipelines:
            for remark in remarks_of(ptxopt, with_lines(text), options) or []:
                unseen -= {remark["pass"], *(seen for seen in SEEN if seen in remark["message"])}
                is_of_module = remark["function"] is None and (
                    "variable" in remark["details"] or OF_MODULE.match(remark["message"]))
                if remark["source"] is None and not is_of_module:
                    faults.append(f"{path}: {' '.join(options)}: no source: {remark}")
                if remark["function"] is not None and "line" not in remark["ptx"]:
                    faults.append(f"{path}: {' '.join(options)}: no place: {remark}")
    faults += [f"no remark of, or with: {what}" for what in sorted(unseen)]
    print("\n".join(faults[:20]))
    return bool(faults)


if __name__ == "__main__":
    sys.exit(main())
