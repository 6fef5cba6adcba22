#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Which lines and branches of src/analysis and src/passes random kernels reach, and all tests do.

Builds with gcov in a folder of its own, runs random kernels of every bias and changed kernels of the corpus,
each through three of all passes and levels, and the scripts that make and judge random kernels of their own:
facts of launches, guards, --for, asynchronous steps, ptxcheck.  Then it runs tests, and writes two tables beside
this script: results.tsv, a line for each file, and unreached.tsv, the branches of files that decide what is
sound (tests/mutants/rules.py) that nothing reached, with a column for the reason, which is kept from run to run.
A run that was stopped among the kernels goes on after the last kind that was done, if started again.

What is no branch here: what an exception takes, its other half, the call that returns, and what is below an
exception (notes.py): destructors under a condition, once more for that case.  A function
that is compiled several times, as a template or in a header, counts once: its lines and branches are
those of the text, reached if they were in any copy, told apart by line and by number within the line.
"""
import argparse
import concurrent.futures
import json
import os
import re
import shlex
import subprocess
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(os.path.dirname(HERE), "mutants"))
from notes import exceptional_branches  # noqa: E402
from rules import SOURCE_DIR, is_below, is_rule_file, percent, read, write  # noqa: E402

PROGRAMS = ["random_kernels", "retarget_forms", "analysis_test", "passes_test", "needs_test", "retarget_test",
            "ptxopt", "ptxrun", "ptxreduce", "ptxcheck"]
TESTS = "^(unit/analysis|unit/passes|unit/needs|unit/retarget|regress|races/truth|races/benchmark)$"
GOALS = {"kernels": 85, "tests": 95}  # percent of branches
# Random kernels: half of them without assumptions, half with those that hold, each through three of
# the pipelines that its seed draws.
BIASES = ["none", "barriers", "redundancy", "phis", "addresses", "leaders", "variables", "pointers",
          "rules", "async", "heap"]
CHANGED = "corpus"  # kernels of the corpus, changed at random
# Some of every bias: for analyses that give up early, in odd forms, and for passes that stop.
VARIANTS = {"tight limits": ["--tight", "6"], "tighter limits": ["--tight", "200"], "no work": ["--tight", "10000000"],
            "odd forms": ["--odd"], "few changes": ["--changes", "40"]}
CORPUS = os.path.join(SOURCE_DIR, "corpus", "ptx")
SLOW = {"addresses", "leaders"}  # a quarter as many of these
STATED = {"addresses", "leaders"}  # biases that can state the launch in the text
# Scripts with random kernels of their own, the programs that each is given, and other options.  They start
# programs for each kernel, so there are fewer: one for so many of the others.  "lowered" has ten in a file.
SCRIPTS = {
    "launches": ("fuzz/random_launches.py", ["random_kernels", "ptxopt", "ptxrun"], 8, []),
    "launches of new kinds": ("fuzz/random_launches.py", ["random_kernels", "ptxopt", "ptxrun"], 20,
                              ["--bias", "async", "heap"]),
    "guards": ("fuzz/random_guards.py", ["ptxopt", "ptxrun"], 8, []),
    "broadcasts": ("fuzz/random_broadcasts.py", ["ptxopt", "ptxrun"], 8, []),
    "async steps": ("fuzz/random_async.py", ["ptxopt", "ptxrun"], 8, []),
    "checked": ("races/random_check.py", ["random_kernels", "ptxcheck"], 4, []),
    "lowered": ("retarget/random_kernels.py", ["retarget_forms", "ptxopt", "ptxrun"], 2, []),
    "lowered far": ("retarget/random_kernels.py", ["retarget_forms", "ptxopt", "ptxrun"], 4,
                    ["--ptx", "6.0", "--targets", "50", "53", "60"]),
}
OPTIONS = {"random_kernels": "--random-kernels", "retarget_forms": "--forms"}  # others: --PROGRAM

COLUMNS = ["file", "lines", "lines by kernels %", "lines by all %", "branches",
           "branches by kernels %", "branches by all %"]
UNREACHED = ["place", "branch", "text", "reason"]


def say(text):
    print(time.strftime("%H:%M:%S"), text, flush=True)


def run(command, **options):
    """Its output; whoever fails does so with a message."""
    result = subprocess.run(command, capture_output=True, text=True, errors="replace", **options)
    if result.returncode != 0:
        say(f"status {result.returncode}: {shlex.join(command)}\n"
            + (result.stdout + result.stderr)[-2000:])
    return result.stdout


# ---- what gcov says -----------------------------------------------------------------------------


class Coverage:
    """`lines` and `branches`: {file: {key: whether it was reached}}; the key of a line is its number,
    that of a branch (line, place where its function begins, number within the two)."""

    def __init__(self):
        self.lines = {}
        self.branches = {}

    def add_file(self, name, found, exceptional):
        """`exceptional`: as exceptional_branches() says."""
        lines = self.lines.setdefault(name, {})
        branches = self.branches.setdefault(name, {})
        begins = {f["name"]: (f["start_line"], f["start_column"]) for f in found["functions"]}
        for line in found["lines"]:
            number = line["line_number"]
            lines[number] = lines.get(number, False) or line["count"] > 0
            begin = begins.get(line.get("function_name"), (0, 0))
            of_exceptions = exceptional.get((line.get("function_name"), found["file"], number), [])
            for k, count in enumerate(conditions(line["branches"], of_exceptions)):
                key = number, begin, k
                branches[key] = branches.get(key, False) or count > 0


def conditions(branches, of_exceptions=()):
    """How often each branch was taken, of those that are no exceptions.  A call that may throw has two
    ways out, next to each other.  `of_exceptions`: whether only an exception comes to each, if that is known."""
    if len(of_exceptions) == len(branches):
        branches = [branch for branch, is_below in zip(branches, of_exceptions) if not is_below]
    result = []
    k = 0
    while k < len(branches):
        pair = branches[k:k + 2]
        if any(branch["throw"] for branch in pair) and len(pair) == 2:
            k += 2
            continue
        if not pair[0]["throw"]:
            result.append(pair[0]["count"])
        k += 1
    return result


def gcov(folder, notes):
    """[(file, what was found, branches of exceptions)] of one object file."""
    data = os.path.splitext(notes)[0] + ".gcda"
    output = run(["gcov", "--branch-probabilities", "--json-format", "--stdout",
                  data if os.path.exists(data) else notes], cwd=folder)
    exceptional = exceptional_branches(notes)
    result = []
    for line in filter(None, output.splitlines()):
        report = json.loads(line)
        for found in report["files"]:
            path = os.path.join(report["current_working_directory"], found["file"])
            name = os.path.relpath(os.path.normpath(path), SOURCE_DIR)
            if is_below(name):
                result.append((name, found, exceptional))
    return result


def files_of(folder, ending):
    for path, _, names in os.walk(os.path.join(folder, "src")):
        yield from (os.path.join(path, name) for name in sorted(names) if name.endswith(ending))


def collect(folder, jobs):
    coverage = Coverage()
    notes = sorted(files_of(folder, ".gcno"))
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        for found in pool.map(lambda path: gcov(folder, path), notes):
            for name, one, exceptional in found:
                coverage.add_file(name, one, exceptional)
    return coverage


# ---- runs ---------------------------------------------------------------------------------------


def build(arguments):
    run(["cmake", "-S", SOURCE_DIR, "-B", arguments.folder, "-G", "Ninja",
         "-DCMAKE_BUILD_TYPE=Release", "-DPTXOPT_UNITY_BUILD=ON", "-DPTXOPT_RULE_FLAGS=-O0;-w;--coverage",
         "-DCMAKE_EXE_LINKER_FLAGS=--coverage"])
    programs = [] if arguments.tests != TESTS else PROGRAMS
    subprocess.run(["ninja", "-C", arguments.folder, f"-j{arguments.jobs}", *programs], check=True,
                   stdout=subprocess.DEVNULL)


def progress_file(arguments):
    return os.path.join(arguments.folder, "kernels.json")


def kernels_done(arguments):
    """{kind: how many} by a run that was stopped, if nothing was compiled since; else forgets it."""
    path = progress_file(arguments)
    if os.path.exists(path) and all(os.path.getmtime(notes) < os.path.getmtime(path)
                                    for notes in files_of(arguments.folder, ".gcno")):
        return json.loads(read(path))
    for counts_of_object in files_of(arguments.folder, ".gcda"):
        os.remove(counts_of_object)
    return {}


def run_kernels(arguments):
    """{kind: how many}, those of a run that was stopped included."""
    done = kernels_done(arguments)
    runs = {**dict.fromkeys([*BIASES, CHANGED], run_kind), **dict.fromkeys(VARIANTS, run_variant),
            **dict.fromkeys(SCRIPTS, run_script)}
    for kind, run_one in runs.items():
        if kind in done:
            continue
        start = time.monotonic()
        done[kind] = run_one(arguments, kind)
        say(f"{done[kind]} kernels, {kind}: {time.monotonic() - start:.0f} s")
        write(progress_file(arguments), json.dumps(done))
    return done


def program(arguments, name):
    return os.path.join(arguments.folder, "bin", name)


def run_variant(arguments, kind):
    """Returns how many."""
    number = arguments.kernels // 16
    for bias in BIASES:
        run_kernel_program(arguments, ["--bias", bias, "--count", str(number), *VARIANTS[kind], "--assume"])
    return number * len(BIASES)


def run_kernel_program(arguments, words):
    run([program(arguments, "random_kernels"), *words, "--schedules", "1", "--audit", "1", "--draw", "3",
         "-j", str(arguments.jobs), "--out", os.path.join(arguments.folder, "found")])


def run_kind(arguments, kind):
    """Returns how many."""
    source = ["--corpus", CORPUS] if kind == CHANGED else ["--bias", kind]
    stated = ["--stated"] if kind in STATED else []
    number = arguments.kernels // 4 if kind in SLOW else arguments.kernels
    for seed, words in [(1, []), (1 + number // 2, ["--assume", *stated])]:
        run_kernel_program(arguments, [*source, "--seed", str(seed), "--count", str(number // 2), *words])
    return number


def run_script(arguments, kind):
    """Returns how many."""
    script, names, share, words = SCRIPTS[kind]
    number = arguments.kernels // share
    programs = [word for name in names for word in (OPTIONS.get(name, f"--{name}"), program(arguments, name))]
    run([sys.executable, os.path.join(SOURCE_DIR, "tests", script), *programs, *words, "--count", str(number)])
    return number


def run_tests(arguments):
    output = run(["ctest", "--test-dir", arguments.folder, "-R", arguments.tests,
                  "-j", str(arguments.jobs), "--output-on-failure"])
    say("\n".join(line for line in output.splitlines() if re.search(r"Test +#|tests? passed", line)))


# ---- tables -------------------------------------------------------------------------------------


def counts(reached, names):
    """(how many, how many of them reached)"""
    values = [value for name in names for value in reached.get(name, {}).values()]
    return len(values), sum(values)


def table_row(title, names, kernels, everything):
    lines, lines_by_all = counts(everything.lines, names)
    branches, branches_by_all = counts(everything.branches, names)
    values = [title, lines, percent(counts(kernels.lines, names)[1], lines),
              percent(lines_by_all, lines), branches,
              percent(counts(kernels.branches, names)[1], branches),
              percent(branches_by_all, branches)]
    return "\t".join(map(str, values))


def results(arguments, made, kernels, everything):
    names = sorted(everything.lines)
    rules = [name for name in names if is_rule_file(name)]
    others = [name for name in names if not is_rule_file(name)]
    lines = [
        f"# tests/coverage/coverage.py --kernels {arguments.kernels} --tests '{arguments.tests}'",
        f"# Kernels: {', '.join(f'{kind} {number}' for kind, number in made.items())}.",
        "# By kernels: random kernels of every bias, and kernels of the corpus changed at random, each",
        "# through three of all passes, options and levels, drawn by its seed, and those of scripts",
        "# with random facts of launches, guards, --for, asynchronous steps and ptxcheck;",
        "# by all: those, and the tests of ctest with such names.  Goals, of the branches of files",
        f"# that decide what is sound: {GOALS['kernels']} % by kernels, {GOALS['tests']} % by all.",
        "# Left out: branches that exceptions take and come to, and calls that they leave.  Templates and",
        "# inline functions count once, reached if any copy was.  gcov of -O0: higher levels fold",
        "# conditions into arithmetic and copy functions into their callers.",
        "\t".join(COLUMNS),
        table_row("all that decide what is sound", rules, kernels, everything),
        table_row("all others", others, kernels, everything)]
    lines += [table_row(name, [name], kernels, everything) for name in names]
    return "\n".join(lines) + "\n"


def read_reasons(path):
    """{key of the row: reason}"""
    reasons = {}
    for place, branch, text, reason in rows_with_keys(path):
        reasons[place, branch, text] = reason
    return reasons


def rows_with_keys(path):
    """The rows of the table.  The lines may have moved: in the place of each stands how many lines with
    the same text the file has above it."""
    if not os.path.exists(path):
        return
    seen = {}
    for line in read(path).splitlines():
        if line.startswith("#") or line == "\t".join(UNREACHED):
            continue
        place, branch, text, reason = line.split("\t")
        file = place.rsplit(":", 1)[0]
        lines = seen.setdefault((file, text), [])
        if place not in lines:
            lines.append(place)
        yield (file, len(lines)), branch, text, reason


def unreached_rows(everything):
    for name in sorted(filter(is_rule_file, everything.branches)):
        source = read(os.path.join(SOURCE_DIR, name)).splitlines()
        of_line = {}
        for key, reached in sorted(everything.branches[name].items()):
            of_line.setdefault(key[0], []).append(reached)
        for line, all_reached in sorted(of_line.items()):
            text = re.sub(r"\s+", " ", source[line - 1]).strip()
            missing = [str(k) for k, reached in enumerate(all_reached, 1) if not reached]
            if not everything.lines[name].get(line, False):
                yield f"{name}:{line}", "line not reached", text
            elif missing:
                yield f"{name}:{line}", f"{', '.join(missing)} of {len(all_reached)}", text


def unreached(arguments, everything, path):
    reasons = read_reasons(path)
    rows = list(unreached_rows(everything))
    text = "\n".join("\t".join([*row, ""]) for row in rows)
    # The keys of new rows are made like those of old ones.
    write(path, text + "\n")
    given = [reasons.get(key[:3], "") for key in rows_with_keys(path)]
    lines = [
        f"# tests/coverage/coverage.py --kernels {arguments.kernels} --tests '{arguments.tests}'",
        f"# Branches that nothing reached, of files that decide what is sound: {len(rows)} lines, "
        f"{sum(map(bool, given))} with a reason.",
        "\t".join(UNREACHED)]
    lines += ["\t".join([*row, reason]) for row, reason in zip(rows, given)]
    write(path, "\n".join(lines) + "\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kernels", type=int, default=2000,
                        help=f"random kernels of each kind; a quarter of {' and '.join(sorted(SLOW))}")
    parser.add_argument("--tests", default=TESTS, metavar="REGEX",
                        help=f"names of the tests of ctest that all tests are ({TESTS}; '.': all)")
    parser.add_argument("--folder", default=os.path.join(SOURCE_DIR, "build", "coverage"),
                        help="to build in")
    parser.add_argument("--results", default=HERE, metavar="FOLDER", help="for the two tables")
    parser.add_argument("-j", "--jobs", type=int, default=1)
    arguments = parser.parse_args()
    arguments.folder = os.path.abspath(arguments.folder)
    build(arguments)
    made = run_kernels(arguments)
    kernels = collect(arguments.folder, arguments.jobs)
    os.remove(progress_file(arguments))  # what the tests reach, too, is of no use to the next run
    run_tests(arguments)
    everything = collect(arguments.folder, arguments.jobs)
    table = results(arguments, made, kernels, everything)
    write(os.path.join(arguments.results, "results.tsv"), table)
    unreached(arguments, everything, os.path.join(arguments.results, "unreached.tsv"))
    print("\n".join(table.splitlines()[:12]))


if __name__ == "__main__":
    main()
