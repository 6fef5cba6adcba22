# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""expect.py STATUS COMMAND...: runs the command and succeeds if it exits with STATUS."""
import subprocess
import sys

status = subprocess.run(sys.argv[2:]).returncode
if status != int(sys.argv[1]):
    print(f"expect.py: exit status {status} instead of {sys.argv[1]}", file=sys.stderr)
    sys.exit(1)
