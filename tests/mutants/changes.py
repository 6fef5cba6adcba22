# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What can be changed in a C++ file, one condition, constant or statement at a time, and the file with
several such changes built in, each active where ptxopt_mutants::is() says so (active.h)."""
import hashlib
import re

from tokens import ASSIGNMENTS, TokenList

KINDS = ["condition dropped", "and / or", "condition negated", "comparison", "constant",
         "true / false", "early return", "statement dropped"]

# Not in front of an expression that is a statement.
OTHER_STATEMENTS = {
    "alignas", "assert", "auto", "case", "class", "const", "constexpr", "default", "delete", "do",
    "else", "enum", "extern", "for", "friend", "goto", "if", "inline", "namespace", "operator",
    "private", "protected", "public", "return", "static", "static_assert", "struct", "switch",
    "template", "throw", "try", "typedef", "typename", "union", "using", "while"}
# What has no say in what is sound: space set aside, text, counters, marks of time.
OF_NO_EFFECT = re.compile(
    r"^(reserve|shrink_to_fit|assert|static_assert|(?:\w*_)?[rR]emarks?_?|[rR]emark\w*|describe\w*|"
    r"explain\w*|statistics\w*|counts_|fmt|format\w*)$")
CONTROL = {"if", "for", "while", "switch", "catch"}
RELATIONS = {"<": ("less", "<="), "<=": ("lessOrEqual", "<"),
             ">": ("greater", ">="), ">=": ("greaterOrEqual", ">")}
# Signs that an expression ends at, by what binds less tightly or as tightly.
AND_OPERAND = {"&&", "||"}
OR_OPERAND = {"||"}
COMPARED = {"&&", "||", "==", "!=", "<", "<=", ">", ">=", "<=>", "&", "|", "^"}
EQUATED = {"&&", "||", "==", "!=", "&", "|", "^"}
# Around a change, in the table.
MOST_TEXT = 100


class Change:
    """One mutant.  `edits`: what it does to the source, {(begin, end): text in its place}.  To build it
    in: `wraps`, (begin, end, text in front, text after), with NUMBER for the number of the mutant, and
    `replaced`, {(begin, end): text in its place}."""

    def __init__(self, kind, line, before, after):
        self.kind = kind
        self.line = line
        self.before = before
        self.after = after
        self.operators = None  # `after` without the parentheses that it takes
        self.edits = {}
        self.wraps = []
        self.replaced = {}
        self.lines = range(line, line + 1)
        self.file = None
        self.id = None

    def set_lines(self, source):
        """The lines that are changed: what does not build is told by them."""
        places = [place for wrap in self.wraps for place in wrap[:2]]
        first, last = (source.count("\n", 0, place) + 1 for place in (min(places), max(places)))
        self.lines = range(first, last + 1)

    def wrap(self, begin, end, front, after):
        self.wraps.append((begin, end, front, after))
        return self


def edited(source, edits, begin, end):
    """This part of the source, with the edits that are in it."""
    result, position = "", begin
    for (first, last), text in sorted(edits.items()):
        if begin <= first and last <= end:
            result += source[position:first] + text
            position = last
    return result + source[position:end]


def shortened(text):
    return text if len(text) <= MOST_TEXT else text[:MOST_TEXT - 4] + " ..."


class Finder:
    def __init__(self, source):
        self.list = TokenList(source)
        self.changes = []

    # ---- what is added -------------------------------------------------------------------------

    def begin(self, i):
        return self.list[i].start

    def end(self, i):
        """Of the token in front of index i."""
        return self.list[i - 1].end

    def add(self, kind, at, first, end, edits):
        """A change at token `at`, which makes `edits`, {(begin, end): text}, of the source; shown with
        the tokens from `first` to `end`, and more where there is room."""
        if not self.is_of_interest(at):
            return None
        first, end = self.shown(at, first, end)
        change = Change(kind, self.list[at].line, self.list.between(first, end), "")
        change.edits = edits
        change.after = self.after(change, first, end)
        self.changes.append(change)
        return change

    def after(self, change, first, end):
        text = edited(self.list.source, change.edits, self.begin(first), self.end(end))
        return re.sub(r"\s+", " ", re.sub(r"//[^\n]*", "", text)).strip()

    def place(self, first, end):
        return self.begin(first), self.end(end)

    def shown(self, at, first, end):
        """The statement, or as much of it around the change as there is room for."""
        left, right = self.list.statement(at)
        while True:
            wider = max(first - 1, min(left, first)), min(end + 1, max(right, end))
            if wider == (first, end) or len(self.list.between(*wider)) > MOST_TEXT:
                return first, end
            first, end = wider

    def is_of_interest(self, at):
        """Not in a statement about text, nor where only a constant may stand."""
        first, end = self.list.statement(at)
        words = [self.list.text(i) for i in range(first, end)]
        if words and ("constexpr" in words or words[0] in {"using", "case", "template"}):
            return False
        for i in range(first, end):
            if self.list[i].kind == "text" or OF_NO_EFFECT.match(words[i - first]):
                return False
        return True

    # ---- each kind -----------------------------------------------------------------------------

    def find(self):
        for i, token in enumerate(self.list.tokens):
            if token.kind == "sign":
                if token.text in {"&&", "||"} and self.list.is_binary(i):
                    self.drop_operands(i)
                    self.swap(i)
                elif token.text in RELATIONS and self.list.is_binary(i):
                    self.off_by_one(i)
                elif token.text in {"==", "!="} and self.list.is_binary(i):
                    self.equal_or_not(i)
                elif token.text == "?":
                    self.negate(i, self.list.left_operand(i, set()), i)
                elif token.text == "{":
                    self.return_early(i)
            elif token.kind == "number":
                self.other_constant(i)
            elif token.text in {"true", "false"}:
                self.flip(i)
            elif token.text == "if" and self.list.text(i + 1) == "(":
                self.negate_if(i)
            if token.kind == "word" or token.text in {"++", "--", "*"}:
                self.drop_statement(i)
        return self.changes

    def drop_operands(self, i):
        text = self.list.text(i)
        signs = AND_OPERAND if text == "&&" else OR_OPERAND
        left, right = self.list.left_operand(i, signs), self.list.right_operand(i, signs)
        # The operand to the left of the second sign is the one to the right of the first.
        is_first = self.list.text(left - 1) != text
        neutral = "true" if text == "&&" else "false"
        for first, end in [(left, i)] * is_first + [(i + 1, right)]:
            change = self.add(KINDS[0], i, left, right, {self.place(first, end): neutral})
            if change:
                front = "(ptxopt_mutants::is(NUMBER) || (" if text == "&&" else \
                    "(!ptxopt_mutants::is(NUMBER) && ("
                change.wrap(self.begin(first), self.end(end), front, "))")

    def swap(self, i):
        text = self.list.text(i)
        signs = AND_OPERAND if text == "&&" else OR_OPERAND
        # To the left is all of `a && b && `.
        left = self.list.left_operand(i, OR_OPERAND if text == "&&" else set())
        right = self.list.right_operand(i, signs)
        other = "||" if text == "&&" else "&&"
        change = self.add(KINDS[1], i, left, right, {self.place(i, i + 1): other})
        if not change:
            return
        if text == "&&" and self.list.text(right) == "&&":
            change.edits |= {(self.begin(left),) * 2: "(", (self.end(right),) * 2: ")"}
        elif text == "||" and left != self.list.left_operand(i, OR_OPERAND):
            change.edits |= {(self.begin(left),) * 2: "(", (self.end(i),) * 2: ")"}
        change.after, change.operators = self.after(change, *self.shown(i, left, right)), change.after
        active = "ptxopt_mutants::is(NUMBER)" if text == "&&" else "!ptxopt_mutants::is(NUMBER)"
        change.wrap(self.begin(left), self.end(right), "(", f" : {active})")
        change.wrap(self.begin(left), self.end(i), "static_cast<bool>(", ")")
        change.wrap(self.begin(i + 1), self.end(right), "static_cast<bool>(", ")")
        change.replaced[self.begin(i), self.end(i + 1)] = f"!= {active} ?"

    def negate_if(self, i):
        close = self.list.partner[i + 1]
        first = i + 2
        for k in range(first, close):  # if (statement; condition)
            if self.list.text(k) == ";" and self.list.around[k] == i + 1:
                first = k + 1
        declares = any(self.list.text(k) == "=" and self.list.around[k] == i + 1
                       for k in range(first, close))
        if not declares and self.list.text(i - 1) != "constexpr":
            self.negate(i, first, close)

    def negate(self, i, first, end):
        if first >= end:
            return
        text = self.list.between(first, end)
        is_one = end == first + 1 or (self.list.text(end - 1) == ")" and not any(
            self.list.tokens[k].kind == "sign" and self.list.is_binary(k)
            and self.list.around[k] == self.list.around[first] for k in range(first, end)))
        negated = text[1:] if is_one and text[0] == "!" else "!" + (text if is_one else f"({text})")
        change = self.add(KINDS[2], i, first, end, {self.place(first, end): negated})
        if change:
            change.wrap(self.begin(first), self.end(end),
                        "(ptxopt_mutants::is(NUMBER) != static_cast<bool>(", "))")

    def equal_or_not(self, i):
        left, right = self.list.left_operand(i, EQUATED), self.list.right_operand(i, EQUATED)
        other = "!=" if self.list.text(i) == "==" else "=="
        change = self.add(KINDS[2], i, left, right, {self.place(i, i + 1): other})
        if change:
            change.wrap(self.begin(left), self.end(right), "(ptxopt_mutants::is(NUMBER) != (", "))")

    def off_by_one(self, i):
        function, other = RELATIONS[self.list.text(i)]
        left, right = self.list.left_operand(i, COMPARED), self.list.right_operand(i, COMPARED)
        change = self.add(KINDS[3], i, left, right, {self.place(i, i + 1): other})
        if change:
            change.wrap(self.begin(left), self.end(right),
                        f"ptxopt_mutants::{function}(NUMBER, ", ")")
            change.replaced[self.begin(i), self.end(i + 1)] = ","

    def other_constant(self, i):
        text = self.list.text(i)
        match = re.fullmatch(r"(0[xX][0-9a-fA-F']+|[0-9']+)([uUlLzZ]*)", text)
        # A place of a tuple or the size of a list in the name of a type: not a number to count with.
        if not match or (self.list.text(i - 1) == "<" and not self.list.is_binary(i - 1)) or \
                (self.list.text(i + 1) == ">" and not self.list.is_binary(i + 1)):
            return
        value = int(match.group(1).replace("'", ""), 0)
        for step in (1, -1):
            if value + step < 0:
                continue
            changed = str(value + step) + match.group(2)
            change = self.add(KINDS[4], i, i, i + 1, {self.place(i, i + 1): changed})
            if change:
                sign = "+" if step > 0 else "-"
                change.wrap(self.begin(i), self.end(i + 1), "(",
                            f" {sign} ptxopt_mutants::is(NUMBER))")

    def flip(self, i):
        other = "false" if self.list.text(i) == "true" else "true"
        change = self.add(KINDS[5], i, i, i + 1, {self.place(i, i + 1): other})
        if change:
            change.wrap(self.begin(i), self.end(i + 1), "(ptxopt_mutants::is(NUMBER) != ", ")")

    # ---- functions -----------------------------------------------------------------------------

    def head_of(self, brace):
        """(index of the name, words of the type that is returned) of the function whose body begins
        at this brace, or None."""
        at = brace - 1
        while self.list.text(at) in {"const", "noexcept", "override", "final"}:
            at -= 1
        is_member = False
        while self.list.text(at) in {")", "}"} and at in self.list.partner:
            name = self.list.partner[at] - 1
            if not self.list.is_word(name) or self.list.text(name) in CONTROL:
                return None
            if self.list.text(name - 1) not in {",", ":"}:
                break
            is_member, at = True, name - 2  # `: member_(value) {`
        else:
            return None
        if self.list.text(at) != ")":
            return None
        first = name
        while self.list.text(first - 1) == "::":
            first -= 2
        words = []
        k = first - 1
        while self.list.text(k) not in {";", "{", "}", ":", "", ")", "(", "="}:
            words.insert(0, self.list.text(k))
            k -= 1
        if self.list.text(k) in {"(", ")", "="} or self.list.text(name - 1) == "~":
            return None
        is_constructor = is_member or not words
        return name, None if is_constructor else words

    def return_early(self, brace):
        head = self.head_of(brace)
        if head is None or self.list.partner[brace] == brace + 1:
            return
        name, words = head
        if OF_NO_EFFECT.match(self.list.text(name)) or (words and "string" in words):
            return
        if words is None or words[-1] == "void":
            values = [""]
        elif words[-1] == "bool":
            values = ["true", "false"]
        else:
            values = ["{}"]
        for value in values:
            returned = f"return {value};" if value else "return;"
            text = self.list.text(name)
            change = Change(KINDS[6], self.list[brace].line, f"{text}(...) {{",
                            f"{text}(...) {{ {returned}")
            position = self.end(brace + 1)
            change.edits = {(position, position): f" {returned}"}
            change.wrap(position, position, f" if (ptxopt_mutants::is(NUMBER)) {returned}", "")
            self.changes.append(change)

    # ---- statements ----------------------------------------------------------------------------

    def begins_statement(self, i):
        before = self.list.text(i - 1)
        around = self.list.around[i]
        if around < 0 or self.list.text(around) != "{":
            return False
        if before in {";", "{", "}", "else", "do"}:
            return True
        if before == ")":
            return self.list.text(self.list.partner[i - 1] - 1) in CONTROL
        return self.list.ends_label(i - 1)

    def drop_statement(self, i):
        if not self.begins_statement(i):
            return
        end = i
        while self.list.text(end) not in {";", "}", ""}:
            end = self.list.partner[end] if self.list.is_opening(end) else end
            end += 1
        if self.list.text(end) != ";" or not self.may_go(i, end):
            return
        change = self.add(KINDS[7], i, i, end + 1, {self.place(i, end + 1): ";"})
        if change:
            change.before, change.after = self.list.between(i, end + 1), ";"
            condition = self.condition_of(i)
            if condition:
                change.before = condition + " " + change.before
                change.after = condition + " ;"
            change.wrap(self.begin(i), self.end(end + 1),
                        "{ if (!ptxopt_mutants::is(NUMBER)) { ", " } }")

    def condition_of(self, i):
        """`if (...)` right in front of statement i."""
        at = i - 2 if self.list.text(i - 1) == "{" else i - 1
        if self.list.text(at) != ")" or self.list.text(self.list.partner[at] - 1) not in CONTROL:
            return ""
        return self.list.between(self.list.partner[at] - 1, at + 1)

    def may_go(self, i, end):
        first = self.list.text(i)
        if first in {"break", "continue"}:
            return True
        if first == "return":
            return self.is_guarded_return(i, end)
        if first in OTHER_STATEMENTS:
            return False
        return self.is_expression(i, end)

    def is_guarded_return(self, i, end):
        """`if (...) return ...;` with something after it."""
        at, after = i - 1, end + 1
        if self.list.text(at) == "{" and self.list.text(after) == "}":
            at, after = at - 1, after + 1
        if self.list.text(at) != ")" or self.list.text(self.list.partner[at] - 1) != "if":
            return False
        return self.list.text(after) not in {"else", "}"}

    def is_expression(self, i, end):
        """A call, an assignment or a step; not a declaration."""
        if self.list.text(i) in {"++", "--"} or self.list.text(end - 1) in {"++", "--"}:
            return True
        at = i
        while at < end:
            text = self.list.text(at)
            if text in ASSIGNMENTS:
                return at > i
            if self.list.is_opening(at):
                at = self.list.partner[at]
            elif self.list.tokens[at].kind == "word":
                if self.list.is_word(at - 1) and at > i:
                    return False
            elif text not in {".", "->", "::"} and not (text == "*" and at == i):
                return False
            at += 1
        return self.list.text(end - 1) == ")"


def find_changes(file, source):
    """All changes of `source`, in the order of the text.  The id of each depends on its kind and on
    the statement, not on where in the file it is."""
    changes = Finder(source).find()
    seen = {}
    for change in changes:
        change.file = file
        change.set_lines(source)
        key = "\n".join([file, change.kind, change.before, change.operators or change.after])
        seen[key] = seen.get(key, 0) + 1
        change.id = hashlib.sha256(f"{key}\n{seen[key]}".encode()).hexdigest()[:10]
        change.before, change.after = shortened(change.before), shortened(change.after)
    return changes


def fits(change, others):
    """Whether the change can be built in beside the others: no two replace the same token or cross."""
    for other in others:
        if change.replaced.keys() & other.replaced.keys():
            return False
        for a in change.wraps:
            if any(a[0] < b[0] < a[1] < b[1] or b[0] < a[0] < b[1] < a[1] for b in other.wraps):
                return False
    return True


def built_in(source, numbered):
    """The source with all changes, of (number, change), built in; no line moves."""
    edits = []  # (position, order among those at the position, text)
    serial = 0
    for number, change in numbered:
        for begin, end, front, after in change.wraps:
            serial += 1
            size = end - begin
            front, after = (t.replace("NUMBER", str(number)) for t in (front, after))
            # What ends comes first, the smallest first; of what begins, the largest first.  Of the
            # same size, the one is inside whose operator changes with it: nothing may part them.
            inside = any(begin < b and e < end for b, e in change.replaced)
            edits.append((begin, (1, -size, inside, serial), 0, front))
            if size > 0:
                edits.append((end, (0, size, not inside, -serial), 0, after))
        for (begin, end), text in change.replaced.items():
            edits.append((begin, (2, 0, 0, 0), end - begin, text.replace("NUMBER", str(number))))
    result, position = [], 0
    for begin, _, length, text in sorted(edits, key=lambda edit: edit[:2]):
        result += [source[position:begin], text]
        position = begin + length
    return "".join(result) + source[position:]
