# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What moved between two runs: by suite, by producer, and by kernel.

OLD and NEW are files of results, each with an optional number of a run behind a colon (default: the last one).  Only
files that both runs have count.  Sums of counts, and instructions that the programs executed, are exact; processor
times are noisy, and marked so.  The exit status is 2 if a limit of --fail-on is passed.
"""
import json
import os
import re
from typing import NamedTuple

from . import cubin, results
from .errors import Mistake

HELP = "what moved between two runs"
FAILED = 2

# Of one function or file, in the result of a run: a query for the key within a file, the value, and whether it counts
# for `each:`: kernels and files do.
_ASSEMBLED = """SELECT o.sha256, a.tool || ' ' || a.kernel, {0}, a.registers IS NOT NULL FROM {1}.outcome o JOIN {1}.assembled a
                ON a.text = o.result WHERE o.run = {2} AND o.status = 'ok'"""
_METRICS = {
    "instructions": "SELECT sha256, name, instructions_after, kernel FROM {1}.function WHERE run = {2} AND {0} IS NOT NULL",
    "barriers": "SELECT sha256, name, barriers_after, kernel FROM {1}.function WHERE run = {2} AND {0} IS NOT NULL",
    "registers": _ASSEMBLED,
    "spills": _ASSEMBLED,
    "code": _ASSEMBLED,
    "idle-warps": _ASSEMBLED + " AND a.registers IS NOT NULL",
    "cost": "SELECT sha256, '', instructions, 1 FROM {1}.cost WHERE run = {2} AND {0} IS NOT NULL",
    "ptxopt-seconds": "SELECT sha256, what, seconds, 1 FROM {1}.seconds WHERE run = {2} AND what = 'ptxopt, least of three' "
                      "AND {0} > 0",
    "ptxas-seconds": "SELECT sha256, what, seconds, 1 FROM {1}.seconds WHERE run = {2} AND what LIKE 'ptxas%after' AND {0} > 0",
}
_COLUMNS = {"registers": "a.registers", "spills": "a.spills", "code": "a.code", "idle-warps": "idle_warps(a.registers)",
            "instructions": "instructions_after", "barriers": "barriers_after", "cost": "instructions",
            "ptxopt-seconds": "seconds", "ptxas-seconds": "seconds"}  # {0} in the query
_NOISY = ("ptxopt-seconds", "ptxas-seconds")
_LIMIT = re.compile(r"((?:each:)?[\w-]+)=(\d+(?:\.\d+)?)(%?)$")
_EACH = "each:"


class Moved(NamedTuple):
    """The sums of one metric over what both runs have."""
    old: float
    new: float
    more: int  # kernels, or files, of which it rose
    fewer: int
    most: float  # by which it rose for one kernel or file, or the least by which it fell for all

    @property
    def percent(self) -> float:
        return 100 * (self.new - self.old) / self.old if self.old else (100.0 if self.new else 0.0)


def add_arguments(parser):
    parser.add_argument("old", metavar="OLD")
    parser.add_argument("new", metavar="NEW")
    parser.add_argument("--fail-on", default="", metavar="LIST",
                        help=f"limits with commas between them: METRIC=N or METRIC=N%% for how much the sum may grow "
                             f"(of {', '.join(_METRICS)}), each:METRIC=N for how much it may for one kernel, failures=N for "
                             "how many new ones there may be")
    parser.add_argument("--by", choices=("suite", "producer", "all"), default="all",
                        help="which groups to print (default: both)")
    parser.add_argument("--most", type=int, default=10, metavar="N",
                        help="kernels to name of each metric, those that moved most (default: %(default)s)")
    parser.add_argument("--json", action="store_true", help="print all of it for programs")


def main(args):
    limits = _limits(args.fail_on)
    with results.Results.open(results.split(args.old)[0]) as found:
        comparison = Comparison(found, args.old, args.new)
        document = comparison.document(args.most)
    passed = _passed(limits, document)
    document["passed_limits"] = passed
    print(json.dumps(document, indent=1) if args.json else _text(document, args.by))
    return FAILED if passed else 0


def _limits(text):
    limits = {}
    for part in filter(None, text.split(",")):
        match = _LIMIT.match(part)
        is_number = match and (match[1] == "failures" or match[1].startswith(_EACH))
        is_known = match and (match[1] == "failures" or match[1].removeprefix(_EACH) in _METRICS)
        if not is_known or is_number and match[3]:
            raise Mistake(f"--fail-on: '{part}' is not METRIC=N, METRIC=N%, each:METRIC=N or failures=N")
        limits[match[1]] = (float(match[2]), bool(match[3]))
    return limits


def _passed(limits, document):
    passed = []
    for name, (limit, is_percent) in limits.items():
        if name == "failures":
            grown = len(document["failures"]["new"])
        elif name.removeprefix(_EACH) not in document["metrics"]:
            raise Mistake(f"--fail-on: the runs did not measure {name.removeprefix(_EACH)}")
        else:
            moved = document["metrics"][name.removeprefix(_EACH)]
            grown = moved["most"] if name.startswith(_EACH) else moved["percent"] if is_percent else moved["new"] - moved["old"]
        if grown > limit:
            unit = "%" if is_percent else ""
            passed.append(f"{name} grew by {grown:.6g}{unit}, the limit is {limit:.6g}{unit}")
    return passed


class Comparison:
    def __init__(self, found, old, new):
        self.database = found.database
        self.database.create_function("idle_warps", 1, cubin.idle_warps, deterministic=True)
        (old_path, old_number), (new_path, new_number) = map(results.split, (old, new))
        with results.Results.open(new_path) as other:
            self.runs = [found.named_run(old_number), other.named_run(new_number)]
        self.database.execute("ATTACH ? AS new", (new_path,))
        self.sides = [("main", self.runs[0].number), ("new", self.runs[1].number)]
        if self.sides[0][1] == self.sides[1][1] and os.path.samefile(old_path, new_path):
            raise Mistake(f"{old} and {new} are the same run; FILE:NUMBER names one of several")
        self.database.execute("CREATE TEMP TABLE both_have AS SELECT o.sha256 AS sha256, s.suite AS suite, "
                              "s.producer AS producer, s.path AS path FROM main.outcome o JOIN new.outcome n USING (sha256) "
                              "JOIN main.source s USING (sha256) WHERE o.run = ? AND n.run = ?",
                              (self.sides[0][1], self.sides[1][1]))
        self.database.execute("CREATE UNIQUE INDEX temp.of_file ON both_have(sha256)")

    def document(self, most):
        files, = self.database.execute("SELECT count(*) FROM both_have").fetchone()
        if files == 0:
            raise Mistake("the two runs have no file in common")
        document = {"files": files, "old": self._run(0), "new": self._run(1), "metrics": {}, "suites": {},
                    "producers": {}, "kernels": {}, "failures": self._failures()}
        for metric in _METRICS:
            self._join(metric)
            total = self._moved("''")
            if not total:
                continue
            document["metrics"][metric] = _as_json(total[""])
            for group, column in (("suites", "suite"), ("producers", "producer")):
                for name, moved in self._moved(column).items():
                    document[group].setdefault(name, {})[metric] = _as_json(moved)
            document["kernels"][metric] = [
                {"file": path, "kernel": name, "old": old, "new": new}
                for path, name, old, new in self.database.execute(
                    "SELECT path, name, old, new FROM pair JOIN both_have USING (sha256) WHERE old != new "
                    "ORDER BY abs(new - old) DESC, path, name LIMIT ?", (most if metric not in _NOISY else 0,))]
        return document

    def _run(self, side):
        run = self.runs[side]
        return {"run": run.number, "version": run.version, "options": run.options, "program": run.program}

    def _join(self, metric):
        """The table `pair`: old and new values of each kernel, or file, that both have."""
        queries = [_METRICS[metric].format(_COLUMNS[metric], *side) for side in self.sides]
        self.database.execute("DROP TABLE IF EXISTS temp.pair")
        old, new = (f"SELECT * FROM ({query})" for query in queries)
        names = "(sha256, name, value, is_kernel)"
        self.database.execute(
            f"CREATE TEMP TABLE pair AS WITH a{names} AS ({old}), b{names} AS ({new}) SELECT a.sha256 AS sha256, "
            "a.name AS name, a.value AS old, b.value AS new, a.is_kernel AS is_kernel FROM a JOIN b USING (sha256, name) "
            "JOIN both_have USING (sha256) WHERE a.value IS NOT NULL AND b.value IS NOT NULL")

    def _moved(self, column):
        rows = self.database.execute(
            f"SELECT {column}, sum(old), sum(new), sum(new > old), sum(new < old), "
            "ifnull(max(iif(is_kernel, new - old, NULL)), 0) FROM pair JOIN both_have USING (sha256) GROUP BY 1 ORDER BY 1")
        return {name: Moved(*row) for name, *row in rows}

    def _failures(self):
        sets = []
        for schema, number in self.sides:
            fine = ", ".join(f"'{status}'" for status in results.FINE)
            rows = self.database.execute(
                f"SELECT path, status, message FROM {schema}.outcome JOIN both_have USING (sha256) "
                f"WHERE run = ?1 AND status NOT IN ({fine}) "
                f"UNION ALL SELECT path, name || iif(tool = '', '', ' ' || tool), message FROM {schema}.checked "
                f"JOIN both_have USING (sha256) WHERE run = ?1 AND status = 'failed'", (number,))
            sets.append({(path, what): message for path, what, message in rows})
        old, new = sets

        def listed(of, without):
            return [{"file": path, "what": what, "message": message}
                    for (path, what), message in sorted(of.items()) if (path, what) not in without]
        return {"new": listed(new, old), "gone": listed(old, new), "stay": len(set(old) & set(new))}


def _as_json(moved):
    return {**moved._asdict(), "percent": round(moved.percent, 4)}


# ---- text --------------------------------------------------------------------------------------


def _text(document, by):
    lines = [f"{document['files']} files in both"]
    for side in ("old", "new"):
        run = document[side]
        lines.append(f"{side}: run {run['run']}, {run['version']} {run['options']}".rstrip() + f" ({run['program'][:12]})")
    lines += ["", _table("all", document["metrics"])]
    for group, word in (("suites", "suite"), ("producers", "producer")):
        if by in (word, "all") and len(document[group]) > 1:
            lines += [_table(f"{word} {name}", metrics, only_moved=True) for name, metrics in document[group].items()]
    for metric, kernels in document["kernels"].items():
        if kernels:
            lines += ["", f"{metric}, what moved most:"]
            lines += [f"  {_number(k['old'])} -> {_number(k['new'])}  {k['file']}  {k['kernel']}" for k in kernels]
    failures = document["failures"]
    lines += ["", f"failures: {len(failures['new'])} new, {len(failures['gone'])} gone, {failures['stay']} stay"]
    for word, sign in (("new", "+"), ("gone", "-")):
        lines += [f"  {sign} {f['file']}: {f['what']}: {f['message']}".rstrip(": ") for f in failures[word]]
    lines += [f"limit: {text}" for text in document["passed_limits"]]
    return "\n".join(line for line in lines if line is not None)


def _table(title, metrics, only_moved=False):
    rows = [(name, moved) for name, moved in metrics.items()
            if not only_moved or (name not in _NOISY and (moved["more"] or moved["fewer"]))]
    if not rows:
        return None if only_moved else f"{title}: nothing was measured"
    lines = [title]
    for name, moved in rows:
        noisy = "  (noisy)" if name in _NOISY else ""
        lines.append(f"  {name:<15}{_number(moved['old']):>15} {_number(moved['new']):>15}  {moved['percent']:+7.2f} %"
                     f"  more in {moved['more']}, less in {moved['fewer']}{noisy}")
    return "\n".join(lines)


def _number(value):
    return f"{value:,.2f}" if isinstance(value, float) else f"{value:,}"
