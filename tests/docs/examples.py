# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks that README.md and the pages of docs/ show what the programs do.

Usage: examples.py BIN_DIR [PAGE ...]

In the code blocks of a page (by default of all pages):

- A line that begins with "$ " is a command.  Bash runs it with the programs of BIN_DIR first on
  PATH, and prints the lines below it, errors included.
- A block whose opening line names a file (```ptx name.ptx) is that file for the commands of its
  page.  Beside it, commands find everything that the repository has.
- A block marked `cuda` stands in a file of examples/.

And of the pages as a whole:

- Every pass that ptxopt lists has a page docs/passes/NAME.md that runs it; its section "Options"
  has a row for each option of the pass and no other rows, with its default.
- The tables of levels say what ptxopt says.
"""
import glob
import os
import re
import subprocess
import sys
import tempfile

ROOT = os.path.normpath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", ".."))
BLOCK = re.compile(r"^```(?P<language>\w*)(?: +(?P<file>\S+))?\n(?P<text>.*?)^```$",
                   re.MULTILINE | re.DOTALL)
COMMAND = re.compile(r"^\$ (?P<command>.*)\n(?P<output>(?:(?!\$ ).*\n)*)", re.MULTILINE)
PAGES = ["*.md", "bench/**/*.md", "corpus/*.md", "docs/**/*.md", "examples/*.md", "tests/**/*.md"]


def read(path):
    with open(os.path.join(ROOT, path)) as file:
        return file.read()


def lines_of(text):
    """Without blanks at the ends of lines, which editors take away."""
    return [line.rstrip() for line in text.strip("\n").split("\n")]


class Page:
    def __init__(self, path, programs):
        self.path = path
        self.text = read(path)
        self.blocks = list(BLOCK.finditer(self.text))
        self.environment = dict(os.environ, PATH=os.pathsep.join([programs, os.environ["PATH"]]))
        self.commands = 0
        self.faults = []

    def check(self):
        with tempfile.TemporaryDirectory() as folder:
            for entry in os.listdir(ROOT):
                os.symlink(os.path.join(ROOT, entry), os.path.join(folder, entry))
            for block in self.blocks:
                if block["file"]:
                    with open(os.path.join(folder, block["file"]), "w") as file:
                        file.write(block["text"])
            for block in self.blocks:
                for match in COMMAND.finditer(block["text"]):
                    self.check_command(match["command"], match["output"], folder)
        self.check_sources()

    def check_command(self, command, expected, folder):
        run = subprocess.run(["bash", "-c", command], cwd=folder, env=self.environment, text=True,
                             stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                             stderr=subprocess.STDOUT)
        self.commands += 1
        if lines_of(run.stdout) != lines_of(expected):
            self.faults.append(f"$ {command}\nprints\n{run.stdout}instead of\n{expected}")

    def check_sources(self):
        sources = [read(path) for path in glob.glob(os.path.join(ROOT, "examples", "*.cu"))]
        for block in self.blocks:
            if block["language"] == "cuda" and not any(block["text"] in s for s in sources):
                self.faults.append(f"no file of examples/ has this code:\n{block['text']}")


# ---- what the pages say about passes -------------------------------------------------------------


class Passes:
    """What `ptxopt --list-passes` says."""

    def __init__(self, programs):
        text = subprocess.run([os.path.join(programs, "ptxopt"), "--list-passes"], text=True,
                              stdout=subprocess.PIPE, check=True).stdout
        self.options = {}  # by pass: its options, each with its default
        self.levels = {}
        # A list may continue on the next line.
        for line in re.sub(r",\n +", ",", text).split("\n"):
            if match := re.match(r"-O(\d): (.*)", line):
                steps = [] if match[2] == "nothing" else match[2].split(",")
                self.levels[f"-O{match[1]}"] = steps
            elif match := re.match(r"([a-z][\w-]*)  +\S", line):
                name = match[1]
                self.options[name] = {}
            elif match := re.match(r" +options: (.*)", line):
                for option in match[1].split(","):
                    found = re.match(r" *([\w-]+)(=\S*)?(?: \(default: (.*)\))?$", option)
                    # The first spelling of an option whose value may be left out.
                    nothing = "empty" if found[2] else "off"
                    self.options[name].setdefault(found[1], found[3] or nothing)

    def levels_of(self, name):
        return [level for level, steps in self.levels.items()
                if name in [step.split("<")[0] for step in steps]]


def section(text, title):
    match = re.search(rf"^## {re.escape(title)}\n(.*?)(?=^## |\Z)", text, re.MULTILINE | re.DOTALL)
    return match[1] if match else ""


def faults_of_pass_page(name, options):
    path = f"docs/passes/{name}.md"
    if not os.path.exists(os.path.join(ROOT, path)):
        return [f"the pass {name} has no page {path}"]
    text = read(path)
    rows = {}
    for row in re.findall(r"^\| `.*", section(text, "Options"), re.MULTILINE):
        option, default = re.split(r"(?<!\\)\|", row)[1:3]
        rows[re.match(r" `([\w-]+)", option)[1]] = default.strip().strip("`").replace(",", "")
    faults = [f"{path}: the option {option} has no row" for option in sorted(options.keys() - rows)]
    faults += [f"{path}: {name} has no option {option}" for option in sorted(rows.keys() - options)]
    faults += [f"{path}: the default of {option} is {options[option]}, not {said}"
               for option, said in rows.items() if options.get(option, said) != said]
    if not re.search(rf"^\$ ptxopt .*--passes='?{name}\b", text, re.MULTILINE):
        faults.append(f"{path}: no example runs {name}")
    return faults


def faults_of_levels(path, passes):
    """Rows `| [pass](page) | levels |`, and `| -O1 | passes |`."""
    text = read(path)
    faults = []
    for name in passes.options:
        row = re.search(rf"^\| \[`{name}`\]\([^)]*\) \| ([^|]*) \|", text, re.MULTILINE)
        if row is None:
            faults.append(f"{path}: the table of passes has no row for {name}")
            continue
        said = re.findall(r"-O\d", row[1])
        if said != passes.levels_of(name):
            faults.append(f"{path}: the levels of {name} are {passes.levels_of(name)}, not {said}")
    for level, said in re.findall(r"^\| `(-O\d)`[^|]*\| ([^|]*) \|", text, re.MULTILINE):
        if re.findall(r"`([^`]+)`", said) != passes.levels[level]:
            faults.append(f"{path}: {level} runs {passes.levels[level]}, not {said}")
    return faults


def faults_of_assumptions(programs):
    """The table of docs/assumptions.md has the options of the group of --help, and the paragraphs of
    the contract from the table in the code."""
    text = subprocess.run([os.path.join(programs, "ptxopt"), "--help"], text=True,
                          stdout=subprocess.PIPE, check=True).stdout
    group = re.search(r"^Assumptions.*:\n((?:  .*\n)+)", text, re.MULTILINE)[1]
    path = "docs/assumptions.md"
    options = set(re.findall(r"^  (--[\w-]+)", group, re.MULTILINE)) - {"--assumptions"}
    cited = dict(re.findall(r"^\| `(--[\w-]+).*\| ([^|]*) \|$", read(path), re.MULTILINE))
    rows = set(cited)
    in_code = re.findall(r'^    // (C.*)\n    {Assumption::\w+, "([\w-]+)"',
                        read("src/analysis/launch/assumptions.h"), re.MULTILINE)
    faults = [f"{path}: --{name} is {rules} in the code" for rules, name in in_code
              if cited.get("--" + name) != rules]
    if not in_code:
        faults.append("src/analysis/launch/assumptions.h has no table of assumptions")
    return faults + [f"{path}: no row for {option}" for option in sorted(options - rows)] + \
        [f"{path}: ptxopt has no option {option}" for option in sorted(rows - options)]


def faults_of_passes(programs):
    passes = Passes(programs)
    faults = [fault for name, options in passes.options.items()
              for fault in faults_of_pass_page(name, options)]
    for path in ("README.md", "docs/passes/README.md"):
        faults += faults_of_levels(path, passes)
    return faults


def main():
    programs, *paths = sys.argv[1:]
    programs = os.path.abspath(programs)
    faults = [] if paths else faults_of_passes(programs) + faults_of_assumptions(programs)
    commands = 0
    for path in paths or sorted(path for pattern in PAGES
                                for path in glob.glob(pattern, root_dir=ROOT, recursive=True)):
        page = Page(path, programs)
        page.check()
        commands += page.commands
        faults += [f"{path}: {fault}" for fault in page.faults]
    print("\n".join(faults))
    print(f"{commands} commands, {len(faults)} faults")
    return 1 if faults or commands == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
