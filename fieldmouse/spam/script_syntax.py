"""Parse JavaScript tolerantly, for constant folding.

The parser accepts more than JavaScript: it skips what it does not understand and goes on with the next
statement. The body of a function is parsed only when it is called (`Parser.body`), which makes large scripts
cheap. Time is linear in the length of the code; nesting and the number of tokens are limited.

A node is a tuple that starts with its kind; the kinds are listed at the methods of `Folder`.
"""

from typing import Any

from .script_tokens import END, UNDEFINED, Token, tokens

Node = tuple[Any, ...]

MAX_DEPTH = 60  # nested expressions and statements
MAX_ERRORS = 50  # statements of one script that are skipped
MISSING: Node = ("lit", UNDEFINED)

_OPERATORS = {
    "??": 1, "||": 2, "&&": 3, "|": 4, "^": 5, "&": 6, "==": 7, "!=": 7, "===": 7, "!==": 7, "<": 8, ">": 8,
    "<=": 8, ">=": 8, "in": 8, "instanceof": 8, "<<": 9, ">>": 9, ">>>": 9, "+": 10, "-": 10, "*": 11,
    "/": 11, "%": 11, "**": 12,
}  # fmt: skip
_ASSIGNING = "= += -= *= /= %= &= |= ^= <<= >>= >>>= **= &&= ||= ??="
_ASSIGNMENTS = frozenset(_ASSIGNING.split())
_PREFIXES = frozenset(["!", "~", "+", "-", "typeof", "void", "delete"])
_CLOSING = {"(": ")", "[": "]", "{": "}"}
_CONSTANTS = {"true": True, "false": False, "null": None, "undefined": UNDEFINED}


class SyntaxLimit(Exception):
    """The code is nested too deeply."""


class SyntaxProblem(Exception):
    """A statement is not understood."""


