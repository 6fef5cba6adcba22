# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a level, or other passes, changed in the corpus: ptxrun finds no difference between before and after.

Every kernel of every changed file is launched as its file describes, or with arguments that ptxrun
makes up, under several schedules.  A kernel that ptxrun cannot run, or that has a race of its own,
proves nothing either way and is counted as inconclusive.  Of the launches that files describe, what
was believed of the kernel is checked as well (docs/facts.md); with --unchanged also where nothing
was changed.  --folder stands in for the corpus.
"""
import collections
import os
import re
import subprocess
import sys
import tempfile

import corpus

ENTRY = re.compile(r"^[^/\n]*\.entry\s+([\w$%]+)", re.MULTILINE)
LAUNCH = re.compile(r"^//\s*LAUNCH:", re.MULTILINE)
VERDICTS = {0: "same", 2: "different", 3: "inconclusive"}
SECONDS = 60


def read(path):
    with open(path, errors="replace") as file:
        return file.read()


def compare(ptxrun, schedules, file, output, kernel):
    """(verdict, what was printed).  `ptxrun` is the program with options."""
    command = [*ptxrun, "--compare", file.path, output, "--kernel", kernel, "--guess",
               "--schedules", str(schedules)]
    try:
        run = subprocess.run(command, capture_output=True, text=True, errors="replace",
                             timeout=SECONDS)
    except subprocess.TimeoutExpired:
        return "inconclusive", "took too long"
    return VERDICTS.get(run.returncode, "inconclusive"), run.stdout + run.stderr


def write_facts(ptxopt, steps, file, folder):
    """What ptxopt believes of a file: (the file with the facts, an error or an empty string)."""
    facts = os.path.join(folder, file.name.replace("/", "_") + ".facts")
    made = subprocess.run([ptxopt, "-q", steps, file.path, "-o", os.devnull, "--facts", facts],
                          capture_output=True, text=True, errors="replace")
    return facts, made.stderr if made.returncode != 0 else ""


def audit(ptxrun, file, kernel, facts):
    """What ptxrun says against what ptxopt believes of a kernel; None where that was not checked."""
    command = [*ptxrun, file.path, "--kernel", kernel, "--check-facts", facts, "--schedules", "2"]
    try:
        run = subprocess.run(command, capture_output=True, text=True, errors="replace",
                             timeout=SECONDS)
    except subprocess.TimeoutExpired:
        return None
    # Passes need not be right about threads that race.
    if run.returncode not in (0, 3, 4) or "[data-race]" in run.stderr:
        return None
    return "\n".join(line for line in run.stderr.split("\n") if "[false-fact]" in line)


def main():
    parser = corpus.parser(__doc__, subset=40)
    parser.add_argument("--ptxrun", required=True)
    parser.add_argument("--schedules", type=int, default=6)
    parser.add_argument("--level", default="-O2")
    parser.add_argument("--passes", help="instead of a level")
    parser.add_argument("--folder", help="the PTX files below it, instead of the corpus")
    parser.add_argument("--except", dest="excepted", metavar="FILE:KERNEL", action="append", default=[],
                        help="a kernel whose behaviour is undefined")
    parser.add_argument("--step-limit", help="of each run of ptxrun")
    parser.add_argument("--unchanged", action="store_true",
                        help="check what is believed of other kernels with a launch, too")
    arguments = parser.parse_args()
    files = corpus.files_below(arguments.folder) if arguments.folder else corpus.files()
    files = [f for f in files if arguments.filter in f.name]
    counts = collections.Counter()
    failures = []
    with tempfile.TemporaryDirectory() as folder:
        steps = f"--passes={arguments.passes}" if arguments.passes else arguments.level
        results, _ = corpus.optimize(arguments.ptxopt, files, folder, [steps, "-q"])
        changed = {f.name for f in files if results[f.name] and read(results[f.name]) != read(f.path)}
        runs = [(f, kernel) for f in files
                if f.name in changed or arguments.unchanged and LAUNCH.search(read(f.path))
                for kernel in ENTRY.findall(read(f.path))
                if f"{f.name}:{kernel}" not in arguments.excepted]
        runs = corpus.spread(runs, arguments.subset)

        ptxrun = [arguments.ptxrun]
        if arguments.step_limit:
            ptxrun += ["--step-limit", arguments.step_limit]
        audited = {file.name: file for file, _ in runs}
        facts = dict(corpus.parallel(
            lambda file: (file.name, write_facts(arguments.ptxopt, steps, file, folder)),
            list(audited.values()), 2))

        def judge(run):
            file, kernel = run
            path, error = facts[file.name]
            believed = error or audit(ptxrun, file, kernel, path)
            if file.name not in changed:
                return run, believed, ("unchanged", "")
            return run, believed, compare(ptxrun, arguments.schedules, file, results[file.name], kernel)

        for (file, kernel), believed, (verdict, text) in corpus.parallel(judge, runs, 2):
            counts[verdict] += 1
            counts["audited"] += believed is not None
            if believed:
                failures.append(f"{file.name}: {kernel}\n{believed}")
            if verdict == "different":
                failures.append(f"{file.name}: {kernel}\n{text}")
    print("\n".join(failures))
    print(f"{len(changed)} changed files, {len(runs)} kernels: {counts['same']} the same, "
          f"{counts['inconclusive']} inconclusive, {counts['different']} different, "
          f"{counts['unchanged']} unchanged; "
          f"of {counts['audited']} it was checked what is believed")
    return 1 if failures or counts["same"] == 0 or counts["audited"] == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
