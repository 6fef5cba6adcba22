# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The tokens of a C++ file, with what belongs together: brackets and their partners.

Comments and lines of the preprocessor are no tokens.  This is no parser: who asks for the operands of
an operator gets what the layout that clang-format makes tells, and whatever is wrong does not build.
"""
import re

TOKEN = re.compile(r"""
    (?P<space>\s+|//[^\n]*|/\*.*?\*/)
  | (?P<raw>(?:u8|[uUL])?R"(?P<mark>[^(\s]*)\(.*?\)(?P=mark)")
  | (?P<text>(?:u8|[uUL])?"(?:[^"\\\n]|\\.)*")
  | (?P<char>(?:u8|[uUL])?'(?:[^'\\\n]|\\.)+')
  | (?P<number>\.?[0-9](?:[eEpP][+-]|[0-9a-zA-Z_.]|'[0-9a-zA-Z])*)
  | (?P<word>[A-Za-z_][A-Za-z0-9_]*)
  | (?P<sign><<=|>>=|<=>|\.\.\.|->\*|::|->|\+\+|--|<<|>>|<=|>=|==|!=|&&|\|\||[-+*/%&|^]=|.)
""", re.VERBOSE | re.DOTALL)
PREPROCESSOR = re.compile(r"^[ \t]*#(?:[^\n\\]|\\.|\\\n)*", re.MULTILINE | re.DOTALL)
PARTNERS = {")": "(", "]": "[", "}": "{"}
ASSIGNMENTS = {"=", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "<<=", ">>="}
# In front of an expression, at its level.
LEADING_WORDS = {"return", "case", "throw", "else", "do", "co_return"}


class Token:
    def __init__(self, kind, text, start, line):
        self.kind = kind
        self.text = text
        self.start = start
        self.end = start + len(text)
        self.line = line


class TokenList:
    """The tokens of `source`; `partner[i]` of a bracket is the index of the other one, `around[i]` that
    of the innermost bracket that is open at token i, or -1."""

    def __init__(self, source):
        self.source = source
        self.tokens = []
        blank = PREPROCESSOR.sub(lambda m: re.sub(r"[^\n]", " ", m.group()), source)
        line, position = 1, 0
        while position < len(blank):
            match = TOKEN.match(blank, position)
            kind = match.lastgroup if match.lastgroup != "mark" else "raw"
            if kind != "space":
                kind = "text" if kind == "raw" else kind
                self.tokens.append(Token(kind, match.group(), position, line))
            line += match.group().count("\n")
            position = match.end()
        self._pair()

    def _pair(self):
        self.partner, self.around, open_brackets = {}, [], []
        for i, token in enumerate(self.tokens):
            if token.kind == "sign" and token.text in PARTNERS:
                start = open_brackets.pop()
                if self.tokens[start].text != PARTNERS[token.text]:
                    raise ValueError(f"line {token.line}: {token.text} has no partner")
                self.partner[start], self.partner[i] = i, start
            self.around.append(open_brackets[-1] if open_brackets else -1)
            if token.kind == "sign" and token.text in PARTNERS.values():
                open_brackets.append(i)

    def __len__(self):
        return len(self.tokens)

    def __getitem__(self, i):
        return self.tokens[i]

    def text(self, i):
        """Of token i; nothing beyond the ends."""
        return self.tokens[i].text if 0 <= i < len(self.tokens) else ""

    def is_word(self, i):
        return 0 <= i < len(self.tokens) and self.tokens[i].kind == "word"

    def is_binary(self, i):
        """Whether a sign has space on both sides: `a && b`, but not `auto&& a` or `vector<int>`."""
        token = self.tokens[i]
        return (token.kind == "sign" and self.source[token.start - 1].isspace()
                and self.source[token.end:token.end + 1].isspace())

    def is_opening(self, i):
        return self.text(i) in PARTNERS.values() and i in self.partner

    def is_closing(self, i):
        return self.text(i) in PARTNERS and i in self.partner

    def ends_expression(self, i, signs):
        """Whether an expression whose operators bind tighter than `signs` ends at token i."""
        text = self.text(i)
        if text in {";", ",", "?", ":", ""} or text in ASSIGNMENTS or text in LEADING_WORDS:
            return True
        return text in signs and self.is_binary(i)

    def left_operand(self, i, signs):
        """Index of the first token of what stands to the left of operator i."""
        at = i - 1
        while True:
            if self.is_closing(at):
                at = self.partner[at]
            elif self.is_opening(at) or self.ends_expression(at, signs):
                return at + 1
            at -= 1

    def right_operand(self, i, signs):
        """Index after the last token of what stands to the right of operator i."""
        at = i + 1
        while True:
            if self.is_opening(at):
                at = self.partner[at]
            elif self.is_closing(at) or self.ends_expression(at, signs):
                return at
            at += 1

    def ends_label(self, i):
        """Whether token i is the colon of a case."""
        if self.text(i) != ":":
            return False
        at = i - 1
        while self.text(at) not in {";", "{", "}", ":", "?", "case", "default", ""}:
            at -= 1
        return self.text(at) in {"case", "default"}

    def statement(self, i):
        """(first, end) of the tokens around i up to the next `;`, `{` or `}` on both sides, or from
        after the label of a case."""
        first, end = i, i
        while self.text(first - 1) not in {";", "{", "}", ""} and not self.ends_label(first - 1):
            first -= 1
        while self.text(end) not in {";", "{", "}", ""}:
            end += 1
        return first, end

    def between(self, first, end):
        """The source text of these tokens, on one line."""
        text = self.source[self.tokens[first].start:self.tokens[end - 1].end]
        return re.sub(r"\s+", " ", re.sub(r"//[^\n]*", "", text)).strip()
