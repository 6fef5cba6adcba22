#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks the documentation: code fences, links, named files, cited rules, and the table of rules.

Prints one line for each problem, and fails if there is any.  The rules and their citations are read by
docs/soundness/make_rules.py.
"""
import argparse
import os
import re
import sys
import urllib.parse

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(ROOT, "docs", "soundness"))

import make_rules  # noqa: E402  (found by the line above)

# Where no page of ours is.
LEFT_OUT = {"build", "ptx", "expected", "__pycache__"}
TOP_FOLDERS = ["bench", "cmake", "corpus", "docs", "examples", "grammar", "include", "packaging",
               "scripts", "src", "tests"]

FENCE = re.compile(r"\s*(`{3,}|~{3,})(.*)")
CODE_SPAN = re.compile(r"(`+)(?!`).*?(?<!`)\1(?!`)")
LINK = re.compile(r"\[[^\]]*\]\(([^()\s]*)\)")
REFERENCE = re.compile(r"\s{0,3}\[[^\]]+\]:\s+(\S+)")
NAMED_FILE = re.compile(rf"`((?:{'|'.join(TOP_FOLDERS)})/[\w./-]+\.\w+)`")
ELSEWHERE = re.compile(r"[a-z][a-z+.-]*:")


def pages(root):
    """The Markdown files of the project."""
    for where, folders, names in os.walk(root):
        folders[:] = sorted(f for f in folders if f not in LEFT_OUT and not f.startswith("."))
        for name in sorted(names):
            if name.endswith(".md"):
                yield os.path.relpath(os.path.join(where, name), root).replace(os.sep, "/")


def fence_problems(text):
    """(line, what) for each code block that is not closed."""
    opened = None  # line and marker
    for line, content in enumerate(text.split("\n"), 1):
        fence = FENCE.fullmatch(content)
        if not fence:
            continue
        marker, words = fence.groups()
        if opened is None:
            opened = line, marker
        elif words.strip() and marker[0] == opened[1][0]:
            yield opened[0], "a code block is not closed before the next one opens"
            opened = line, marker
        elif marker[0] == opened[1][0] and len(marker) >= len(opened[1]) and not words.strip():
            opened = None
    if opened:
        yield opened[0], "a code block is not closed"


def anchors(text):
    """The anchors that the headings of a page have."""
    found = set()
    for line in make_rules.prose(text):
        if re.match(r"#+ ", line):
            # Of a link in a heading, the text counts.
            name = base = make_rules.slug(re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", line.lstrip("# ")))
            count = 0
            while name in found:
                count += 1
                name = f"{base}-{count}"
            found.add(name)
    return found


def targets(text):
    """(line, target) for each link."""
    for line, content in enumerate(make_rules.prose(text), 1):
        content = CODE_SPAN.sub("", content)
        for match in LINK.finditer(content):
            yield line, match[1]
        match = REFERENCE.match(content)
        if match:
            yield line, match[1]


def link_problems(root, page, text):
    for line, target in targets(text):
        if ELSEWHERE.match(target):
            continue
        path, _, anchor = urllib.parse.unquote(target).partition("#")
        file = os.path.normpath(os.path.join(root, os.path.dirname(page), path)) if path \
            else os.path.join(root, page)
        if not os.path.exists(file):
            yield line, f"no such file: {target}"
        elif anchor and file.endswith(".md") and anchor not in anchors(make_rules.read(file)):
            yield line, f"no such heading: {target}"


def name_problems(root, text):
    """Files of the repository that the text names, and that are not there."""
    for line, content in enumerate(make_rules.prose(text), 1):
        for match in NAMED_FILE.finditer(content):
            if not os.path.exists(os.path.join(root, match[1])):
                yield line, f"no such file: {match[1]}"


def page_problems(root):
    for page in pages(root):
        text = make_rules.read(os.path.join(root, page))
        found = [*fence_problems(text), *link_problems(root, page, text), *name_problems(root, text)]
        for line, what in found:
            yield f"{page}:{line}: {what}"


def citation_problems(root, rules):
    """Cited rules that do not exist; rules that code cites and no test."""
    for path in [*make_rules.files_below(root, [*make_rules.CODE, "tests"]), *pages(root)]:
        if path == make_rules.TABLE:
            continue
        text = make_rules.read(os.path.join(root, path))
        for line, name in make_rules.citations(path, text, rules):
            if name not in rules:
                yield f"{path}:{line}: no such rule: {name}"
    untested = make_rules.untested(rules, root)
    for name in untested:
        if name not in make_rules.UNTESTED:
            yield f"{make_rules.PAGES}: code cites {name} ({rules[name].name}), and no test does"
    for name in make_rules.UNTESTED:
        if name not in untested:
            yield f"{make_rules.PAGES}/make_rules.py: {name} is not without a test, take it off the list"


def table_problems(root):
    path = os.path.join(root, make_rules.TABLE)
    if not os.path.exists(path) or make_rules.read(path) != make_rules.table(root):
        yield f"{make_rules.TABLE}: not up to date, run {make_rules.PAGES}/make_rules.py"


def problems(root=ROOT):
    found = list(page_problems(root))
    try:
        rules = make_rules.read_rules(root)
    except ValueError as error:
        return [*found, f"{make_rules.PAGES}: {error}"]
    return [*found, *citation_problems(root, rules), *table_problems(root)]


def main():
    argparse.ArgumentParser(description=__doc__.split("\n")[0]).parse_args()
    found = problems()
    print("\n".join(found) if found else "no problems")
    sys.exit(1 if found else 0)


if __name__ == "__main__":
    main()
