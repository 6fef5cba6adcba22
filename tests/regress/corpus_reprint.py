# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Files of the corpus: ptxas makes the same code of ptxopt --reprint as of the input."""
import os
import sys
import tempfile

import corpus


def compare(ptxas, file, reprinted, folder):
    """None if the code is the same, else what is wrong."""
    if reprinted is None:
        return "no output"
    stem = os.path.join(folder, file.name.replace("/", "_"))
    ok, messages = ptxas.assemble(file, file.path, stem + ".in.cubin")
    if not ok:
        return "ptxas refuses the input, against the manifest: " + messages
    ok, messages = ptxas.assemble(file, reprinted, stem + ".out.cubin")
    if not ok:
        return "ptxas refuses the reprinted file: " + messages
    before = corpus.code_sections(stem + ".in.cubin")
    after = corpus.code_sections(stem + ".out.cubin")
    os.unlink(stem + ".in.cubin")
    os.unlink(stem + ".out.cubin")
    different = sorted(name for name in {*before, *after} if before.get(name) != after.get(name))
    return "other code in " + ", ".join(different) if different else None


def main():
    arguments = corpus.parser(__doc__, subset=100).parse_args()
    if arguments.ptxas is None:
        corpus.skip("no ptxas")
    ptxas = corpus.Ptxas(arguments.ptxas)
    files = [f for f in corpus.files() if arguments.filter in f.name and ptxas.accepts(f)]
    files = corpus.spread(files, arguments.subset)
    failed = 0
    with tempfile.TemporaryDirectory() as folder:
        flags = ["-O0", "-q", "--reprint"]
        reprinted, _ = corpus.optimize(arguments.ptxopt, files, folder, flags)

        def check(file):
            return compare(ptxas, file, reprinted[file.name], folder)

        for file, problem in zip(files, corpus.parallel(check, files, arguments.jobs)):
            if problem is not None:
                failed += 1
                print(f"{file.name}: {problem}")
    print(f"{len(files)} files with ptxas {ptxas.release}, {failed} failed")
    return 1 if failed or not files else 0


if __name__ == "__main__":
    sys.exit(main())
