#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""How many more barriers could go: greedy removal with a judge that we did not write.

sentryward proves a kernel free of races for one launch.  For every kernel with barriers that it can
handle, dead-sync runs first; what comes out must still be free of races.  Then the barriers that
are left are taken out one at a time, from top to bottom, and stay out as long as it proves the rest.
Those are barriers that dead-sync keeps and that this launch does not need.  The table
corpus/expected/yardstick.tsv has a line for each kernel:

    file kernel barriers ours yardstick why

`ours` of the `barriers` are removed by dead-sync, `yardstick` by it and then by greedy removal.
`why` has the line and the reason of each one in between.  The first two are what ptxrun, next to
ptxopt, says of the launch, the others are found by giving dead-sync more to go on:

    unreached  no thread executes it
    one round  it is in a loop, and no thread executes it twice
    shape      it goes when the block of the launch is stated as .reqntid
    arguments  it goes when, besides, the integers that the launch passes are constants in the text
    alias      it goes when, besides, pointer parameters do not overlap (--noalias-params)
    cuda       it goes when, besides, --assume=cuda holds
    otherwise  what dead-sync says with all of that

    yardstick.py --ptxopt PTXOPT --write                   makes the table again (half an hour)
    yardstick.py --ptxopt PTXOPT --write --filter triton   only the lines of some files
    yardstick.py --ptxopt PTXOPT --explain                 only the reasons again, and what is ours
    yardstick.py --ptxopt PTXOPT --sample 20               compares some lines with it

    yardstick.py --ptxopt PTXOPT --facts --write           ours with all that is known of the launch

The table corpus/expected/yardstick_facts.tsv has, for the same kernels, how many barriers are gone
with a file of --launch that says all of this launch (`facts`), whether sentryward still calls the
result free of races (`verdict`), and the time of both in seconds: of ptxopt for the file, and of
sentryward for one proof of the kernel, of which the greedy removal takes one for each barrier.

