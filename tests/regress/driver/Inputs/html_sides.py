# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Whether a page of --html has the lines of the functions of both files: html_sides.py PAGE BEFORE AFTER"""
import html
import re
import sys

page, before, after = (open(path, encoding="utf-8").read() for path in sys.argv[1:])
rows = re.findall(r"<tr(?: class='(\w+)')?(?: id='l\d+')?><td class='n'>(\d*)</td><td class='n'>(\d*)</td><td>(.*?)</td><td", page)
for text, mine, number in ((before, "gone", 1), (after, "came", 2)):
    lines = text.split("\n")
    shown = {int(row[number]): html.unescape(row[3]) for row in rows if row[0] in ("", mine)}
    assert shown and all(lines[k - 1] == line for k, line in shown.items()), (mine, shown)
    first = next(k for k, line in enumerate(lines, 1) if ".entry" in line or ".func" in line)
    missing = [k for k in range(first, len(lines) + 1) if k not in shown and lines[k - 1].strip()]
    assert not missing, (mine, missing)