class Parser:
    """The parser of one script."""

    def __init__(self, code: str) -> None:
        """Split the code into tokens and pair the brackets."""
        self.tokens = tokens(code)
        self.count = len(self.tokens)
        self.place, self.depth, self.errors = 0, 0, 0
        self.end = self.count  # parsing stops here
        self.without_in = False
        self.bodies: dict[int, list[Node]] = {}
        self.closing: dict[int, int] = {}
        opened: list[tuple[str, int]] = []
        for place, (kind, value, _) in enumerate(self.tokens):
            if kind != "punctuation":
                continue
            if value in _CLOSING:
                opened.append((_CLOSING[value], place))
            elif value in (")", "]", "}"):
                while opened and opened[-1][0] != value and value == "}":
                    opened.pop()  # a bracket that is never closed
                if opened and opened[-1][0] == value:
                    self.closing[opened.pop()[1]] = place

    def program(self) -> list[Node]:
        """All statements of the script that are understood."""
        return self._statements(0, self.count)

    def body(self, start: int, end: int) -> list[Node]:
        """The statements of a function between two tokens."""
        if start not in self.bodies:
            self.bodies[start] = self._statements(start, end)
        return self.bodies[start]

    def _statements(self, start: int, end: int) -> list[Node]:
        outer = self.place, self.end, self.without_in
        self.place, self.end, self.without_in = start, min(end, self.count), False
        found: list[Node] = []
        try:
            while self.place < self.end and self.errors < MAX_ERRORS:
                before, depth = self.place, self.depth
                try:
                    found.append(self._statement())
                except SyntaxProblem:
                    self.errors += 1
                    self.depth = depth
                    self._skip()
                if self.place == before:
                    self.place += 1
        except (SyntaxLimit, RecursionError):
            self.errors = MAX_ERRORS
        self.depth = 0 if not start else self.depth
        self.place, self.end, self.without_in = outer
        return found

    def _skip(self) -> None:
        """Go to the end of a statement that is not understood."""
        while self.place < self.end:
            token = self.tokens[self.place]
            if token.kind == "punctuation" and token.value in _CLOSING:
                self.place = self.closing.get(self.place, self.place)
            self.place += 1
            if token.value == ";" or (self.place < self.end and self.tokens[self.place].line):
                return

    def _peek(self, ahead: int = 0) -> Token:
        place = self.place + ahead
        return self.tokens[place] if place < self.end else END

    def _is(self, value: str) -> bool:
        token = self._peek()
        return token.value == value and token.kind in ("punctuation", "name")

    def _take(self, value: str) -> bool:
        if self._is(value):
            self.place += 1
            return True
        return False

    def _expect(self, value: str) -> None:
        if not self._take(value):
            raise SyntaxProblem

    def _statement(self) -> Node:
        self.depth += 1
        if self.depth > MAX_DEPTH:
            raise SyntaxLimit
        token = self._peek()
        found: Node = ("block", [])
        if token.kind == "punctuation" and token.value in ("{", ";"):
            if token.value == "{":
                found = ("block", self._block())
            else:
                self.place += 1
        elif (
            token.kind == "name"
            and token.value in _STATEMENTS
            and not (token.value == "let" and self._peek(1).kind not in ("name", "punctuation"))
        ):
            self.place += 1
            found = _STATEMENTS[token.value](self)
        elif token.value == "async" and self._peek(1).value == "function":
            self.place += 2
            found = self._declaration()
        elif token.kind == "name" and self._peek(1).value == ":" and self._peek(1).kind == "punctuation":
            self.place += 2  # a label
            found = self._statement()
        else:
            found = ("expr", self._sequence())
        self._take(";")
        self.depth -= 1
        return found

    def _block(self) -> list[Node]:
        start = self.place
        if not self._is("{"):
            raise SyntaxProblem
        end = self.closing.get(start, self.end)
        found = self._statements(start + 1, end)
        self.place = end + 1
        return found

    def _declaration(self) -> Node:
        self._take("*")
        function = self._function()
        # The name of a declaration is one of the scope around it, which the function may set to another.
        return ("function", function[1], (function[0], "", *function[2:]))

    def _variables(self, word: str) -> Node:
        found = []
        while True:
            target = _pattern(self._postfix())
            value = self._assignment() if self._take("=") else None
            found.append((target, value))
            if not self._take(","):
                return ("var", word, found)

    def _if(self) -> Node:
        self._expect("(")
        condition = self._sequence()
        self._expect(")")
        then = self._statement()
        other = self._statement() if self._take("else") else None
        return ("if", condition, then, other)

    def _for(self) -> Node:
        self._take("await")
        self._expect("(")
        head: Node | None = None
        self.without_in = True
        if self._peek().value in ("var", "let", "const") and self._peek().kind == "name":
            self.place += 1
            head = self._variables(self._peek(-1).value)
        elif not self._is(";"):
            head = ("expr", self._sequence())
        self.without_in = False
        if head is not None and (self._is("of") or self._is("in")):
            way = self._peek().value
            self.place += 1
            values = self._sequence()
            self._expect(")")
            target = head[2][0][0] if head[0] == "var" else _pattern(head[1])
            return ("each", way, target, values, self._statement())
        self._expect(";")
        condition = None if self._is(";") else self._sequence()
        self._expect(";")
        step = None if self._is(")") else self._sequence()
        self._expect(")")
        return ("for", head, condition, step, self._statement())

    def _while(self) -> Node:
        self._expect("(")
        condition = self._sequence()
        self._expect(")")
        return ("for", None, condition, None, self._statement())

    def _with(self) -> Node:
        self._expect("(")
        owner = self._sequence()
        self._expect(")")
        return ("with", owner, self._statement())

    def _do(self) -> Node:
        body = self._statement()
        self._expect("while")
        self._expect("(")
        condition = self._sequence()
        self._expect(")")
        return ("do", body, condition)

    def _switch(self) -> Node:
        self._expect("(")
        value = self._sequence()
        self._expect(")")
        self._expect("{")
        cases: list[tuple[Node | None, list[Node]]] = []
        while not self._take("}"):
            if self._take("default"):
                test = None
            else:
                self._expect("case")
                test = self._sequence()
            self._expect(":")
            body: list[Node] = []
            while not (self._is("case") or self._is("default") or self._is("}")):
                if self.place >= self.end:
                    raise SyntaxProblem
                body.append(self._statement())
            cases.append((test, body))
        return ("switch", value, cases)

    def _try(self) -> Node:
        tried = self._block()
        name, caught, last = None, None, None
        if self._take("catch"):
            if self._take("("):
                name = _pattern(self._postfix())
                self._expect(")")
            caught = self._block()
        if self._take("finally"):
            last = self._block()
        return ("try", tried, name, caught, last)

    def _jump(self, kind: str) -> Node:
        value = None
        token = self._peek()
        if token is not END and not token.line and token.value not in (";", "}"):
            value = self._sequence()
        return (kind, value) if kind in ("return", "throw") else (kind,)

    def _class(self) -> Node:
        """A class after the word: its methods and the fields with a value."""
        name = ""
        if self._peek().kind == "name" and self._peek().value != "extends":
            name, self.place = self._peek().value, self.place + 1
        while self.place < self.end and not self._is("{"):
            self.place += 1  # what it extends
        self._expect("{")
        members: list[tuple[bool, Node, Node]] = []
        while not self._take("}"):
            if self._take(";"):
                continue
            static = self._is("static") and self._peek(1).value not in ("(", "=", ";", "}")
            self.place += static
            key, value = self._property()
            if value[0] == "assign":
                value = value[3]
            members.append((bool(static), key, value if value[0] != "name" else MISSING))
        return ("class", name, members)

    def _skipped(self) -> Node:
        self._skip()
        return ("block", [])

    def _sequence(self) -> Node:
        found = [self._assignment()]
        while self._take(","):
            found.append(self._assignment())
        return found[0] if len(found) == 1 else ("seq", found)

    def _assignment(self) -> Node:
        self.depth += 1
        if self.depth > MAX_DEPTH:
            raise SyntaxLimit
        arrow = self._arrow()
        if arrow is not None:
            self.depth -= 1
            return arrow
        left = self._binary(0)
        token = self._peek()
        if token.kind == "punctuation":
            if token.value == "?":
                self.place += 1
                inside, self.without_in = self.without_in, False
                then = self._assignment()
                self.without_in = inside
                self._expect(":")
                left = ("cond", left, then, self._assignment())
            elif token.value in _ASSIGNMENTS:
                self.place += 1
                target = _pattern(left) if token.value == "=" else left
                left = ("assign", token.value, target, self._assignment())
        self.depth -= 1
        return left

    def _arrow(self) -> Node | None:
        """An arrow function, if one starts here."""
        if self._is("async") and not self._peek(1).line and self._peek(1).value not in (")", ",", "=", "."):
            after = self.closing.get(self.place + 1, self.place + 1) + 1
            if after < self.end and self.tokens[after].value == "=>":
                self.place += 1
        token = self._peek()
        names: list[Node] = []
        if token.kind == "name" and self._peek(1).value == "=>":
            names, self.place = [("name", token.value)], self.place + 2
        elif token.kind == "punctuation" and token.value == "(":
            close = self.closing.get(self.place, self.end)
            if close + 1 >= self.end or self.tokens[close + 1].value != "=>":
                return None
            names = self._parameters()
            self._expect("=>")
        else:
            return None
        if self._is("{"):
            start = self.place
            self.place = self.closing.get(start, self.end) + 1
            return ("func", "", names, (self, start + 1, self.place - 1), True)
        return ("func", "", names, self._assignment(), True)

    def _parameters(self) -> list[Node]:
        self._expect("(")
        found: list[Node] = []
        while not self._take(")"):
            found.append(("spread", self._postfix()) if self._take("...") else _pattern(self._assignment()))
            if not self._take(",") and not self._is(")"):
                raise SyntaxProblem
        return found

    def _function(self) -> Node:
        """A function after the word; its body is parsed when it is called."""
        name = ""
        if self._peek().kind == "name":
            name, self.place = self._peek().value, self.place + 1
        names = self._parameters()
        start = self.place
        if not self._is("{"):
            raise SyntaxProblem
        self.place = self.closing.get(start, self.end) + 1
        return ("func", name, names, (self, start + 1, self.place - 1), False)

    def _binary(self, least: int) -> Node:
        left = self._unary()
        while True:
            token = self._peek()
            rank = _OPERATORS.get(token.value, 0) if token.kind in ("punctuation", "name") else 0
            if rank <= least or (self.without_in and token.value == "in"):
                return left
            self.place += 1
            right = self._binary(rank - (token.value == "**"))
            kind = "logic" if token.value in ("&&", "||", "??") else "binary"
            left = (kind, token.value, left, right)

    def _unary(self) -> Node:
        prefixes: list[str] = []
        while (token := self._peek()).kind in ("punctuation", "name"):
            if token.value not in _PREFIXES and token.value not in ("++", "--", "await", "yield"):
                break
            if token.value == "yield" and self._peek(1).value in (")", ";", "}"):
                break
            prefixes.append(token.value)
            self.place += 1
            if len(prefixes) > MAX_DEPTH:
                raise SyntaxLimit
        found = self._postfix()
        token = self._peek()
        if token.kind == "punctuation" and token.value in ("++", "--") and not token.line:
            self.place += 1
            found = ("update", token.value, False, found)
        for prefix in reversed(prefixes):
            if prefix in ("++", "--"):
                found = ("update", prefix, True, found)
            elif prefix != "yield":
                found = ("unary", prefix, found)
        return found

    def _postfix(self) -> Node:
        """A value with the members, indexes and calls after it."""
        found = self._new() if self._take("new") else self._primary()
        links = 0
        while (token := self._peek()).kind == "punctuation" or token.kind == "template":
            if token.kind == "template":
                found = ("call", found, [self._primary()])
            elif token.value in (".", "?."):
                self.place += 1
                if not (token.value == "?." and self._peek().value in ("(", "[")):
                    if self._peek().kind != "name":
                        raise SyntaxProblem
                    found = ("member", found, ("lit", self._peek().value))
                    self.place += 1
            elif token.value == "[":
                self.place += 1
                found = ("member", found, self._enclosed("]"))
            elif token.value == "(":
                found = ("call", found, self._arguments())
            else:
                break
            links += 1
            if links > MAX_DEPTH:
                raise SyntaxLimit
        return found

    def _enclosed(self, close: str) -> Node:
        inside, self.without_in = self.without_in, False
        found = self._sequence()
        self.without_in = inside
        self._expect(close)
        return found

    def _new(self) -> Node:
        if self._take("."):  # new.target
            self.place += 1
            return MISSING
        callee = self._primary()
        while self._is(".") or self._is("["):
            if self._take("."):
                callee = ("member", callee, ("lit", self._peek().value))
                self.place += 1
            else:
                self.place += 1
                callee = ("member", callee, self._enclosed("]"))
        return ("new", callee, self._arguments() if self._is("(") else [])

    def _arguments(self) -> list[Node]:
        return self._items("(", ")")

    def _items(self, opening: str, close: str) -> list[Node]:
        self._expect(opening)
        inside, self.without_in = self.without_in, False
        found: list[Node] = []
        while not self._take(close):
            if self._is(","):
                found.append(MISSING)
            elif self._take("..."):
                found.append(("spread", self._assignment()))
            else:
                found.append(self._assignment())
            if not self._take(",") and not self._is(close):
                raise SyntaxProblem
        self.without_in = inside
        return found

    def _primary(self) -> Node:
        token = self._peek()
        kind, value, _ = token
        self.place += 1
        if kind in ("string", "number"):
            return ("lit", value)
        if kind == "regex":
            return ("regex", *value)
        if kind == "template":
            return self._template(value)
        if kind == "name":
            if value == "function":
                self._take("*")
                return self._function()
            if value == "async" and self._take("function"):
                return self._function()
            if value == "class":
                return self._class()
            if value in _CONSTANTS:
                return ("lit", _CONSTANTS[value])
            return ("this",) if value == "this" else ("name", value)
        self.place -= 1
        if value == "(":
            self.place += 1
            return self._enclosed(")")
        if value == "[":
            return ("array", self._items("[", "]"))
        if value == "{" and kind == "punctuation":
            return self._object()
        raise SyntaxProblem

    def _template(self, value: tuple[str, bool]) -> Node:
        parts: list[Node] = [("lit", value[0])]
        more = value[1]
        while more:
            parts.append(self._sequence())
            token = self._peek()
            if token.kind != "rest":
                raise SyntaxProblem
            self.place += 1
            parts.append(("lit", token.value[0]))
            more = token.value[1]
        return ("template", parts)

    def _object(self) -> Node:
        self._expect("{")
        inside, self.without_in = self.without_in, False
        found: list[tuple[Node, Node]] = []
        while not self._take("}"):
            if self._take("..."):
                self._assignment()
            else:
                found.append(self._property())
            if not self._take(",") and not self._is("}"):
                raise SyntaxProblem
        self.without_in = inside
        return ("object", found)

    def _property(self) -> tuple[Node, Node]:
        self._take("*")
        token = self._peek()
        if token.value in ("get", "set", "async") and self._peek(1).value not in (",", ":", "(", "}", "="):
            self.place += 1
            token = self._peek()
        self.place += 1
        key: Node = ("lit", token.value)
        if token.kind == "punctuation":
            if token.value != "[":
                raise SyntaxProblem
            key = self._enclosed("]")
        elif token.kind not in ("name", "string", "number"):
            raise SyntaxProblem
        if self._take(":"):
            return key, self._assignment()
        if self._is("("):
            return key, self._function()
        name: Node = ("name", token.value)
        if self._take("="):  # a default of a pattern
            return key, ("assign", "=", name, self._assignment())
        return key, name


def _pattern(node: Node) -> Node:
    """The target of an assignment: a name, a member, a list or an object of targets, maybe with a default."""
    kind = node[0]
    if kind == "array":
        return ("targets", [("spread", _pattern(n[1])) if n[0] == "spread" else _pattern(n) for n in node[1]])
    if kind == "object":
        return ("fields", [(key, _pattern(value)) for key, value in node[1]])
    if kind == "assign" and node[1] == "=":
        return ("default", _pattern(node[2]), node[3])
    return node


_STATEMENTS = {
    "var": lambda p: p._variables("var"),
    "let": lambda p: p._variables("let"),
    "const": lambda p: p._variables("const"),
    "function": Parser._declaration,
    "if": Parser._if,
    "for": Parser._for,
    "while": Parser._while,
    "do": Parser._do,
    "with": Parser._with,
    "switch": Parser._switch,
    "try": Parser._try,
    "return": lambda p: p._jump("return"),
    "throw": lambda p: p._jump("throw"),
    "break": lambda p: p._jump("break"),
    "continue": lambda p: p._jump("continue"),
    "class": Parser._class,
    "import": Parser._skipped,
    "export": Parser._skipped,
}
