"""readme.py BIN_DIR README SECTION: the examples of a section are true.

Runs every line of its code blocks that begins with "$ " by bash, in the folder of the README and
with the programs of BIN_DIR first; what the command prints, errors included, must be the lines that
follow it.  Code in a block marked `cuda` must stand so in a file of examples/.
"""
import glob
import os
import re
import subprocess
import sys


def main():
    programs, readme, section = sys.argv[1:]
    root = os.path.dirname(os.path.abspath(readme))
    with open(readme) as file:
        text = re.search(rf"^## {re.escape(section)}\n(.*?)(?=^## |\Z)", file.read(),
                         re.MULTILINE | re.DOTALL)[1]
    sources = []
    for path in glob.glob(os.path.join(root, "examples", "*.cu")):
        with open(path) as file:
            sources.append(file.read())
    environment = dict(os.environ, PATH=os.pathsep.join([programs, os.environ["PATH"]]))
    count, failed = 0, False
    for language, block in re.findall(r"^```(\w*)\n(.*?)^```$", text, re.MULTILINE | re.DOTALL):
        if language == "cuda" and not any(block in source for source in sources):
            print(f"no file of examples/ has this code:\n{block}")
            failed = True
        for command, expected in re.findall(r"^\$ (.*)\n((?:(?!\$ ).*\n)*)", block, re.MULTILINE):
            run = subprocess.run(["bash", "-c", command], cwd=root, env=environment, text=True,
                                 stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
            count += 1
            if run.stdout.strip() != expected.strip():
                print(f"$ {command}\nprints\n{run.stdout}instead of\n{expected}")
                failed = True
    print(f"{count} commands")
    return 1 if failed or count == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
