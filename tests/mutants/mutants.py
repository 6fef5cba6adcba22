#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Mutants of our own rules: what breaks in src/analysis and src/passes without a test that notices?

Draws changes of one condition, constant or statement each (changes.py), builds all of them into one
copy of the source, each asleep until the environment names it (active.h), and runs unit tests, the
files of tests/regress and random kernels with one mutant awake at a time, until something notices.
README.md says how to read results.tsv and what to do about survivors.
"""
import argparse
import hashlib
import json
import os
import re
import resource
import shlex
import shutil
import signal
import subprocess
import sys
import time

import changes
from rules import SOURCE_DIR, percent, read, rule_files, write

HERE = os.path.dirname(os.path.abspath(__file__))
COLUMNS = ["number", "id", "place", "kind", "before", "after", "noticed by", "judgement"]
SURVIVED = "survived"
NOT_REACHED = "survived: not reached"

UNIT_TESTS = ["passes_test", "analysis_test", "audit_test", "needs_test", "retarget_test"]
PROGRAMS = [*UNIT_TESTS, "ptxopt", "ptxcheck", "ptxrun", "ptxreduce", "random_kernels"]
REGRESS = ["audit", "basic-dbe", "common-base", "cssa", "dead-sync", "dead-wait", "driver", "early-cse", "global-opt",
           "ptxcheck", "retarget", "unknown", "warp-sync"]
MOST_SECONDS = 20  # of one check; what takes longer is left out

O3 = "global-opt,dead-sync,early-cse,common-base"
# Kinds of random kernels, and what they go through; without a pipeline, a draw of all passes and levels.
KERNELS = [
    ("barriers", ["--bias", "barriers", "--pipeline", "basic-dbe", "--pipeline", "dead-sync"]),
    ("redundancy", ["--bias", "redundancy", "--pipeline", "early-cse<memssa>",
                    "--pipeline", "early-cse<memssa,across-blocks=2,merge-cheap>"]),
    ("addresses", ["--bias", "addresses", "--pipeline", "dead-sync", "--pipeline", "common-base"]),
    ("addresses --stated --assume",
     ["--bias", "addresses", "--stated", "--assume", "--pipeline", "dead-sync<guard>,warp-sync"]),
    ("variables", ["--bias", "variables", "--pipeline", "global-opt",
                   "--pipeline", "global-opt,dead-sync,early-cse<memssa>"]),
    ("pointers", ["--bias", "pointers", "--pipeline", "common-base", "--pipeline", O3]),
    ("phis", ["--bias", "phis", "--pipeline", "cssa<coalesce=0>", "--pipeline", "cssa<fold-copies>",
              "--pipeline", "early-cse"]),
    ("leaders", ["--bias", "leaders", "--pipeline", "dead-sync"]),
    ("async", ["--bias", "async", "--pipeline", "dead-sync", "--pipeline", "dead-sync,warp-sync"]),
    ("barriers --assume", ["--bias", "barriers", "--assume",
                           "--pipeline", "dead-sync<guard>,warp-sync"]),
    ("none", ["--draw", "4"]),
    ("rules --assume", ["--bias", "rules", "--assume", "--draw", "4"]),
]


def say(text):
    print(time.strftime("%H:%M:%S"), text, flush=True)


def hash_of(*paths):
    digest = hashlib.sha256()
    for path in paths:
        with open(path, "rb") as file:
            digest.update(file.read())
    return digest.hexdigest()


# ---- the mutants --------------------------------------------------------------------------------


def drawn(sources, seed):
    """All changes, each kind in turn.  The place of one in its kind depends on the seed and its id
    alone, so that an edit of the source moves no others."""
    kinds = {kind: [] for kind in changes.KINDS}
    for file, source in sources.items():
        for change in changes.find_changes(file, source):
            kinds[change.kind].append(change)
    for found in kinds.values():
        found.sort(key=lambda c: hashlib.sha256(f"{seed} {c.id}".encode()).digest())
    result = []
    for k in range(max(len(found) for found in kinds.values())):
        result += [found[k] for found in kinds.values() if k < len(found)]
    return result


class Mutants:
    """The first `count` changes that build, those of the table first; the number of each is its place
    in the draw."""

    def __init__(self, sources, arguments, folder, table=()):
        self.sources = sources
        self.all = sorted(enumerate(drawn(sources, arguments.seed), 1),
                          key=lambda numbered: numbered[1].id not in table)
        self.count = arguments.count
        self.rejected_path = os.path.join(folder, "rejected.json")
        self.rejected = set()
        if os.path.exists(self.rejected_path):
            self.rejected = set(json.loads(read(self.rejected_path)))

    def reject(self, rejected):
        self.rejected |= {change.id for change in rejected}
        with open(self.rejected_path, "w", encoding="utf-8") as file:
            json.dump(sorted(self.rejected), file)

    def chosen(self):
        """[(number, change)]"""
        of_file = {file: [] for file in self.sources}
        result = []
        for number, change in self.all:
            if len(result) == self.count:
                break
            others = of_file[change.file]
            if change.id not in self.rejected and changes.fits(change, others):
                others.append(change)
                result.append((number, change))
        return sorted(result, key=lambda numbered: numbered[0])


# ---- the copy that is built ---------------------------------------------------------------------


class Copy:
    def __init__(self, arguments):
        self.folder = os.path.abspath(arguments.folder)
        self.tree = os.path.join(self.folder, "tree")
        # As deep as other builds: then ccache knows what has not changed.
        self.build = os.path.join(self.tree, "build", "mutants")
        self.jobs = arguments.jobs

    def update(self, sources):
        """Copies what differs; `sources`: {file: text} instead of what the files hold."""
        listed = subprocess.run(
            ["git", "-C", SOURCE_DIR, "ls-files", "-z", "-co", "--exclude-standard"],
            check=True, capture_output=True, text=True).stdout.split("\0")
        for name in filter(None, listed):
            path, target = os.path.join(SOURCE_DIR, name), os.path.join(self.tree, name)
            if not os.path.isfile(path):
                continue
            if name in sources:
                new = sources[name].encode()
            else:
                with open(path, "rb") as file:
                    new = file.read()
            if os.path.exists(target):
                with open(target, "rb") as file:
                    if file.read() == new:
                        continue
            os.makedirs(os.path.dirname(target), exist_ok=True)
            with open(target, "wb") as file:
                file.write(new)
            shutil.copymode(path, target)

    def configure(self):
        header = os.path.join(self.tree, os.path.relpath(HERE, SOURCE_DIR), "active.h")
        subprocess.run(
            ["cmake", "-S", self.tree, "-B", self.build, "-G", "Ninja",
             "-DCMAKE_BUILD_TYPE=Release",
             f"-DPTXOPT_RULE_FLAGS=-O1;-w;-Wno-narrowing;-fmax-errors=0;-include;{header}"],
            check=True, stdout=subprocess.DEVNULL)

    def ninja(self):
        """None, or what the compiler said."""
        run = subprocess.run(["ninja", "-C", self.build, "-k", "0", f"-j{self.jobs}", *PROGRAMS],
                             capture_output=True, text=True, errors="replace")
        return None if run.returncode == 0 else run.stdout + run.stderr

    def make(self, mutants):
        """Builds with all mutants that build; returns them."""
        while True:
            chosen = mutants.chosen()
            sources = {}
            for file, source in mutants.sources.items():
                here = [(n, change) for n, change in chosen if change.file == file]
                sources[file] = changes.built_in(source, here)
            self.update(sources)
            self.configure()
            say(f"building {len(chosen)} mutants")
            output = self.ninja()
            if output is None:
                return chosen
            bad = unbuildable(output, [change for _, change in chosen])
            if not bad:
                sys.exit(output[-6000:] + "\nmutants: the build fails, and no mutant is to blame")
            say(f"{len(bad)} do not build; drawing others")
            mutants.reject(bad)


def unbuildable(output, chosen):
    """The changes on lines with errors; of a file where no error is on such a line, those on lines
    that the compiler names at all."""
    bad = []
    for part in re.split(r"^FAILED: ", output, flags=re.MULTILINE)[1:]:
        places = [re.findall(rf"(src/[\w/]+\.cpp):(\d+):\d+:{words}", part)
                  for words in (r" (?:fatal )?error:", "")]
        for named in places:
            named = {(file, int(line)) for file, line in named}
            found = [c for c in chosen if any((c.file, line) in named for line in c.lines)]
            if found:
                bad += found
                break
    return bad


# ---- checks -------------------------------------------------------------------------------------


class Check:
    """One command, and the mutants that it comes across."""

    def __init__(self, kind, name, command, stamp):
        self.kind = kind
        self.name = name
        self.command = command
        self.stamp = stamp  # the same as long as it does the same
        self.reached = set()
        self.seconds = 0.0


def run(command, environment, seconds, folder):
    """(status, output), or (None, "") when it took longer than so much time of the processor."""
    def limit():
        resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds + 5))
        resource.setrlimit(resource.RLIMIT_AS, (6 << 30, 6 << 30))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))

    process = subprocess.Popen(command, env={**os.environ, **environment}, preexec_fn=limit,
                               cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                               text=True, errors="replace", start_new_session=True)
    try:
        output, _ = process.communicate(timeout=30 * seconds)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        process.communicate()
        return None, ""
    if process.returncode in {-signal.SIGXCPU, 128 + signal.SIGXCPU}:
        return None, ""
    return process.returncode, output


class Checks:
    def __init__(self, copy, arguments):
        self.copy = copy
        self.bin = os.path.join(copy.build, "bin")
        self.environment = {"PTXOPT_SOURCE_DIR": copy.tree, "PTXOPT_BIN_DIR": self.bin}
        self.arguments = arguments
        cache = read(os.path.join(copy.build, "CMakeCache.txt"))
        found = re.search(r"^PTXOPT_LIT:FILEPATH=(.*)$", cache, re.MULTILINE)
        self.lit = found.group(1) if found and "NOTFOUND" not in found.group(1) else None
        self.checks = [*self.unit_tests(), *self.regress(), *self.random_kernels()]

    def program(self, name):
        return os.path.join(self.bin, name)

    def unit_tests(self):
        for name in UNIT_TESTS:
            program = self.program(name)
            stamp = hash_of(program)
            _, output = run([program, "--gtest_list_tests"], self.environment, 60, self.copy.build)
            for suite in re.findall(r"^([\w/]+\.)", output, re.MULTILINE):
                yield Check("unit test", f"{name} {suite}*",
                            [program, f"--gtest_filter={suite}*", "--gtest_fail_fast"], stamp)

    def lit_command(self, names):
        pattern = "|".join(f" {re.escape(name)}$" for name in names)
        return [sys.executable, self.lit, "-sv", f"-j{self.arguments.jobs}", "--order=lexical",
                "--max-failures=1", "--filter", pattern,
                os.path.join(self.copy.build, "tests", "regress")]

    def regress(self):
        if self.lit is None:
            say("no lit: the files of tests/regress are left out")
            return
        programs = hash_of(*map(self.program, ["ptxopt", "ptxcheck", "ptxrun", "ptxreduce"]))
        root = os.path.join(self.copy.tree, "tests", "regress")
        for folder in REGRESS:
            for name in sorted(os.listdir(os.path.join(root, folder))):
                if name.endswith((".ptx", ".test")):
                    name = f"{folder}/{name}"
                    stamp = programs + hash_of(os.path.join(root, name))
                    yield Check("regress", name, self.lit_command([name]), stamp)

    def random_kernels(self):
        program = self.program("random_kernels")
        stamp = hash_of(program)
        batch = self.arguments.batch
        options = shlex.split(self.arguments.kernel_options)
        for k in range(self.arguments.kernels // batch):
            label, words = KERNELS[k % len(KERNELS)]
            seed = 1 + k // len(KERNELS) * batch
            yield Check("random kernels", f"{label}, seeds {seed} to {seed + batch - 1}",
                        [program, *words, "--count", str(batch), "--seed", str(seed),
                         "--schedules", str(self.arguments.schedules),
                         "--out", os.path.join(self.copy.folder, "found"), *options], stamp)

    # ---- without a mutant ----------------------------------------------------------------------

    def measure(self):
        """Runs every check without a mutant: what it reaches and what it costs.  Those that fail or
        take long are left out."""
        path = os.path.join(self.copy.folder, "baseline.json")
        known = json.loads(read(path)) if os.path.exists(path) else {}
        good = []
        for number, check in enumerate(self.checks):
            key = hashlib.sha256(repr([check.command, check.stamp]).encode()).hexdigest()
            if key not in known:
                known[key] = self.measured(check)
                if number % 20 == 19:
                    say(f"{number + 1} of {len(self.checks)} checks without a mutant")
                    write(path, json.dumps(known))
            check.seconds, check.reached = known[key]["seconds"], set(known[key]["reached"])
            if known[key]["status"] != 0 or check.seconds > MOST_SECONDS:
                say(f"left out: {check.kind} {check.name}: status {known[key]['status']}, "
                    f"{check.seconds:.1f} s")
            else:
                good.append(check)
        write(path, json.dumps(known))
        self.checks = good
        self.checks.sort(key=lambda c: (kind_order(c.kind), c.seconds))

    def measured(self, check):
        reached = os.path.join(self.copy.folder, "reached.txt")
        if os.path.exists(reached):
            os.remove(reached)
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        status, _ = run(check.command, {**self.environment, "PTXOPT_MUTANTS_REACHED": reached},
                        300, self.copy.build)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        numbers = sorted(set(map(int, read(reached).split()))) if os.path.exists(reached) else []
        return {"status": status, "seconds": round(seconds, 2), "reached": numbers}

    # ---- with one ------------------------------------------------------------------------------

    def notice(self, number):
        """What notices the mutant."""
        mine = [check for check in self.checks if number in check.reached]
        if not mine:
            return NOT_REACHED
        for kind in ("unit test", "regress", "random kernels"):
            of_kind = [check for check in mine if check.kind == kind]
            for checks in self.batches(kind, of_kind):
                noticed = self.run_with(number, checks)
                if noticed:
                    return noticed
        return SURVIVED

    def batches(self, kind, checks):
        """Files of tests/regress go together: starting lit takes longer than most of them."""
        if kind != "regress":
            return [[check] for check in checks]
        return [part for part in (checks[:4], checks[4:20], checks[20:]) if part]

    def run_with(self, number, checks):
        environment = {**self.environment, "PTXOPT_MUTANT": str(number)}
        # Of one process: lit starts many.
        seconds = 10 + 5 * int(max(check.seconds for check in checks))
        is_regress = checks[0].kind == "regress"
        command = self.lit_command([c.name for c in checks]) if is_regress else checks[0].command
        status, output = run(command, environment, seconds, self.copy.build)
        if status == 0:
            return None
        if status is None:
            return f"time-out: {checks[0].kind} {checks[0].name}"
        return f"{checks[0].kind} {failed_name(checks[0], output)}"


def kind_order(kind):
    return ["unit test", "regress", "random kernels"].index(kind)


def failed_name(check, output):
    """Which of them it was, as people name it."""
    if check.kind == "unit test":
        names = re.findall(r"^\[  FAILED  \] ([\w/.]+)", output, re.MULTILINE) or \
            re.findall(r"^\[ RUN      \] ([\w/.]+)", output, re.MULTILINE)[-1:]
        return names[0] if names else check.name
    if check.kind == "regress":
        names = re.findall(r"^(?:FAIL|TIMEOUT|UNRESOLVED): ptxopt :: (\S+)", output, re.MULTILINE)
        return names[0] if names else check.name
    seeds = re.findall(r"^seed (\d+):", output, re.MULTILINE)
    return check.name.split(",")[0] + (f", seed {seeds[0]}" if seeds else ", no answer")


# ---- the table ----------------------------------------------------------------------------------


def read_table(path):
    """{id: row}"""
    rows = {}
    if os.path.exists(path):
        for line in read(path).splitlines():
            if line and not line.startswith(("#", COLUMNS[0] + "\t")):
                row = dict(zip(COLUMNS, line.split("\t")))
                rows[row["id"]] = row
    return rows


def summary(rows, arguments):
    survivors = [row for row in rows if row["noticed by"].startswith(SURVIVED)]
    equivalent = [row for row in survivors if row["judgement"].startswith("equivalent")]
    noticed = len(rows) - len(survivors)
    by = {kind: sum(row["noticed by"].startswith(kind) for row in rows)
          for kind in ("unit test", "regress", "random kernels", "time-out")}
    words = "; ".join(f"{kind} {count}" for kind, count in by.items())
    reached = sum(row["noticed by"] == NOT_REACHED for row in survivors)
    return [
        f"# tests/mutants/mutants.py --seed {arguments.seed} --count {arguments.count} "
        f"--kernels {arguments.kernels} --schedules {arguments.schedules}"
        + (f" --kernel-options '{arguments.kernel_options}'" if arguments.kernel_options else ""),
        "# The draw depends on the source.  Where a change is no longer there, its row goes, and the first",
        "# change of the draw that has no row takes its place.",
        f"# {len(rows)} mutants tried: {noticed} noticed ({percent(noticed, len(rows))} %), first by: "
        f"{words}",
        f"# {len(survivors)} survived, {reached} of them reached by no check; {len(equivalent)} judged "
        f"equivalent; noticed of the others: {percent(noticed, len(rows) - len(equivalent))} %"]


def write_table(path, rows, arguments):
    rows = sorted(rows, key=lambda row: int(row["number"]))
    lines = [*summary(rows, arguments), "\t".join(COLUMNS)]
    lines += ["\t".join(row[column] for column in COLUMNS) for row in rows]
    write(path, "\n".join(lines) + "\n")


def make_row(number, change, noticed, judgement):
    values = [str(number), change.id, f"{change.file}:{change.line}", change.kind, change.before,
              change.after, noticed, judgement]
    return dict(zip(COLUMNS, values))


# ---- command line -------------------------------------------------------------------------------


def parse():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seed", type=int, default=1, help="of the draw")
    parser.add_argument("--count", type=int, default=300, help="of mutants")
    parser.add_argument("--kernels", type=int, default=5000,
                        help="random kernels for a mutant that no test notices, of all kinds together")
    parser.add_argument("--batch", type=int, default=25, help="random kernels of one run")
    parser.add_argument("--schedules", type=int, default=2, help="of each random kernel")
    parser.add_argument("--kernel-options", default="", metavar="WORDS",
                        help="more options for random_kernels")
    parser.add_argument("--again", choices=["survived", "all"],
                        help="try mutants once more that the table has a result for")
    parser.add_argument("--only", nargs="+", metavar="ID", help="try these once more, and no others")
    parser.add_argument("--list", action="store_true", help="print the draw, and do nothing else")
    parser.add_argument("--results", default=os.path.join(HERE, "results.tsv"))
    parser.add_argument("--folder", default=os.path.join(SOURCE_DIR, "build", "mutants"),
                        help="for the copy that is built")
    parser.add_argument("-j", "--jobs", type=int, default=1, help="of ninja and lit")
    return parser.parse_args()


def is_done(row, arguments):
    if arguments.only:
        return row["id"] not in arguments.only
    if not row["noticed by"] or arguments.again == "all":
        return False
    return not (arguments.again == "survived" and row["noticed by"].startswith(SURVIVED))


def main():
    arguments = parse()
    sources = {file: read(os.path.join(SOURCE_DIR, file)) for file in rule_files(".cpp")}
    os.makedirs(arguments.folder, exist_ok=True)
    old = read_table(arguments.results)
    mutants = Mutants(sources, arguments, arguments.folder, old)
    if arguments.list:
        for number, change in mutants.chosen():
            print(f"{number}\t{change.id}\t{change.file}:{change.line}\t{change.kind}\n"
                  f"\t{change.before}\n\t{change.after}")
        return
    copy = Copy(arguments)
    chosen = copy.make(mutants)
    checks = Checks(copy, arguments)
    checks.measure()

    rows = {}
    for number, change in chosen:
        if change.id in old:
            row = old[change.id]
            rows[change.id] = make_row(number, change, row["noticed by"], row["judgement"])
    for number, change in chosen:
        row = rows.get(change.id)
        if (row and is_done(row, arguments)) or (arguments.only and change.id not in arguments.only):
            continue
        start = time.monotonic()
        noticed = checks.notice(number)
        rows[change.id] = make_row(number, change, noticed, row["judgement"] if row else "")
        write_table(arguments.results, rows.values(), arguments)
        say(f"{number} of {len(chosen)}: {change.file}:{change.line}: {noticed} "
            f"({time.monotonic() - start:.0f} s)")
    write_table(arguments.results, rows.values(), arguments)


if __name__ == "__main__":
    main()
