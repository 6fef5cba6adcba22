# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Files of the corpus, restated with --for=cuda:X.Y for the release of --ptxas: it takes all that
ptxopt writes.  Counts what it would have taken as written, and names what needs more."""
import collections
import os
import re
import subprocess
import sys
import tempfile

import corpus
import corpus_needs

STATED = re.compile(rb"^\s*\.version\s+(\d+\.\d+)", re.MULTILINE)
TARGET = re.compile(rb"\.target\s+(?:/\*.*?\*/\s*)?(sm_\w+)")
NEED = re.compile(r"error: (.*?) (?:needs|is not understood|does not exist)")


def stated(text):
    return STATED.search(text).group(1).decode(), TARGET.search(text).group(1).decode()


def check(arguments, judge, file, folder):
    """(kind, text): kind is "as written", "restated", "error" or "wrong"."""
    with open(file.path, "rb") as text:
        if judge.takes(file, *stated(text.read()))[0]:
            return "as written", ""
    out = os.path.join(folder, file.name.replace("/", "_") + ".for.ptx")
    run = subprocess.run([arguments.ptxopt, "-q", "-O0", "--for=cuda:" + judge.ptxas.release,
                          file.path, "-o", out], capture_output=True, text=True)
    if run.returncode == 1:
        return "error", ", ".join(sorted(set(NEED.findall(run.stderr))) or [run.stderr])
    with open(out, "rb") as text:
        text = text.read()
    version, target = stated(text)
    ok, messages = judge.assemble(f"{file.name.replace('/', '_')}.for", text, target)
    return ("restated", "") if ok else ("wrong", f"refused at {version}, {target}: {messages}")


def main():
    arguments = corpus.parser(__doc__, subset=60).parse_args()
    if arguments.ptxas is None:
        corpus.skip("no ptxas")
    ptxas = corpus.Ptxas(arguments.ptxas)
    files = [f for f in corpus.files() if arguments.filter in f.name and f.ptxas is not None]
    files = corpus.spread(files, arguments.subset)
    counts, needs = collections.Counter(), collections.Counter()
    with tempfile.TemporaryDirectory() as folder:
        judge = corpus_needs.Judge(ptxas, folder)
        results = corpus.parallel(lambda f: check(arguments, judge, f, folder), files,
                                  arguments.jobs)
    for file, (kind, text) in zip(files, results):
        counts[kind] += 1
        if kind == "wrong":
            print(f"{file.name}: {text}")
        if kind == "error":
            needs[text] += 1
    print(f"{len(files)} files with ptxas {ptxas.release}: {counts['as written']} taken as written, "
          f"{counts['restated']} restated and taken, {counts['error']} that need more, "
          f"{counts['wrong']} wrong")
    for text, count in sorted(needs.items()):
        print(f"  {count}: {text}")
    return 1 if counts["wrong"] or not files else 0


if __name__ == "__main__":
    sys.exit(main())
