# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""How long functions and files of C++ are.

A function has the lines from the first of its declaration, `template` included and comments above it not, to its
closing brace.  Empty lines and comments in it count.  Lambdas and local classes count to the function around them.
A lambda that is the value of a variable outside of functions is a function too.  This is no parser: what is a
function is told by the parentheses in front of an opening brace that opens no namespace or class.
"""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "mutants"))
from tokens import TokenList  # noqa: E402

MOST_FUNCTION_LINES = 80
MOST_FILE_LINES = 600
SCOPES = {"namespace", "class", "struct", "union", "enum"}
ACCESS = {"public", "private", "protected"}
ANGLES = {"<": 1, ">": -1, ">>": -2}


def after_template(tokens, at):
    """Where a declaration goes on behind `template <...>`, if it begins with that."""
    if tokens.text(at) != "template":
        return at
    depth, at = 0, at + 1
    while True:
        depth += ANGLES.get(tokens.text(at), 0)
        at = tokens.partner[at] + 1 if tokens.is_opening(at) else at + 1
        if depth <= 0 or at >= len(tokens):
            return after_template(tokens, at)


def opens_scope(tokens, head, brace):
    """Whether the brace of the declaration that begins at `head` opens a namespace or a class."""
    at = after_template(tokens, head)
    if tokens.text(at) in {"inline", "typedef", "static", "constexpr"}:
        at += 1
    if tokens.text(at) == "extern":
        return at + 2 == brace  # extern "C" {
    return tokens.text(at) in SCOPES


def name_in_front_of(tokens, parenthesis):
    if tokens.is_word(parenthesis - 1):
        is_call = tokens.text(parenthesis - 1) == "operator"
        return "operator()" if is_call else tokens.text(parenthesis - 1)
    at = parenthesis - 1
    while tokens.text(at) not in {"operator", ";", "{", "}", ""}:
        at -= 1
    if tokens.text(at) != "operator":
        return "a lambda"
    return "".join(tokens.text(k) for k in range(at, parenthesis))


def functions(source):
    """(name, first line, number of lines) of each function with a body."""
    tokens = TokenList(source)
    at = head = 0
    name = None
    while at < len(tokens):
        text = tokens.text(at)
        if text in {";", "}"} or (text == ":" and tokens.text(at - 1) in ACCESS):
            head, name = at + 1, None
        elif text in {"(", "["}:
            if text == "(" and name is None:
                name = name_in_front_of(tokens, at)
            at = tokens.partner[at]
        elif text == "{":
            end = tokens.partner[at]
            if opens_scope(tokens, head, at):
                head, name = at + 1, None
            elif tokens.text(end + 1) in {",", "{"}:
                at = end  # the value of a member, in front of the body of a constructor
            else:
                if name is not None:
                    first = tokens[head].line
                    yield name, first, tokens[end].line - first + 1
                head, name, at = end + 1, None, end
        at += 1


def too_long(source):
    """(line, what is wrong) for a file."""
    count = source.count("\n")
    if count > MOST_FILE_LINES:
        yield 1, f"the file has {count} lines, more than {MOST_FILE_LINES}"
    if count > MOST_FUNCTION_LINES:
        for name, line, lines in functions(source):
            if lines > MOST_FUNCTION_LINES:
                yield line, f"the function {name} has {lines} lines, more than {MOST_FUNCTION_LINES}"