sentryward is optional: `pip install sentryward`, on PATH or named by PTXOPT_SENTRYWARD.  Without it
the comparison is skipped (exit status 77).
"""
import argparse
import collections
import concurrent.futures
import json
import os
import re
import subprocess
import sys
import tempfile
import time

import sentryward_judge as sentryward

SOURCE_DIR = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(SOURCE_DIR, "tests", "corpus"))
import launch_facts  # noqa: E402
TABLE = os.path.join(SOURCE_DIR, "corpus", "expected", "yardstick.tsv")
FACT_TABLE = os.path.join(SOURCE_DIR, "corpus", "expected", "yardstick_facts.tsv")
SKIPPED = 77

# One target for each producer: the others have the same kernels.
FOLDERS = ["tests/regress/dead-sync", "corpus/ptx/clang/sm_80_O2", "corpus/ptx/cute/sm_90a",
           "corpus/ptx/jax/sm_80", "corpus/ptx/mojo/sm_80", "corpus/ptx/numba/sm_90",
           "corpus/ptx/nvcc/sm_80", "corpus/ptx/nvcc/sm_90a", "corpus/ptx/opencl/sm_75_O2",
           "corpus/ptx/triton/sm_80", "corpus/ptx/triton/sm_90", "corpus/ptx/warp/sm_80"]

# Reasons of a word.
WORDS = ("unreached", "one round", "shape", "arguments", "alias", "cuda")

Row = collections.namedtuple("Row", "file kernel barriers ours yardstick why")
FactRow = collections.namedtuple("FactRow", "file kernel barriers ours facts yardstick verdict seconds proof")
BARRIER = re.compile(r"^(?P<before>.*?)(?:@!?%[\w$]+\s+)?\b(?:bar|barrier)(?:\.cta)?\.(?:sync|red)\b"
                     r"[^;]*;")


def cases():
    """(file relative to the source, kernel, launch), the first launch of each kernel."""
    for folder in FOLDERS:
        base = os.path.join(SOURCE_DIR, folder)
        for name in sorted(os.listdir(base)) if os.path.isdir(base) else []:
            if not name.endswith(".ptx"):
                continue
            path = os.path.join(folder, name)
            with open(os.path.join(SOURCE_DIR, path), errors="replace") as file:
                text = file.read()
            seen = set()
            for launch in sentryward.launches(text):
                kernel = sentryward.entry_of(text, launch).name
                if kernel not in seen:
                    yield path, kernel, launch
                seen.add(kernel)


class Engine:
    """ptxopt --passes dead-sync, and ptxrun."""

    def __init__(self, command):
        self.command = command
        self.interpreter = os.path.join(os.path.dirname(command), "ptxrun")
        help_text = subprocess.run([command, "--help"], capture_output=True, text=True).stdout
        self.options = [option for option in ("--noalias-params", "--assume=cuda")
                        if option.split("=")[0] in help_text]

    def run(self, text, options=()):
        """(the result, {line: remark of dead-sync})"""
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "in.ptx")
            out = os.path.join(folder, "out.ptx")
            with open(path, "w") as file:
                file.write(text)
            run = subprocess.run([self.command, path, "--passes", "dead-sync", "-o", out, "-q",
                                  "--remarks", "-", *options], capture_output=True, text=True,
                                 check=True)
            with open(out) as file:
                result = file.read()
        remarks = [json.loads(line) for line in run.stdout.splitlines()]
        return result, {r["ptx"]["line"]: r for r in remarks if r["pass"] == "dead-sync"}

    def faults(self, text, kernel):
        """Whether the launch of the kernel runs into something, such as a trap."""
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "in.ptx")
            with open(path, "w") as file:
                file.write(text)
            run = subprocess.run([self.interpreter, path, "--kernel", kernel, "--no-races"],
                                 capture_output=True, check=False)
        return run.returncode != 0


def body_lines(text, kernel):
    """Numbers of the lines of a kernel."""
    match = re.search(r"\.entry\s+" + re.escape(kernel) + r"(?![\w$%])", text)
    depth, at = 0, text.index("{", match.start())
    begin = at
    for at in range(begin, len(text)):
        depth += {"{": 1, "}": -1}.get(text[at], 0)
        if depth == 0:
            break
    return range(text.count("\n", 0, begin) + 1, text.count("\n", 0, at) + 2)


def with_line(text, number, instead):
    """The text with something else for the barrier in a line; None for one over several lines."""
    lines = text.split("\n")
    match = BARRIER.match(lines[number - 1])
    if match is None:
        return None
    lines[number - 1] = match["before"] + instead + lines[number - 1][match.end():]
    return "\n".join(lines)


def with_trap_at_second(text, kernel, number):
    """The text with a trap for a thread that comes to the barrier in a line a second time."""
    result = with_line(text, number, "setp.ne.u32 %once_p, %once_n, 0; @%once_p trap; "
                                     "mov.u32 %once_n, 1; bar.sync 0;")
    start = re.search(r"\.entry\s+" + re.escape(kernel) + r"(?![\w$%])[^{]*\{", result).end()
    declarations = " .reg .pred %once_p; .reg .b32 %once_n; mov.u32 %once_n, 0;"
    return result[:start] + declarations + result[start:]


def barriers_of(text, kernel):
    content = text.split("\n")
    return sum(has_barrier(content[n - 1]) for n in body_lines(text, kernel))


def has_barrier(line):
    match = BARRIER.match(line.split("//")[0])
    return match is not None and ".red" not in match[0]


# ---- more to go on -------------------------------------------------------------------------------


def with_shape(text, kernel, launch):
    """The block of the launch stated in the header, on the same lines."""
    if "block" not in launch:
        return text
    match = re.search(r"\.entry\s+" + re.escape(kernel) + r"(?![\w$%])\s*(\([^)]*\))?([^{]*)\{", text)
    header = re.sub(r"\.(reqntid|maxntid)\s+[\d, ]+", "", match[2])
    shape = ", ".join(map(str, sentryward.dimensions(launch["block"])))
    return text[: match.start(2)] + f" .reqntid {shape} " + header + text[match.end(2) :]


def with_arguments(text, kernel, launch):
    """Integers that the launch passes, as constants where the kernel loads them."""
    parameters = re.search(r"\.entry\s+" + re.escape(kernel) + r"(?![\w$%])\s*\(([^)]*)\)", text)
    if parameters is None:
        return text
    lines = text.split("\n")
    names = [p.split()[-1].split("[")[0] for p in parameters[1].split(",") if p.strip()]
    for name, argument in zip(names, launch.get("args", [])):
        scalar = re.fullmatch(r"[us](8|16|32|64):(-?\w+)", argument)
        if scalar is None:
            continue
        load = re.compile(r"ld\.param\.([usb](?:16|32|64))(\s+%[\w$]+,\s*)\[" + re.escape(name) + r"\]")
        for number in body_lines(text, kernel):
            lines[number - 1] = load.sub(
                lambda m: f"mov.{m[1]}{m[2]}{int(scalar[2], 0)}", lines[number - 1])
    return "\n".join(lines)


def reason_of(remark):
    """What dead-sync says of a barrier that it keeps, in one line."""
    message = remark["message"].split("\n")[0]
    reason = message.split(": ", 2)[-1] if message.count(": ") > 1 else message
    details = remark["details"]
    if "above" not in details or "below" not in details:
        return reason
    sides = []
    for side in ("above", "below"):
        address = details.get(side + "_address")
        sides.append(details[side] + (f" [{address}]" if address else ""))
    return " / ".join(sides)


def explain(engine, text, kernel, launch, lines):
    """{line: why dead-sync keeps the barrier}"""
    reasons = {}
    remarks = engine.run(text)[1]
    for line in lines:
        if not engine.faults(with_line(text, line, "trap;"), kernel):
            reasons[line] = "unreached"
        elif remarks.get(line, {}).get("details", {}).get("loop_depth", "0") != "0" and (
                not engine.faults(with_trap_at_second(text, kernel, line), kernel)):
            reasons[line] = "one round"
    options = []
    steps = [("shape", lambda t: with_shape(t, kernel, launch), None),
             ("arguments", lambda t: with_arguments(t, kernel, launch), None),
             ("alias", lambda t: t, "--noalias-params"), ("cuda", lambda t: t, "--assume=cuda")]
    for name, change, option in steps:
        if option is not None and option not in engine.options:
            continue
        options += [option] if option else []
        text = change(text)
        remarks = engine.run(text, options)[1]
        for line in lines:
            if line not in reasons and remarks.get(line, {}).get("kind") == "passed":
                reasons[line] = name
    for line in lines:
        if line not in reasons:
            reasons[line] = reason_of(remarks[line]) if line in remarks else "not judged"
    return reasons


# ---- one kernel ----------------------------------------------------------------------------------


def proves(command, text, launch, seconds):
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "k.ptx")
        with open(path, "w") as file:
            file.write(text)
        return sentryward.judge(command, path, launch, seconds)


def measure(case, engine, command, seconds):
    """A Row; None where sentryward has no proof of the original.  Complains with a string."""
    file, kernel, launch = case
    with open(os.path.join(SOURCE_DIR, file), errors="replace") as source:
        text = source.read()
    content = text.split("\n")
    lines = [n for n in body_lines(text, kernel) if has_barrier(content[n - 1])]
    if not lines:
        return None
    if proves(command, text, launch, seconds).kind != "clean":
        return None
    result, remarks = engine.run(text)
    verdict = proves(command, result, launch, seconds)
    if verdict.kind == "none":
        return None
    if verdict.kind != "clean":
        return f"{file} {kernel}: free of races before dead-sync, now {verdict}"
    removed = [n for n in lines if remarks.get(n, {}).get("kind") == "passed"]
    rest = text
    for line in sorted(remarks):
        if remarks[line]["kind"] == "passed":
            rest = with_line(rest, line, "")
            if rest is None:
                return None
    further = []
    for line in lines:
        if line in removed:
            continue
        fewer = with_line(rest, line, "")
        if proves(command, fewer, launch, seconds).kind == "clean":
            rest = fewer
            further.append(line)
    reasons = explain(engine, text, kernel, launch, further) if further else {}
    why = "; ".join(f"{line}: {reasons[line]}" for line in further)
    return Row(file, kernel, str(len(lines)), str(len(removed)), str(len(removed) + len(further)),
               why)


def explain_again(row, launch, engine):
    with open(os.path.join(SOURCE_DIR, row.file), errors="replace") as source:
        text = source.read()
    lines = {int(each.split(":")[0]) for each in filter(None, row.why.split("; "))}
    remarks = engine.run(text)[1]
    content = text.split("\n")
    removed = {n for n in body_lines(text, row.kernel)
               if has_barrier(content[n - 1]) and remarks.get(n, {}).get("kind") == "passed"}
    if len(removed | lines) != int(row.yardstick) or not all(
            has_barrier(content[n - 1]) for n in lines):
        return f"{row.file} {row.kernel}: dead-sync takes others than before; measure it again"
    lines = sorted(lines - removed)
    reasons = explain(engine, text, row.kernel, launch, lines)
    return row._replace(ours=str(len(removed)),
                        why="; ".join(f"{line}: {reasons[line]}" for line in lines))


# ---- with facts of the launch -------------------------------------------------------------------


def with_facts(row, launch, engine, command, seconds):
    """A FactRow, or a complaint."""
    with open(os.path.join(SOURCE_DIR, row.file), errors="replace") as source:
        text = source.read()
    facts = launch_facts.merged(launch_facts.facts_of(launch), launch_facts.ALL)
    with tempfile.TemporaryDirectory() as folder:
        known = os.path.join(folder, "launch.json")
        with open(known, "w") as file:
            json.dump({"kernels": {row.kernel: facts}}, file)
        start = time.monotonic()
        result, _ = engine.run(text, ["--launch", known])
        ours = time.monotonic() - start
    gone = barriers_of(text, row.kernel) - barriers_of(result, row.kernel)
    start = time.monotonic()
    verdict = proves(command, result, launch, seconds)
    theirs = time.monotonic() - start
    return FactRow(row.file, row.kernel, row.barriers, row.ours, str(gone), row.yardstick,
                   verdict.kind, f"{ours:.2f}", f"{theirs:.2f}")


def fact_summary(rows):
    total = {name: sum(int(getattr(row, name)) for row in rows)
             for name in ("barriers", "ours", "facts", "yardstick")}
    time_of = {name: sum(float(getattr(row, name)) for row in rows) for name in ("seconds", "proof")}
    verdicts = collections.Counter(row.verdict for row in rows)
    fewer = sum(int(row.facts) < int(row.yardstick) for row in rows)
    more = sum(int(row.facts) > int(row.yardstick) for row in rows)
    return (f"{len(rows)} kernels, {total['barriers']} barriers; removed: {total['ours']} by dead-sync, "
            f"{total['facts']} with facts, {total['yardstick']} with greedy removal; {fewer} kernels with "
            f"fewer than greedy removal, {more} with more; verdicts: "
            + ", ".join(f"{count} {kind}" for kind, count in verdicts.most_common())
            + f"; {time_of['seconds']:.0f} s of ptxopt, {time_of['proof']:.0f} s for one proof of each")


def write_facts(rows):
    with open(FACT_TABLE, "w") as file:
        file.write("# Made by tests/tools/yardstick.py --facts --write\n")
        file.write(f"# {fact_summary(rows)}\n# " + "\t".join(FactRow._fields) + "\n")
        for row in rows:
            file.write("\t".join(row) + "\n")


# ---- the table -----------------------------------------------------------------------------------


def read_rows():
    if not os.path.exists(TABLE):
        return []
    with open(TABLE) as file:
        return [Row(*line.rstrip("\n").split("\t")) for line in file if not line.startswith("#")]


def write(rows):
    with open(TABLE, "w") as file:
        file.write("# Made by tests/tools/yardstick.py --write\n")
        file.write(f"# {summary(rows)}\n# file\tkernel\tbarriers\tours\tyardstick\twhy\n")
        for row in rows:
            file.write("\t".join(row) + "\n")


def summary(rows):
    reasons = collections.Counter()
    for row in rows:
        for each in filter(None, row.why.split("; ")):
            reason = each.split(": ", 1)[1]
            reasons[reason if reason in WORDS else "other"] += 1
    total = [sum(int(getattr(row, name)) for row in rows)
             for name in ("barriers", "ours", "yardstick")]
    text = ", ".join(f"{name} {count}" for name, count in reasons.most_common())
    return (f"{len(rows)} kernels, {total[0]} barriers, {total[1]} removed by dead-sync, "
            f"{total[2]} with greedy removal; between them: {text}")


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--ptxopt", required=True)
    parser.add_argument("--write", action="store_true", help="make the table again")
    parser.add_argument("--explain", action="store_true", help="make only the reasons again")
    parser.add_argument("--facts", action="store_true", help="the table with facts of the launch")
    parser.add_argument("--sample", type=int, default=0, help="kernels of the table, 0 for all")
    parser.add_argument("--filter", default="", help="only files whose name contains this")
    parser.add_argument("--seconds", type=int, default=20, help="time limit of a proof")
    parser.add_argument("-j", "--jobs", type=int, default=2)
    arguments = parser.parse_args()
    command = sentryward.find_command()
    if command is None and not arguments.explain:
        print("skipped: sentryward is not installed")
        return SKIPPED
    engine = Engine(os.path.abspath(arguments.ptxopt))
    known = {(row.file, row.kernel): row for row in read_rows()}
    chosen = [c for c in cases() if arguments.filter in c[0]]
    if not arguments.write or arguments.facts:
        chosen = [c for c in chosen if (c[0], c[1]) in known]
        if arguments.sample:
            chosen = chosen[:: max(1, len(chosen) // arguments.sample)]

    def work(case):
        if arguments.facts:
            return with_facts(known[case[0], case[1]], case[2], engine, command, arguments.seconds)
        if arguments.explain:
            return explain_again(known[case[0], case[1]], case[2], engine)
        return measure(case, engine, command, arguments.seconds)

    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        results = list(pool.map(work, chosen))
    if arguments.facts:
        print(fact_summary(results))
        if arguments.write and not arguments.filter:
            write_facts(results)
        wrong = [f"{r.file} {r.kernel}: {r.verdict}" for r in results if r.verdict in ("race", "barrier")]
        print("\n".join(wrong))
        return 1 if wrong else 0
    complaints = [r for r in results if isinstance(r, str)]
    rows = [r for r in results if isinstance(r, Row)]
    if arguments.write or arguments.explain:
        names = {(c[0], c[1]) for c in chosen} if arguments.write else set()
        everything = {key: row for key, row in known.items() if key not in names}
        everything.update({(row.file, row.kernel): row for row in rows})
        write([everything[key] for key in sorted(everything)])
    else:
        for row in rows:
            expected = known[row.file, row.kernel]
            if row[:5] != expected[:5]:
                complaints.append(f"{row.file} {row.kernel}: now {row[2:5]}, "
                                  f"the table says {expected[2:5]}")
    print("\n".join(complaints + [summary(rows)]))
    return 1 if complaints else 0


if __name__ == "__main__":
    sys.exit(main())
