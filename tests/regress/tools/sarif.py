# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks that a log has what SARIF 2.1.0 asks for, and prints a line for each result."""
import json
import re
import sys

URI = re.compile(r"(file://)?(?:[A-Za-z0-9._~/!$&'()*+,;=@-]|%[0-9A-F]{2})+")


def check_location(location, needs_message):
    physical = location["physicalLocation"]
    assert URI.fullmatch(physical["artifactLocation"]["uri"]), physical
    region = physical.get("region")
    assert region is None or all(isinstance(value, int) and value >= 1 for value in region.values()), region
    assert set(region or ()) <= {"startLine", "startColumn"}
    assert not needs_message or location["message"]["text"]
    place = physical["artifactLocation"]["uri"]
    return f"{place}:{region['startLine']}" if region else place


with open(sys.argv[1], encoding="utf-8") as file:
    log = json.load(file)
assert log["version"] == "2.1.0" and log["$schema"].endswith("sarif-schema-2.1.0.json")
run, = log["runs"]
driver = run["tool"]["driver"]
assert driver["name"] and re.fullmatch(r"\d+\.\d+\.\d+", driver["version"])
rules = [rule["id"] for rule in driver["rules"]]
assert len(set(rules)) == len(rules) and all(rule["shortDescription"]["text"] for rule in driver["rules"])
assert run["columnKind"] in ("utf16CodeUnits", "unicodeCodePoints")
for result in run["results"]:
    assert rules[result["ruleIndex"]] == result["ruleId"]
    assert result["level"] in ("none", "note", "warning", "error")
    assert len(result["locations"]) <= 1
    places = [check_location(one, False) for one in result["locations"]]
    places += [check_location(one, True) for one in result.get("relatedLocations", ())]
    message = result["message"]["text"].splitlines()[0]
    print(f"{driver['name']}: {result['ruleId']} {result['level']} {' '.join(places)}: {message}")
