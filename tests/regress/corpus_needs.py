# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Files of the corpus: ptxas takes each at exactly the version and target that ptxopt --needs
gives, and refuses it at the version before and for the target before.

Where ptxas takes less than the manual says, and the tables say so too, the file counts as lax.
--ptxas may be an older release: then it must take the files whose needs it knows.
"""
import collections
import functools
import json
import os
import re
import subprocess
import sys
import tempfile

import corpus

VERSION = re.compile(rb"^(\s*\.version\s+)\d+\.\d+", re.MULTILINE)
DEBUG = re.compile(rb"\.target[^\n]*\bdebug\b")
NEWEST = re.compile(r"kNewestVersion = \{(\d+), (\d+)\}")
TARGET = re.compile(rb"(\.target\s+(?:/\*.*?\*/\s*)?)sm_\w+")


class Judge:
    """Assembles a text at a version and for a target."""

    def __init__(self, ptxas, folder):
        self.ptxas = ptxas
        self.folder = folder
        with open(os.path.join(corpus.SOURCE_DIR, "src", "isa", "isa.h")) as file:
            self.is_newest = self.knows(".".join(NEWEST.search(file.read()).groups()), "sm_75")

    def takes(self, file, version, target):
        """(taken, messages)"""
        with open(file.path, "rb") as text:
            text = text.read()
        text = VERSION.sub(rb"\g<1>" + version.encode(), text, count=1)
        text = TARGET.sub(rb"\g<1>" + target.encode(), text, count=1)
        return self.assemble(f"{file.name.replace('/', '_')}.{version}.{target}", text, target)

    @functools.cache
    def knows(self, version, target):
        text = f".version {version}\n.target {target}\n"
        if corpus.version_key(version) >= [2, 3]:
            text += ".address_size 64\n"
        return self.assemble(f"{version}.{target}", text.encode(), target)[0]

    def assemble(self, name, text, target):
        stem = os.path.join(self.folder, name)
        with open(stem + ".ptx", "wb") as file:
            file.write(text)
        level = "-O0" if DEBUG.search(text) else "-O1"
        # It takes older targets in the text, but not as an option, and some texts are for a linker.
        for options in ([f"-arch={target}"], [f"-arch={target}", "-c"], [], ["-c"]):
            command = [self.ptxas.path, *options, level, stem + ".ptx", "-o", stem + ".cubin"]
            run = subprocess.run(command, capture_output=True, text=True, errors="replace")
            if run.returncode == 0:
                break
        return run.returncode == 0, run.stderr + run.stdout


def check(judge, file, needs):
    """(kind, text): kind is "agrees", "lax", "unknown" or "wrong"."""
    if not judge.knows(needs["version"], needs["target"]):
        return "unknown", ""
    ok, messages = judge.takes(file, needs["version"], needs["target"])
    if not ok and file.version < corpus.version_key(needs["version"]):
        # It states less than the tables say, and ptxas takes it all the same.
        return "lax", needs["version_needed_by"][0]["what"]
    if not ok:
        return "wrong", (f"refused at {needs['version']}, {needs['target']}: " +
                         messages.split("\n")[0])
    if not judge.is_newest:
        return "agrees", ""
    lax = set()
    for part in ("version", "target"):
        below, needed_by = needs["lower_" + part], part + "_needed_by"
        if below is None or not judge.takes(file, below["version"], below["target"])[0]:
            continue
        enforced = [each for each in needs[needed_by] if each["enforced"]]
        if enforced or not needs[needed_by]:
            return "wrong", (f"taken at {below['version']}, {below['target']}, "
                             f"in spite of {enforced[:1]}")
        lax |= {each["what"] for each in needs[needed_by]}
    return ("lax", ", ".join(sorted(lax))) if lax else ("agrees", "")


def main():
    parser = corpus.parser(__doc__, subset=60)
    arguments = parser.parse_args()
    if arguments.ptxas is None:
        corpus.skip("no ptxas")
    ptxas = corpus.Ptxas(arguments.ptxas)
    files = [f for f in corpus.files() if arguments.filter in f.name and f.ptxas is not None]
    files = corpus.spread(files, arguments.subset)
    asked = {}
    for file in files:
        run = subprocess.run([arguments.ptxopt, "-q", "--needs=json", file.path],
                             capture_output=True, text=True)
        asked[file.name] = json.loads(run.stdout)
    counts = collections.Counter()
    reasons = collections.Counter()
    with tempfile.TemporaryDirectory() as folder:
        judge = Judge(ptxas, folder)
        results = corpus.parallel(lambda f: check(judge, f, asked[f.name]), files, arguments.jobs)
    for file, (kind, text) in zip(files, results):
        counts[kind] += 1
        if kind == "lax":
            reasons[text] += 1
        if kind == "wrong":
            print(f"{file.name}: {text}")
    print(f"{len(files)} files with ptxas {ptxas.release}: {counts['agrees']} agree, "
          f"{counts['lax']} where ptxas takes less than the manual says, "
          f"{counts['unknown']} need more than it knows, {counts['wrong']} wrong")
    for text, count in sorted(reasons.items()):
        print(f"  {count}: {text}")
    return 1 if counts["wrong"] or not files else 0


if __name__ == "__main__":
    sys.exit(main())
