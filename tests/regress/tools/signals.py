# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""signals.py PTXOPT INPUT FOLDER: ends ptxopt by signals at ever later moments of its run, and looks
at what is left: the old file or the new one, and no other."""
import os
import signal
import subprocess
import sys
import time

ptxopt, small, folder = sys.argv[1:]
path = os.path.join(folder, "k.ptx")
with open(small, "rb") as file:
    text = file.read()
# Large enough that reading, parsing and writing take a while.
big = text + b"".join(text[text.index(b".visible"):].replace(b"plain", b"plain%d" % k)
                      for k in range(8000))
with open(path, "wb") as file:
    file.write(big)
command = [ptxopt, "-O0", "--reprint", path, "-o", path]
subprocess.run(command, check=True)
with open(path, "rb") as file:
    done = file.read()

ended = 0
for step in range(40):
    with open(path, "wb") as file:
        file.write(big)
    process = subprocess.Popen(command)
    time.sleep(0.01 * step)
    process.send_signal([signal.SIGINT, signal.SIGTERM, signal.SIGHUP][step % 3])
    ended += process.wait() < 0
    assert os.listdir(folder) == ["k.ptx"], os.listdir(folder)
    with open(path, "rb") as file:
        assert file.read() in (big, done), "half a file"
assert ended > 0, "no run was slow enough to be ended"
