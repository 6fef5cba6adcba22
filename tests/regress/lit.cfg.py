# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""How lit runs the files of this folder.

Substitutions: %ptxopt, %ptxcheck, %ptxrun, %ptxreduce, %FileCheck, %python, %corpus (corpus/ptx), %tools
(tools/ of this folder), %expect STATUS COMMAND (tools/expect.py), and %ptxas where a real one was
found; the feature `ptxas` says so.  RUN lines are for bash, and a pipe fails if any part of it does.
"""
import os
import subprocess

import lit.formats

config.name = "ptxopt"
config.test_format = lit.formats.ShTest(execute_external=True)
config.suffixes = [".ptx", ".test"]
config.test_source_root = os.path.dirname(__file__)
config.test_exec_root = config.ptxopt_test_dir
config.excludes = ["Inputs", "tools"]

config.substitutions += [
    ("%ptxopt", os.path.join(config.ptxopt_bin_dir, "ptxopt")),
    ("%ptxcheck", os.path.join(config.ptxopt_bin_dir, "ptxcheck")),
    ("%ptxrun", os.path.join(config.ptxopt_bin_dir, "ptxrun")),
    ("%ptxreduce", os.path.join(config.ptxopt_bin_dir, "ptxreduce")),
    ("%FileCheck", config.filecheck + " --dump-input-context=20"),
    ("%python", config.python),
    ("%corpus", os.path.join(config.ptxopt_source_dir, "corpus", "ptx")),
    ("%tools", os.path.join(config.test_source_root, "tools")),
    ("%expect", f"{config.python} {config.test_source_root}/tools/expect.py"),
]

if config.ptxas and not config.ptxas.endswith("NOTFOUND"):
    config.available_features.add("ptxas")
    config.substitutions.append(("%ptxas", config.ptxas))
if not config.sanitizers:
    config.available_features.add("no-sanitizer")  # limits of memory, faults of the process

# Permissions do not hold for root: %unprivileged runs a command as somebody else.
unprivileged = []
if os.geteuid() == 0:
    unprivileged = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"]
try:
    reachable = [config.ptxopt_bin_dir + "/ptxopt", config.test_source_root + "/lit.cfg.py"]
    for path in reachable:
        subprocess.run([*unprivileged, "test", "-r", path], check=True)
    config.available_features.add("unprivileged")
    config.substitutions.insert(0, ("%unprivileged", " ".join(unprivileged)))
except (OSError, subprocess.CalledProcessError):
    lit_config.note("nobody without privileges can run ptxopt here")

# `count` and `not` live beside FileCheck.
llvm_dir = os.path.dirname(os.path.realpath(config.filecheck))
config.environment["PATH"] = os.pathsep.join([llvm_dir, os.environ["PATH"]])
for name in ("ASAN_OPTIONS", "UBSAN_OPTIONS", "TSAN_OPTIONS", "PTXOPT_MUTANT",
             "PTXOPT_MUTANTS_REACHED"):
    if name in os.environ:
        config.environment[name] = os.environ[name]
