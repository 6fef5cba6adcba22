# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What each fact of a launch is worth on the corpus (docs/launches.md), against corpus/expected/facts.tsv:
prints what moved and fails if anything did.

Facts are those that all launches have by which a file describes a kernel.  One line for each fact
alone and for several of them: the kernels of which it is known; of all files with described
launches the CTA barriers, how many of them -O2 removes, how many of the others warp-sync then
weakens and dead-sync<guard> guards, and the instructions that -O2 leaves.

    none       -O2 alone
    block, grid, cluster, shared, distinct
               as in a file of --launch
    scalars    the numbers that are passed, also in structures
    ranges     what is rather known of integers: not below 0 or 1, at most the next power of two, and
               the power of two up to 32 that divides them; of pointers that 16 does
    sizes      how large the buffers are
    all        all of these but ranges and sizes, trusted
    enforced   the same without distinct, with --enforce

With --ptxrun the kernels of some files must do the same with and without these facts.
With --ptxas it prints, for the files that --filter names, for how many kernels ptxas takes more or
fewer registers than after -O2 alone, and their code.  These figures are in docs/results.md.
"""
import collections
import json
import os
import re
import subprocess
import sys
import tempfile

import corpus
import corpus_compare

sys.path.insert(0, os.path.join(corpus.SOURCE_DIR, "python"))
from ptxopt_corpus import cubin

TABLE = os.path.join(corpus.EXPECTED_DIR, "facts.tsv")
COLUMNS = ["kernels", "barriers", "removed", "weakened", "guarded", "instructions"]
LAUNCH = re.compile(r"^// LAUNCH: (\{.*\})", re.MULTILINE)
ALL = ["block", "grid", "cluster", "shared", "scalars", "distinct"]
ENFORCEABLE = ALL[:-1]
# Line: facts, options.
SIDES = {"none": ([], []), **{fact: ([fact], []) for fact in ALL}, "ranges": (["ranges"], []),
         "sizes": (["sizes"], []),
         "all": (ALL, []), "enforced": (ENFORCEABLE, ["--enforce"])}
ENDS = {"": "", "weakened": ",warp-sync", "guarded": ",dead-sync<guard>"}


# ---- facts of a file -----------------------------------------------------------------------------


def number(text):
    """(type, number) of "s32:5"; None for an address or a buffer."""
    kind, _, value = text.partition(":")
    try:
        return (kind, float(value)) if kind in ("f32", "f64") else \
            (kind, int(value, 0)) if re.fullmatch(r"[us]\d+", kind) else None
    except ValueError:
        return None


def members(text):
    """{place: number} of the fields of "struct:u32:5,f32:1.5,&arg0"."""
    found, offset = {}, 0
    for field in text.removeprefix("struct:").split(","):
        size = 8 if field.startswith("&") else int(re.match(r"[a-z]+(\d+):", field).group(1)) // 8
        offset = (offset + size - 1) // size * size
        if known := number(field):
            found[f"+{offset}:{known[0]}"] = known[1]
        offset += size
    return found


def texts(launch):
    """The arguments; "" for one that is no text, such as a multicast object."""
    return [text if isinstance(text, str) else "" for text in launch.get("args", [])]


def arguments(launch):
    found = {}
    for k, text in enumerate(texts(launch)):
        if text.startswith("struct:"):
            try:
                found[f"arg{k}"] = members(text)
            except AttributeError:
                continue  # a field that has no type of its own
        elif known := number(text):
            found[f"arg{k}"] = known[1]
    return found


def bounds(value):
    """What a person may know of a number."""
    known = {"min": min(value, 1), "multiple_of": min(value & -value or 32, 32)}
    if value < 1 << 31:
        known["max"] = 1 << max(value - 1, 1).bit_length()
    return known


def ranges(launch):
    found = {}
    for k, text in enumerate(texts(launch)):
        known = number(text)
        if known and isinstance(known[1], int) and known[1] >= 0:
            found[f"arg{k}"] = bounds(known[1])
        elif text.startswith("buffer:"):
            found[f"arg{k}"] = {"align": 16}
    return found


def sizes(launch):
    found = {}
    for k, text in enumerate(texts(launch)):
        if match := re.match(r"buffer:(\d+)([KM]?)", text):
            found[f"arg{k}"] = {"bytes": int(match[1]) << {"": 0, "K": 10, "M": 20}[match[2]]}
    return found


def facts_of(launch):
    """{fact: what a file of --launch says}"""
    listed = {"block": launch.get("block"), "grid": launch.get("grid", 1),
              "cluster": launch.get("cluster"), "shared": launch.get("shared", 0)}
    # Without a block or a cluster it is that of a directive.
    facts = {name: {name: value} for name, value in listed.items() if value is not None}
    if not any("&" in text for text in texts(launch)):  # else two pointers may be one
        facts["distinct"] = {"distinct": True}
    facts["scalars"] = {"args": arguments(launch)}
    facts["ranges"] = {"args": ranges(launch)}
    facts["sizes"] = {"args": sizes(launch)}
    return facts


def common(left, right):
    """What both say."""
    if isinstance(left, dict) and isinstance(right, dict):
        both = {key: common(left[key], right[key]) for key in left if key in right}
        return {key: value for key, value in both.items() if value not in (None, {})}
    return left if left == right else None


def merged(facts, names):
    """The facts of these names as one."""
    result = {}
    for name in names:
        result.update(facts.get(name, {}))
    return {key: value for key, value in result.items() if value != {}}


def described(file):
    """{kernel: {fact: ...}}"""
    found = {}
    with open(file.path, errors="replace") as text:
        for line in LAUNCH.findall(text.read()):
            launch = json.loads(line)
            facts = facts_of(launch)
            kernel = launch["kernel"]
            found[kernel] = common(found[kernel], facts) if kernel in found else facts
    return found


# ---- runs ----------------------------------------------------------------------------------------


def groups(files):
    """[(files, {kernel: facts})] of one folder each, that agree about kernels of one name."""
    result = []
    for members_of_folder in corpus.by_folder(files).values():
        folder = []
        for file in members_of_folder:
            facts = described(file)
            for taken, known in folder:
                if all(known.get(kernel, value) == value for kernel, value in facts.items()):
                    break
            else:
                taken, known = [], {}
                folder.append((taken, known))
            taken.append(file)
            known.update(facts)
        result += folder
    return result


class Side:
    """Runs with one set of facts."""

    def __init__(self, name, folder):
        self.names, self.options = SIDES[name]
        self.folder = os.path.join(folder, name)
        os.makedirs(self.folder)
        self.row = collections.Counter()
        self.outputs = {}

    def run(self, ptxopt, pipeline, files, facts):
        known = {kernel: merged(of_kernel, self.names) for kernel, of_kernel in facts.items()}
        launch = os.path.join(self.folder, "launch.json")
        with open(launch, "w") as text:
            json.dump({"kernels": {kernel: one for kernel, one in known.items() if one}}, text)
        options = [f"--launch={launch}", *self.options] if self.names else []
        for column, end in ENDS.items():
            results, errors = corpus.optimize(
                ptxopt, files, os.path.join(self.folder, column),
                [f"--passes={pipeline}{end}", "-q", "--stats=json", *options])
            total = json.loads(errors[0][errors[0].index("{"):])["total"]
            if column:
                self.row[column] += sum(of_pass.get(f"barriers-{column}", 0)
                                        for of_pass in total["passes"].values())
                continue
            self.outputs.update(results)
            before, after = total["before"]["barriers"], total["after"]["barriers"]
            self.row["barriers"] += before
            self.row["removed"] += before - after
            self.row["instructions"] += total["after"]["instructions"]
        for file in files:
            self.row["kernels"] += sum(bool(known[kernel]) for kernel in described(file))


def pipeline_of_level(ptxopt):
    """That of -O2, as text."""
    text = subprocess.run([ptxopt, "--list-passes"], capture_output=True, text=True).stdout
    return re.search(r"^-O2: (.*)", text, re.MULTILINE).group(1)


def make(options, files):
    with tempfile.TemporaryDirectory() as folder:
        sides = {name: Side(name, folder) for name in SIDES}

        pipeline = pipeline_of_level(options.ptxopt)

        def work(name):
            for members_of_group, facts in groups(files):
                sides[name].run(options.ptxopt, pipeline, members_of_group, facts)

        corpus.parallel(work, sides, options.jobs)
        if options.ptxrun:
            compare(options.ptxrun, corpus.spread(files, options.subset), sides, options.jobs)
        if options.ptxas:
            measure(corpus.Ptxas(options.ptxas), files, sides, folder, options.jobs)
        return {name: {column: str(side.row[column]) for column in COLUMNS}
                for name, side in sides.items()}


def compare(ptxrun, files, sides, jobs):
    """Ends the program if a kernel does something else."""
    runs = [(name, file, kernel) for name in sides for file in files for kernel in described(file)]

    def judge(run):
        name, file, kernel = run
        return corpus_compare.compare([ptxrun], 2, file, sides[name].outputs[file.name], kernel)

    verdicts = corpus.parallel(judge, runs, jobs)
    counts = collections.Counter(verdict for verdict, _ in verdicts)
    print(f"{len(files)} files, {len(runs)} runs: " + ", ".join(f"{n} {what}" for what, n in counts.items()))
    for (name, file, kernel), (verdict, text) in zip(runs, verdicts):
        if verdict == "different":
            print(f"{file.name}: {kernel} with {name}: {text}")
    if counts["different"] or not counts["same"]:
        sys.exit(1)


def figures_of(ptxas, file, path, folder):
    """What ptxas makes of each kernel; None where it refuses the file."""
    output = os.path.join(folder, path.replace("/", "_") + ".cubin")
    ok, messages = ptxas.assemble(file, path, output, "-v")
    if not ok:
        return None
    with open(output, "rb") as made:
        found = cubin.figures_of(messages, made.read())
    os.unlink(output)
    return {name: figures for name, figures in found.items() if figures.registers is not None}


def measure(ptxas, files, sides, folder, jobs):
    files = [file for file in files if ptxas.accepts(file)]

    def figures(file):
        seen, found = {}, {}
        for name, side in sides.items():
            with open(side.outputs[file.name], "rb") as text:
                content = text.read()
            if content not in seen:
                seen[content] = figures_of(ptxas, file, side.outputs[file.name], folder)
            found[name] = seen[content]
        return found

    totals = {name: collections.Counter() for name in sides}
    for found in corpus.parallel(figures, files, jobs):
        if None in found.values():
            continue
        for name, kernels in found.items():
            for kernel, figures in kernels.items():
                if base := found["none"].get(kernel):
                    totals[name]["more"] += figures.registers > base.registers
                    totals[name]["fewer"] += figures.registers < base.registers
                    totals[name]["code"] += figures.code
    for name, total in totals.items():
        print(f"{name}: registers more in {total['more']} kernels, fewer in {total['fewer']}; "
              f"{total['code']} bytes of code")


def read():
    if not os.path.exists(TABLE):
        return {}
    with open(TABLE) as table:
        _, *lines = table.read().splitlines()
    return {name: dict(zip(COLUMNS, values)) for name, *values in (line.split("\t") for line in lines)}


def main():
    parser = corpus.parser(__doc__, subset=20)
    parser.add_argument("--ptxrun", help="the ptxrun to compare with, for a subset of the files")
    parser.add_argument("--update", action="store_true", help="write the table anew")
    options = parser.parse_args()
    files = [f for f in corpus.files() if options.filter in f.name]
    files = [f for f in files if described(f)]
    rows = make(options, files)
    if options.update and not options.filter:
        with open(TABLE, "w") as table:
            table.write("\t".join(["facts", *COLUMNS]) + "\n")
            for name, row in rows.items():
                table.write("\t".join([name, *row.values()]) + "\n")
    if options.filter:
        for name, row in rows.items():
            print(name, *row.values(), sep="\t")
        return 0
    expected = read()
    moved = [name for name in SIDES if expected.get(name) != rows[name]]
    for name in moved:
        print(f"{name}: {expected.get(name)} is now {rows[name]}")
    return 1 if moved else 0


if __name__ == "__main__":
    sys.exit(main())
