# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Every file of the corpus: into SSA form and out of it changes nothing.

`cssa` must leave every file as it is, byte for byte, and as --reprint prints it.  With a register
for every value and a copy for every operand of a phi, and with all copies folded, what comes out
must go through ptxas where there is one.
"""
import sys
import tempfile

import corpus

PIPELINES = ["cssa<coalesce=0>", "cssa<coalesce=0,split-edges=0,fold-copies>", "cssa<fold-copies>"]


def read(path):
    with open(path, "rb") as file:
        return file.read()


def outputs(arguments, files, flags):
    """{name: text or None} of each file with these flags."""
    with tempfile.TemporaryDirectory() as folder:
        results, _ = corpus.optimize(arguments.ptxopt, files, folder, [*flags, "-q"])
        return {name: read(path) if path else None for name, path in results.items()}


def identity(arguments, files):
    failed = []
    for flags in ([], ["--reprint"]):
        before = outputs(arguments, files, ["-O0", *flags])
        after = outputs(arguments, files, ["--passes=cssa", *flags])
        for file in files:
            if after[file.name] is None or after[file.name] != before[file.name]:
                failed.append(f"{file.name}: cssa {' '.join(flags)} changes it")
    return failed


def assembled(arguments, files):
    ptxas = corpus.Ptxas(arguments.ptxas)
    files = [f for f in files if ptxas.accepts(f)]
    failed = []
    for k, pipeline in enumerate(PIPELINES):
        some = corpus.spread(files[k:], arguments.subset)
        with tempfile.TemporaryDirectory() as folder:
            results, _ = corpus.optimize(arguments.ptxopt, some, folder,
                                         ["-q", "--passes", pipeline])

            def check(file):
                if results[file.name] is None:
                    return "no output"
                ok, messages = ptxas.assemble(file, results[file.name], "/dev/null")
                return None if ok else messages

            for file, problem in zip(some, corpus.parallel(check, some, arguments.jobs)):
                if problem is not None:
                    failed.append(f"{file.name}: {pipeline}: {problem}")
    return failed


def main():
    arguments = corpus.parser(__doc__, subset=10).parse_args()
    files = [f for f in corpus.files() if arguments.filter in f.name]
    failed = identity(arguments, files)
    if arguments.ptxas is not None:
        failed += assembled(arguments, files)
    print("\n".join(failed))
    print(f"{len(files)} files, {len(failed)} failures")
    return 1 if failed or not files else 0


if __name__ == "__main__":
    sys.exit(main())
