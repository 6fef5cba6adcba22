# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Every file of the corpus: the output of ptxopt -O0 equals the input byte for byte."""
import sys
import tempfile

import corpus


def read(path):
    with open(path, "rb") as file:
        return file.read()


def main():
    arguments = corpus.parser(__doc__).parse_args()
    files = [f for f in corpus.files() if arguments.filter in f.name]
    failed = []
    with tempfile.TemporaryDirectory() as folder:
        results, _ = corpus.optimize(arguments.ptxopt, files, folder, ["-O0", "-q"])
        for file in files:
            result = results[file.name]
            if result is None:
                failed.append(f"{file.name}: no output")
            elif read(result) != read(file.path):
                failed.append(f"{file.name}: differs")
    print("\n".join(failed))
    print(f"{len(files)} files, {len(failed)} failed")
    return 1 if failed or not files else 0


if __name__ == "__main__":
    sys.exit(main())
