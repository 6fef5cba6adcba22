#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes rules.md: the rules of the contract, and which code and which tests cite each of them.

usage: make_rules.py [--check]

--check writes nothing, and fails if rules.md is not what would be written.
"""
import argparse
import bisect
import collections
import os
import re
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
PAGES = "docs/soundness"
TABLE = "docs/soundness/rules.md"
CODE = ["src", "include"]
TESTS = ["tests/unit", "tests/regress", "tests/fuzz", "tests/interp"]

# Rules that code cites and no test can, each with the reason.  A test that cites a part of a rule
# (E.6.1.1) counts for the rule (E.6.1) as well.
UNTESTED = {
}

ID = r"(?:E\.\d+(?:\.\d+)*|[A-DFGH]\d{1,2}(?:\([ivx]+\))?(?:\.\d+)*)"
SUMMARY_ID = r"0\.\d+"  # looks like a number: counts as a citation after the name of the folder only
HEADING = re.compile(rf"#+ ({ID}) (.+?)(?: \([\d., ]+\))?")  # without sections of the manual
LEAD = re.compile(rf"(?:> |[-*] |\| )?\*\*({ID}|{SUMMARY_ID}) (.+?)\.\*\*(?: |$)")
# Not in a path, a register, a qualifier, a string or a name of C++.
CITATION = re.compile(rf"(?<![\w.%$/\"'#:-])({ID})(?![\w(])|(?<=soundness/ )({SUMMARY_ID})(?!\d)")
RANGE = re.compile(rf"(?<![\w.%$/\"'#:-])({ID}) to ({ID})(?![\w(])")

COMMENTS = {".cpp": "//", ".h": "//", ".inc": "//", ".ptx": "//", ".py": "#", ".test": "#",
            ".cmake": "#", ".txt": "#"}

Rule = collections.namedtuple("Rule", "id name page anchor")


def read(path):
    with open(path, encoding="utf-8", errors="replace") as file:  # some tests are not UTF-8
        return file.read()


def slug(heading):
    """The anchor that a heading of Markdown has on GitHub."""
    kept = re.sub(r"[^\w\- ]", "", heading.lower())
    return kept.strip().replace(" ", "-")


def prose(text):
    """The lines of a Markdown file, those of code blocks empty."""
    is_code = False
    for line in text.split("\n"):
        is_fence = line.lstrip().startswith("```")
        yield "" if is_code or is_fence else line
        is_code ^= is_fence


def rules_of_page(page, text):
    anchor = ""
    for line in prose(text):
        heading = HEADING.fullmatch(line)
        if line.startswith("#"):
            anchor = slug(line.lstrip("# "))
        found = heading or LEAD.match(line)
        if found:
            yield Rule(found[1], found[2], page, anchor)


def read_rules(root=ROOT):
    """The rules by id, in the order of the ids; an id that stands twice is an error."""
    folder = os.path.join(root, PAGES)
    rules = {}
    for page in sorted(os.listdir(folder)):
        if not page.endswith(".md") or page == os.path.basename(TABLE):
            continue
        for rule in rules_of_page(page, read(os.path.join(folder, page))):
            if rule.id in rules:
                raise ValueError(f"{rule.id} stands in {rules[rule.id].page} and in {page}")
            rules[rule.id] = rule
    return {name: rules[name] for name in sorted(rules, key=order)}


def number(digits):
    return "0 i ii iii iv v vi vii viii ix x".split().index(digits) if digits.isalpha() else int(digits)


def order(name):
    """A2.10 after A2.9, C8(ii).1 before C8.1."""
    parts = re.findall(r"\(([ivx]+)\)|(\d+)", name)
    return name[0], [(0, number(roman)) if roman else (1, int(digits)) for roman, digits in parts]


def split_last(name):
    """C8(ii).7 is the seventh of C8(ii)., C8(ii) the second of C8(."""
    prefix, last = re.fullmatch(r"(.*?)(\d+|[ivx]+)\)?", name).groups()
    return prefix, number(last)


def between(first, last, rules):
    """The rules from `first` to `last` of the same parent."""
    prefix, low = split_last(first)
    if split_last(last)[0] != prefix:
        return []
    return [name for name in rules
            if split_last(name)[0] == prefix and low <= split_last(name)[1] <= split_last(last)[1]]


def is_part(name, whole):
    return name.startswith((whole + ".", whole + "("))


def comments(path, text):
    """The lines of a file, reduced to what people read."""
    ending = os.path.splitext(path)[1]
    if ending == ".md":
        return list(prose(text))
    mark = COMMENTS.get(ending)
    if not mark:
        return []
    return [line.partition(mark)[2].strip() for line in text.split("\n")]


def citations(path, text, rules):
    """(line, id) for each citation; a range, also one that is wrapped, cites what lies between."""
    lines = comments(path, text)
    starts = [0]
    for line in lines:
        starts.append(starts[-1] + len(line) + 1)
    joined = " ".join(lines)

    def at(match):
        return bisect.bisect_right(starts, match.start())

    for match in CITATION.finditer(joined):
        yield at(match), match[1] or match[2]
    for match in RANGE.finditer(joined):
        for name in between(match[1], match[2], rules):
            yield at(match), name


def files_below(root, folders):
    for folder in folders:
        for where, folder_names, names in os.walk(os.path.join(root, folder)):
            folder_names.sort()
            for name in sorted(names):
                path = os.path.relpath(os.path.join(where, name), root).replace(os.sep, "/")
                if os.path.splitext(name)[1] in COMMENTS:
                    yield path


def cited_in(folders, rules, root=ROOT):
    """The files that cite each rule."""
    files = {name: [] for name in rules}
    for path in files_below(root, folders):
        for name in {name for _, name in citations(path, read(os.path.join(root, path)), rules)}:
            if name in files:
                files[name].append(path)
    return files


def untested(rules, root=ROOT):
    """Rules that code cites, and no test."""
    code = cited_in(CODE, rules, root)
    tests = cited_in(TESTS, rules, root)
    tested = {name for name in rules if tests[name]}
    return [name for name in rules
            if code[name] and name not in tested and not any(is_part(part, name) for part in tested)]


def file_list(paths, prefix):
    """`analysis/alias.{cpp,h}` for two files that differ in their ending."""
    endings = collections.defaultdict(list)
    for path in paths:
        stem, ending = os.path.splitext(path.removeprefix(prefix))
        endings[stem].append(ending[1:])
    return ", ".join(
        f"`{stem}.{found[0]}`" if len(found) == 1 else f"`{stem}.{{{','.join(found)}}}`"
        for stem, found in endings.items())


def table(root=ROOT):
    rules = read_rules(root)
    code = cited_in(CODE, rules, root)
    tests = cited_in(TESTS, rules, root)
    lines = [
        "# Where each rule is cited",
        "",
        "[make_rules.py](make_rules.py) writes this page from the comments of the source: do not",
        "edit it. Code is relative to `src/`, tests to `tests/`. A range such as D4.1 to D4.4 cites",
        "every rule in it.",
        "",
        "| rule | code | tests |",
        "|---|---|---|",
    ]
    for rule in rules.values():
        link = f"[{rule.id}]({rule.page}{'#' + rule.anchor if rule.anchor else ''}) {rule.name}"
        lines.append(f"| {link} | {file_list(code[rule.id], 'src/')} "
                     f"| {file_list(tests[rule.id], 'tests/')} |")
    return "\n".join(lines) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--check", action="store_true", help="write nothing, compare")
    arguments = parser.parse_args()
    path = os.path.join(ROOT, TABLE)
    text = table()
    if not arguments.check:
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
    elif not os.path.exists(path) or read(path) != text:
        sys.exit(f"{TABLE} is not up to date: run {PAGES}/make_rules.py")


if __name__ == "__main__":
    main()
