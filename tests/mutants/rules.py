# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The files that decide what is sound: those whose mutants and whose branches are of interest."""
import os

SOURCE_DIR = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
FOLDERS = ["src/analysis", "src/passes"]

# Files of these folders that decide nothing: words for people, and the list of passes.
WORDS = {
    "conflict_text", "conflict_witness", "barrier_remarks", "divergence_cause", "dot",
    "global_remarks", "kept_reasons", "loop_rounds", "pass", "pipeline", "pipeline_text",
    "registry"}


def is_rule_file(name):
    """`name` is relative to SOURCE_DIR."""
    stem, ending = os.path.splitext(os.path.basename(name))
    return is_below(name) and ending in {".cpp", ".h"} and stem not in WORDS


def is_below(name):
    return name.startswith(tuple(folder + "/" for folder in FOLDERS))


def rule_files(ending):
    names = [os.path.relpath(os.path.join(path, name), SOURCE_DIR) for folder in FOLDERS
             for path, _, files in os.walk(os.path.join(SOURCE_DIR, folder)) for name in files]
    return sorted(name for name in names if is_rule_file(name) and name.endswith(ending))


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def write(path, text):
    """Whole or not at all."""
    with open(path + ".new", "w", encoding="utf-8") as file:
        file.write(text)
    os.replace(path + ".new", path)


def percent(part, whole):
    return f"{100 * part / whole:.1f}" if whole else "-"
