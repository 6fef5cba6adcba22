# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""truncated.py PTXOPT FILE FOLDER: cuts FILE after every token; each piece either goes through byte
for byte, or there is an error with a place and no output."""
import os
import re
import subprocess
import sys

ptxopt, path, folder = sys.argv[1:]
with open(path, encoding="latin-1") as file:
    text = file.read()
ends = [m.end() for m in re.finditer(r'//[^\n]*|"[^"]*"|[\w.$%]+|[^\s]', text)]
cuts, out = os.path.join(folder, "in"), os.path.join(folder, "out")
os.makedirs(cuts)
names = []
for k, end in enumerate(ends):
    names.append(os.path.join(cuts, f"{k:05}.ptx"))
    with open(names[-1], "w", encoding="latin-1") as file:
        file.write(text[:end])
run = subprocess.run([ptxopt, "-O2", "--output-dir", out, *names], capture_output=True, text=True)
assert run.returncode == 1, (run.returncode, run.stderr[-1000:])
accepted = 0
for name, end in zip(names, ends):
    result = os.path.join(out, os.path.basename(name))
    error = re.search(rf"^{re.escape(name)}:\d+:\d+: error: .", run.stderr, re.MULTILINE)
    if os.path.exists(result):
        accepted += 1
        assert not error, f"{name}: accepted and refused"
    else:
        assert error, f"{name}: refused without a place"
assert 0 < accepted < len(names), accepted
