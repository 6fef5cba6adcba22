#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A ptxas that assembles nothing: it writes down what it was given and does as the text says.

Appends one line of JSON to the file in FAKE_PTXAS_LOG: the words, and the text of every input.
Texts with "spoiled" are refused; "//# exit N", "//# signal N", "//# warn" (a message that names the
file) and "//# sleep" in a text have their way.  The output is the texts, one after the other.
"""
import json
import os
import re
import sys
import time

VALUE_NEXT = {"-o", "--output-file", "-arch", "--gpu-name", "--opt-level", "--fmad"}


def main():
    words = sys.argv[1:]
    if "--version" in words:
        print("ptxas: NVIDIA (R) Ptx optimizing assembler\nrelease 13.0, V13.0.88")
        return 0
    if "--help" in words:
        print("Usage  : ptxas [options] file,...")
        return 0
    inputs, output, i = [], "elf.o", 0
    while i < len(words):
        if words[i] in ("-o", "--output-file"):
            output = words[i + 1]
        if words[i] in VALUE_NEXT:
            i += 1
        elif words[i] == "-" or not words[i].startswith("-"):
            inputs.append(words[i])
        i += 1

    texts = {}
    for name in inputs:
        try:
            with open(0 if name == "-" else name, newline="") as file:
                texts[name] = file.read()
        except OSError:
            texts[name] = None
    with open(os.environ["FAKE_PTXAS_LOG"], "a") as log:
        log.write(json.dumps({"program": sys.argv[0], "words": words, "texts": texts}) + "\n")

    status = 0
    for name, text in texts.items():
        if text is None:
            print(f"ptxas fatal   : Input file '{name}' could not be opened", file=sys.stderr)
            return 255
        if "spoiled" in text:
            print(f"ptxas {name}, line 1; error   : Parsing error", file=sys.stderr)
            return 255
        if "//# warn" in text:
            print(f"ptxas {name}, line 1; warning : told to", file=sys.stderr)
            print(f"{name} on standard output")
        if "//# sleep" in text:
            print("sleeping", file=open(os.environ["FAKE_PTXAS_AWAKE"], "w"), flush=True)
            time.sleep(60)
        for what, number in re.findall(r"//# (exit|signal) (\d+)", text):
            if what == "signal":
                sys.stderr.flush()
                os.kill(os.getpid(), int(number))
            status = int(number)
    if status == 0:
        with open(output, "w", newline="") as file:
            file.write("".join(texts.values()))
    return status


sys.exit(main())
