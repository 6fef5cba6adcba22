# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Counts of what ptxopt says in --remarks (docs/explain.md)."""
import collections
import json


def counts_of(lines: bytes):
    """Two counters: how often each thing is said, by (file, function, pass, outcome, reason), and sums of the numbers in
    the details, by (file, function, pass, name).  The function is "" for what is about the module."""
    said, amounts = collections.Counter(), collections.Counter()
    for remark in map(json.loads, lines.splitlines()):
        details = remark["details"]
        where = remark["ptx"]["file"], remark["function"] or "", remark["pass"]
        outcome = details.get("outcome")  # of a barrier
        said[(*where, outcome or remark["kind"], _reason(details))] += 1
        if outcome is None:
            for name, value in details.items():
                if value.isdigit():
                    amounts[(*where, name)] += int(value)
    return said, amounts


def _reason(details):
    """Why a barrier is kept or not, in a word, or by the two accesses: "write/read"."""
    if "reason" in details or "rule" in details:
        return details.get("reason") or details["rule"]
    return f"{details['above']}/{details['below']}" if "above" in details and "below" in details else ""
