"""The tokens of JavaScript: a tolerant tokenizer that is linear in the length of the code."""

import re
from typing import Any, NamedTuple

MAX_TOKENS = 60_000  # of one script


class Undefined:
    """The value `undefined`."""


UNDEFINED = Undefined()

_ESCAPE = r"\\u(?:[0-9A-Fa-f]{4}|\{[0-9A-Fa-f]{1,6}\})"
_TOKEN = re.compile(
    rf"""(?P<blank>[\s\ufeff]++)
    |(?P<comment>//[^\n\r]*+|/\*(?s:.*?)(?:\*/|\Z)|<!--[^\n\r]*+)
    |(?P<number>0[xX][0-9a-fA-F]++n?|0[bB][01]++n?|0[oO][0-7]++n?|(?:\d[\d_]*+(?:\.\d*+)?|\.\d++)(?:[eE][+-]?\d++)?n?)
    |(?P<string>"(?:[^"\\\n]|\\(?s:.))*+"|'(?:[^'\\\n]|\\(?s:.))*+')
    |(?P<name>(?:[A-Za-z_$\u0080-\U0010ffff]|{_ESCAPE})(?:[\w$]|{_ESCAPE})*+)
    |(?P<punctuation>>>>=|\.\.\.|===|!==|\*\*=|<<=|>>=|>>>|&&=|\|\|=|\?\?=|=>|==|!=|<=|>=|&&|\|\||\?\?|\?\.(?!\d)
        |\+\+|--|\+=|-=|\*=|/=|%=|&=|\|=|\^=|<<|>>|\*\*|[{{}}()\[\];,<>+\-*/%&|^!~?:=.`@\#])
    |(?P<broken>["'][^\n]*+|.)""",
    re.VERBOSE | re.DOTALL,
)
_REGEX = re.compile(r"/(?![*/])((?:[^/\\\[\n]|\\.|\[(?:[^\]\\\n]|\\.)*+\])++)/([a-z]*)")
_CHUNK = re.compile(r"((?:[^`\\$]|\\.|\$(?!\{))*+)(`|\$\{|\Z)", re.DOTALL)
_LINE = re.compile(r"[^\n\r]*+")
_QUOTED = re.compile(
    r"\\(?:x([0-9A-Fa-f]{2})|u([0-9A-Fa-f]{4})|u\{([0-9A-Fa-f]{1,6})\}|([0-7]{1,3})|(\r\n|.))", re.DOTALL
)
_CONTROLS = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f", "v": "\v", "\n": "", "\r\n": "", "\r": ""}

# After these words a slash starts a regular expression.
_REGEX_WORDS = "return typeof case in of void delete throw new else do instanceof"
_WORDS_BEFORE_REGEX = frozenset(_REGEX_WORDS.split())


class Token(NamedTuple):
    """A token: kind is number, string, template, rest (of a template), regex, name, punctuation or end."""

    kind: str
    value: Any
    line: bool  # a new line starts before it


END = Token("end", "", True)


def unquoted(text: str) -> str:
    """The value of the inside of a string literal."""
    if "\\" not in text:
        return text

    def one(found: re.Match[str]) -> str:
        code = found[1] or found[2] or found[3]
        if code:
            return chr(min(int(code, 16), 0x10FFFF))
        return chr(int(found[4], 8)) if found[4] else _CONTROLS.get(found[5], found[5])

    return _QUOTED.sub(one, text)


def _number(text: str) -> float:
    text = text.rstrip("n").replace("_", "") if text[:2].lower() != "0x" else text.rstrip("n")
    if text[:2].lower() in ("0x", "0b", "0o"):
        return int(text, 0)
    if text.isdigit():
        return int(text[:300], 8 if len(text) > 1 and text[0] == "0" and not set(text) & set("89") else 10)
    return float(text)


def tokens(code: str) -> list[Token]:  # noqa: C901, PLR0912, PLR0915 - one loop, read in order
    """The tokens of some code, at most `MAX_TOKENS`."""
    found: list[Token] = []
    new, matches = tuple.__new__, _TOKEN.match
    place, line, depth = 0, True, 0
    no_regex = 0  # before this place there is none; keeps failed attempts linear
    templates: list[int] = []  # the depth of braces at each open template
    while place < len(code) and len(found) < MAX_TOKENS:
        match = matches(code, place)
        if match is None:
            break
        kind, text, start = match.lastgroup or "", match[0], place
        place = match.end()
        if kind in ("blank", "comment"):
            line |= "\n" in text or "\r" in text
            continue
        value: Any = text
        if kind == "string":
            value = unquoted(text[1:-1])
        elif kind == "number":
            value = _number(text)
        elif kind == "name":
            value = unquoted(text)
        elif kind == "punctuation":
            if text in ("/", "/=") and start >= no_regex and _regex_may_start(found):
                regex = _REGEX.match(code, start)
                if regex is not None:
                    kind, value, place = "regex", (regex[1], regex[2]), regex.end()
                else:
                    no_regex = _LINE.match(code, start).end()  # type: ignore[union-attr]
            elif text == "--" and line and code.startswith(">", place):  # the end of an HTML comment
                place = _LINE.match(code, place).end()  # type: ignore[union-attr]
                continue
            elif text == "`" or (text == "}" and templates and depth == templates[-1]):
                if text == "}":
                    templates.pop()
                chunk = _CHUNK.match(code, place)
                if chunk is None:
                    break
                kind = "template" if text == "`" else "rest"
                value, place = (unquoted(chunk[1]), chunk[2] == "${"), chunk.end()
                if value[1]:
                    templates.append(depth)
            elif text == "{":
                depth += 1
            elif text == "}":
                depth -= 1
        elif kind == "broken":
            line = True
            continue
        found.append(new(Token, (kind, value, line)))
        line = False
    return found


def _regex_may_start(found: list[Token]) -> bool:
    if not found:
        return True
    kind, value, _ = found[-1]
    if kind == "punctuation":
        return value not in (")", "]", "}", "++", "--")
    return kind == "name" and value in _WORDS_BEFORE_REGEX
