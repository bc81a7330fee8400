"""The values of expressions, and the state that folding keeps: see `script_folding`."""

from collections.abc import Callable
from typing import NamedTuple
from urllib.parse import urlsplit

from . import script_browser, script_reflection
from .script_syntax import Node, Parser
from .script_tokens import UNDEFINED
from .script_values import (
    LOCATION,
    MAX_SIZE,
    UNKNOWN,
    WINDOW,
    Bound,
    BuiltIn,
    Either,
    Host,
    PageElement,
    Partial,
    Pattern,
    Promised,
    Scope,
    ScriptFunction,
    ScriptList,
    ScriptObject,
    Value,
    added,
    arithmetic,
    either,
    int32,
    number,
    pattern,
    text,
    truth,
)

MAX_STEPS = 20_000  # nodes evaluated for a page
MAX_DOUBTFUL = 1500  # of these, in branches of unknown conditions
MAX_DOUBT = 4  # nested unknown conditions
MAX_DEPTH = 120  # nested nodes
MAX_TASKS = 100  # handlers and timers of a page
MAX_AGAIN = 12  # times that one of them runs
MAX_FOUND = 20  # redirects of a page
MAX_WRITTEN = 50_000  # characters that scripts write into a page


class ScriptExit(NamedTuple):
    """A place where a script leads away."""

    url: str
    delay: float  # seconds
    doubt: int  # unknown conditions around it


class Jump(NamedTuple):
    """How a statement ends other than by reaching its end."""

    kind: str  # return, break, continue or throw
    value: Value = UNDEFINED


class Exhausted(Exception):
    """A limit is reached."""


class Thrown(Exception):
    """The script throws a value."""


class Task(NamedTuple):
    """A handler or a timer that runs after the scripts."""

    call: Value
    delay: float
    doubt: int
    every: float | None = None  # seconds after which it runs again


class ExpressionFolder:
    """Expressions of the scripts of one page, and where they lead."""

    def __init__(self, address: str, elements: list[PageElement]) -> None:
        """`elements` are the forms and links of the page."""
        self.address, self.elements = address, elements
        self.here = urlsplit(address)
        self.exits: list[ScriptExit] = []
        self.written: list[tuple[str, int]] = []  # HTML and its doubt
        self.tasks: list[Task] = []
        self.started: dict[int, int] = {}  # how often a function was a task
        self.unknown_calls = 0  # of functions that may not exist
        self.steps, self.doubtful, self.depth, self.doubt, self.delay = 0, 0, 0, 0, 0.0
        self.top = Scope(None, function=True)
        self.scope = self.top
        self.this: Value = WINDOW
        self.returns: list[Value] = []  # values that the current function may have returned before
        self.trail: list[tuple[dict[str, Value], str, Value]] | None = None  # writes to undo

    # What the page does

    def leave(self, target: Value) -> None:
        """Note that the visitor is sent to a URL."""
        choices = target.values if isinstance(target, Either) else (target,)
        known = [_address(text(one)) for one in choices if one is not UNDEFINED and one is not None]
        known = [one for one in known if one]
        doubt = self.doubt + (len(known) < len(choices))
        for one in known:
            if len(self.exits) < MAX_FOUND:
                self.exits.append(ScriptExit(one, self.delay, doubt))

    def later(self, call: Value, seconds: float = 0.0, *, doubt: int = 0, repeated: bool = False) -> None:
        """Run a function, or code in a string, after the scripts."""
        for one in call.values if isinstance(call, Either) else (call,):
            if not isinstance(one, ScriptFunction | BuiltIn | Bound | str):
                continue
            # A countdown starts itself again; a script that waits for the unknown does so in vain.
            key = id(one.node) if isinstance(one, ScriptFunction) else id(one)
            count = self.started.get(key, 0) + 1
            if len(self.tasks) < MAX_TASKS and count <= (1 if self.doubt else MAX_AGAIN):
                self.started[key] = count
                task = Task(one, self.delay + seconds, self.doubt + doubt, seconds if repeated else None)
                self.tasks.append(task)

    def write(self, html: Value, doubt: int = 0) -> None:
        """Note HTML that is written into the page."""
        for one in html.values if isinstance(html, Either) else (html,):
            known = text(one)
            known = known.start if isinstance(known, Partial) else known
            room = MAX_WRITTEN - sum(len(part) for part, _ in self.written)
            if isinstance(known, str) and known:
                self.written.append((known[:room], self.doubt + doubt + isinstance(html, Either)))

    def run_statements(self, nodes: list[Node]) -> Jump | None:
        """Run the body of a function."""
        raise NotImplementedError

    def evaluate_code(self, code: str) -> Value:
        """Run code in the global scope."""
        raise NotImplementedError

    def step(self) -> None:
        self.steps += 1
        if self.steps > MAX_STEPS or self.depth > MAX_DEPTH:
            raise Exhausted
        if self.doubt:
            self.doubtful += 1
            if self.doubtful > MAX_DOUBTFUL:
                raise Thrown  # ends the branch; code outside of it goes on

    def branches(self, runs: list[Callable[[], Jump | None]]) -> Jump | None:
        """Run the branches of an unknown condition from the same state, and join what they leave behind."""
        level, depth = self.doubt, self.depth
        if level >= MAX_DOUBT or self.doubtful > MAX_DOUBTFUL:
            return None
        jumps: list[Jump | None] = []
        states: list[dict[tuple[int, str], tuple[dict[str, Value], Value, Value]]] = []
        leads: list[list[int]] = []
        for run in runs:
            outer, self.trail = self.trail, []
            scope, this = self.scope, self.this
            self.doubt = level + 1
            first = len(self.exits)
            try:
                jumps.append(run())
            except Thrown:
                jumps.append(Jump("throw"))
                self.scope, self.this, self.depth = scope, this, depth
            leads.append([i for i in range(first, len(self.exits)) if self.exits[i].doubt == level + 1])
            state: dict[tuple[int, str], tuple[dict[str, Value], Value, Value]] = {}
            for names, key, before in reversed(self.trail or []):
                now = state[id(names), key][2] if (id(names), key) in state else names.get(key, UNDEFINED)
                state[id(names), key] = (names, before, now)
            for (_, key), (names, before, _) in state.items():
                names[key] = before
            states.append(state)
            self.trail = outer
        self.doubt = level
        for place in {place for state in states for place in state}:
            found = [state[place] for state in states if place in state]
            names, before, _ = found[0]
            values = [now for _, _, now in found] + [before] * (len(found) < len(states))
            self.set_name(names, place[1], either(values))
        if all(leads):
            for i in {i for lead in leads for i in lead}:
                self.exits[i] = self.exits[i]._replace(doubt=level)
        ended = [jump for jump in jumps if jump is not None]
        if len(ended) == len(jumps) and len({jump.kind for jump in ended}) == 1:
            if ended[0].kind == "throw":
                raise Thrown
            return Jump(ended[0].kind, either([jump.value for jump in ended]))
        if ended:
            self.returns += [jump.value for jump in ended if jump.kind == "return"]
            self.doubt = level + 1  # until the function ends
        return None

    # Names

    def set_name(self, names: dict[str, Value], key: str, value: Value) -> None:
        if self.trail is not None:
            self.trail.append((names, key, names.get(key, UNDEFINED)))
        names[key] = value

    def bind(self, target: Node, value: Value, scope: Scope | None) -> None:  # noqa: C901, PLR0912
        """Assign a value to a name, a member or a pattern; with a scope, as a declaration."""
        kind = target[0]
        if kind == "name":
            if scope is None:
                scope = self.scope
                while target[1] not in scope.names and scope.parent is not None:
                    if isinstance(scope.owner, Host) and self.member(scope.owner, target[1]) is not UNKNOWN:
                        self.set_member(scope.owner, target[1], value)
                        return
                    scope = scope.parent
            if scope is self.top and (scope.parent is None and target[1] in ("location", "onload")):
                self.set_member(WINDOW, target[1], value)
            else:
                self.set_name(scope.names, target[1], value)
        elif kind == "member":
            owner = self.evaluate(target[1])
            self.set_member(owner, text(self.evaluate(target[2])), value)
        elif kind == "default":
            given = self.evaluate(target[2]) if value is UNDEFINED else value
            self.bind(target[1], given, scope)
        elif kind == "targets":
            items = value.items if isinstance(value, ScriptList) else None
            for place, one in enumerate(target[1]):
                if one[0] == "spread":
                    self.bind(one[1], ScriptList(items[place:]) if items is not None else UNKNOWN, scope)
                elif one[0] != "lit":
                    missing = UNKNOWN if items is None else UNDEFINED
                    self.bind(one, items[place] if items and place < len(items) else missing, scope)
        elif kind == "fields":
            for key, one in target[1]:
                self.bind(one, self.member(value, text(self.evaluate(key))), scope)

    def _name(self, node: Node) -> Value:
        scope: Scope | None = self.scope
        while scope is not None:
            if node[1] in scope.names:
                return scope.names[node[1]]
            if isinstance(scope.owner, Host):
                found = self.member(scope.owner, node[1])
                if found is not UNKNOWN:
                    return found
            scope = scope.parent
        return script_browser.window_member(self, node[1])

    def member(self, owner: Value, key: Value) -> Value:
        """A property of a value."""
        if not isinstance(key, str):
            return UNKNOWN
        if isinstance(owner, Either):
            return either([self.member(one, key) for one in owner.values])
        if isinstance(owner, ScriptObject | ScriptFunction):
            found: Value = owner
            for _ in range(10):
                if not isinstance(found, ScriptObject | ScriptFunction):
                    break
                if key in found.fields:
                    return found.fields[key]
                found = found.parent if isinstance(found, ScriptObject) else None
            if isinstance(owner, ScriptFunction) and key == "prototype":
                owner.fields["prototype"] = ScriptObject()
                return owner.fields["prototype"]
            if key == "constructor" and isinstance(owner, ScriptFunction):
                return Host("Function")
            if isinstance(owner, ScriptFunction) or key in ("hasOwnProperty", "toString"):
                return BuiltIn(key, owner)
            return UNDEFINED
        return script_browser.member(self, owner, key)

    def set_member(self, owner: Value, key: Value, value: Value) -> None:
        """Assign to a property of a value."""
        if isinstance(key, str) and key in ("onload", "onpageshow", "onreadystatechange"):
            self.later(value)
        if not isinstance(key, str):
            return
        if isinstance(owner, ScriptObject | ScriptFunction):
            self.set_name(owner.fields, key, value)
            script_reflection.follow_parts(self, owner, key)
        elif isinstance(owner, ScriptList):
            if key.isdecimal() and len(key) < 6 and int(key) <= min(len(owner.items), MAX_SIZE):
                owner.items[int(key) : int(key) + 1] = [value]
        elif owner == WINDOW and key != "location":
            self.set_name(self.top.names, key, value)
        elif isinstance(owner, Host | PageElement | BuiltIn):
            script_browser.set_member(self, owner, key, value)

    # Expressions

    def evaluate(self, node: Node) -> Value:
        """The value of an expression."""
        self.step()
        self.depth += 1
        value = _EVALUATE[node[0]](self, node)
        self.depth -= 1
        return value

    def _literal(self, node: Node) -> Value:
        return node[1]

    def _template(self, node: Node) -> Value:
        found: Value = ""
        for part in node[1]:
            value = self.evaluate(part)
            found = added(found, value if isinstance(value, Either) else text(value))
        return found

    def _regex(self, node: Node) -> Pattern:
        return pattern(node[1], node[2])

    def _this(self, _node: Node) -> Value:
        return self.this

    def _values(self, nodes: list[Node]) -> list[Value]:
        found: list[Value] = []
        for node in nodes:
            if node[0] == "spread":
                value = self.evaluate(node[1])
                found += (
                    value.items
                    if isinstance(value, ScriptList)
                    else list(value)
                    if isinstance(value, str)
                    else [UNKNOWN]
                )
            else:
                found.append(self.evaluate(node))
        return found[:MAX_SIZE]

    def _list(self, node: Node) -> Value:
        return ScriptList(self._values(node[1]))

    def _object(self, node: Node) -> Value:
        found = ScriptObject()
        for key, value in node[1]:
            name = text(self.evaluate(key))
            given = self.evaluate(value)
            if isinstance(name, str):
                found.fields[name] = given
        return found

    def _closure(self, node: Node) -> Value:
        return ScriptFunction(node, self.scope, self.this if node[4] else None)

    def _class(self, node: Node) -> Value:
        """A class becomes a function with a prototype."""
        _, name, members = node
        made = ScriptFunction(("func", name, [], ("lit", UNDEFINED), False), self.scope, None)
        fields: dict[str, Value] = {}
        for static, key, value in members:
            known, given = self.key(key), self.evaluate(value)
            if known == "constructor" and isinstance(given, ScriptFunction):
                made.node = given.node
            elif isinstance(known, str):
                (made.fields if static else fields)[known] = given
        made.fields["prototype"] = ScriptObject(fields)
        if name:
            self.set_name(self.scope.names, name, made)
        return made

    def _sequence(self, node: Node) -> Value:
        return [self.evaluate(one) for one in node[1]][-1]

    def _member(self, node: Node) -> Value:
        return self.member(self.evaluate(node[1]), self.key(node[2]))

    def key(self, node: Node) -> Value:
        return node[1] if node[0] == "lit" and isinstance(node[1], str) else text(self.evaluate(node))

    def _conditional(self, node: Node) -> Value:
        known = truth(self.evaluate(node[1]))
        if known is not None:
            return self.evaluate(node[2] if known else node[3])
        if node[2][0] in _WITHOUT_EFFECT and node[3][0] in _WITHOUT_EFFECT:
            return either([self.evaluate(node[2]), self.evaluate(node[3])])
        return self._either([node[2], node[3]])

    def _either(self, nodes: list[Node]) -> Value:
        """The value of one of some expressions, it is not known which."""
        values: list[Value] = []

        def one(node: Node) -> Callable[[], None]:
            return lambda: values.append(self.evaluate(node))

        self.branches([one(node) for node in nodes])
        return either(values) if values else UNKNOWN

    def _logic(self, node: Node) -> Value:
        _, way, left, right = node
        value = self.evaluate(left)
        if way == "??":
            known = None if value is UNKNOWN or isinstance(value, Either) else value not in (None, UNDEFINED)
        else:
            known = truth(value)
        if known is None:
            values: list[Value] = []

            def run() -> None:
                values.append(self.evaluate(right))

            if right[0] in _WITHOUT_EFFECT or (right[0] in ("array", "object") and not right[1]):
                run()
            else:
                self.branches([run, lambda: None])
            return either([*values, value]) if way != "&&" and values else UNKNOWN
        return value if known == (way != "&&") else self.evaluate(right)

    def _assign(self, node: Node) -> Value:
        _, way, target, right = node
        if way == "=":
            value = self.evaluate(right)
            self.bind(target, value, None)
            return value
        before = self.evaluate(target)
        if way in ("&&=", "||=", "??="):
            value = self._logic(("logic", way[:-1], ("lit", before), right))
        else:
            value = self._combined(way[:-1], before, self.evaluate(right))
        self.bind(target, value, None)
        return value

    def _update(self, node: Node) -> Value:
        _, way, before, target = node
        old = number(self.evaluate(target))
        new = UNKNOWN if old is UNKNOWN else old + (1 if way == "++" else -1)
        self.bind(target, new, None)
        return new if before else old

    def _unary(self, node: Node) -> Value:
        _, way, operand = node
        value = self.evaluate(operand)
        if way == "await":
            return value.value if isinstance(value, Promised) else value
        if way == "!":
            known = truth(value)
            return UNKNOWN if known is None else not known
        if way == "typeof":
            return script_browser.type_name(value)
        if way in ("void", "delete"):
            return UNDEFINED if way == "void" else True
        found = number(value)
        if found is UNKNOWN or way == "+":
            return found
        return -found if way == "-" else int32(~int32(found))

    def _binary(self, node: Node) -> Value:
        # A sum of many strings is nested to the left: it is done in a loop.
        operands: list[tuple[str, Node]] = []
        while node[0] == "binary":
            operands.append((node[1], node[3]))
            node = node[2]
        value = self.evaluate(node)
        for way, right in reversed(operands):
            value = self._combined(way, value, self.evaluate(right))
        return value

    def _combined(self, way: str, one: Value, other: Value) -> Value:
        if way == "+":
            return added(one, other)
        if way in ("==", "!=", "===", "!=="):
            return self.equal(way, one, other)
        if way in ("<", ">", "<=", ">=") and isinstance(one, str) and isinstance(other, str):
            return {"<": one < other, ">": one > other, "<=": one <= other, ">=": one >= other}[way]
        return arithmetic(way, number(one), number(other))

    def equal(self, way: str, one: Value, other: Value) -> Value:
        """Whether two values are equal, or `UNKNOWN`."""
        negative = way[0] == "!"
        if (
            one is UNKNOWN
            or other is UNKNOWN
            or isinstance(one, Partial | Either)
            or isinstance(other, Partial | Either)
        ):
            return UNKNOWN
        if one == LOCATION and other != LOCATION and isinstance(other, str):
            one = self.address
        if other == LOCATION and one != LOCATION and isinstance(one, str):
            other = self.address
        nothing = (None, UNDEFINED)
        if one in nothing or other in nothing:
            same = one is other or (
                len(way.strip("!")) < 3 and one in nothing and other in nothing and way in ("==", "!=")
            )
        elif way in ("==", "!=") and isinstance(one, str) != isinstance(other, str):
            left, right = number(one), number(other)
            if left is UNKNOWN or right is UNKNOWN:
                return negative
            same = left == right
        elif isinstance(one, str | int | float | Host):
            same = one == other
        else:
            same = one is other
        return same != negative

    # Calls

    def _call(self, node: Node) -> Value:
        _, callee, arguments = node
        this: Value = WINDOW
        name = ""
        if callee[0] == "member":
            this, name = self.evaluate(callee[1]), self.key(callee[2])
            function = self.member(this, name)
        else:
            function = self.evaluate(callee)
            name = callee[1] if callee[0] == "name" else ""
        args = self._values(arguments)
        if function is UNKNOWN or function is UNDEFINED:
            self.unknown_calls += 1
            return script_browser.unknown_call(self, name, args)
        return self.call(function, this, args)

    def call(self, function: Value, this: Value, args: list[Value]) -> Value:  # noqa: PLR0912
        """Call a function of the script or of the browser."""
        self.step()
        if isinstance(function, BuiltIn):
            return script_browser.call(self, function.name, function.owner, args)
        if isinstance(function, Bound):
            return self.call(function.function, function.this, [*function.args, *args])
        if isinstance(function, Host):
            return script_browser.construct(self, function.name, args)
        if isinstance(function, Either):
            return self._either(
                [("call", ("lit", one), [("lit", arg) for arg in args]) for one in function.values]
            )
        if not isinstance(function, ScriptFunction):
            return UNKNOWN
        _, name, names, body, arrow = function.node
        outer = self.scope, self.this, self.doubt, self.returns, self.depth
        self.scope = Scope(function.scope, function=True)
        self.this = function.this if arrow else this
        self.returns = []
        self.depth += 3
        try:
            if name:
                self.scope.names[name] = function
            if not arrow:
                self.scope.names["arguments"] = ScriptList(args)
            for place, target in enumerate(names):
                if target[0] == "spread":
                    self.bind(target[1], ScriptList(args[place:]), self.scope)
                else:
                    self.bind(target, args[place] if place < len(args) else UNDEFINED, self.scope)
            if len(body) == 3 and isinstance(body[0], Parser):
                jump = self.run_statements(body[0].body(body[1], body[2]))
                value = jump.value if jump is not None else UNDEFINED
            else:
                value = self.evaluate(body)
            return either([*self.returns, value]) if self.returns else value
        finally:
            self.scope, self.this, self.doubt, self.returns, self.depth = outer

    def _new(self, node: Node) -> Value:
        function = self.evaluate(node[1])
        args = self._values(node[2])
        if isinstance(function, Host):
            return script_browser.construct(self, function.name, args)
        if not isinstance(function, ScriptFunction):
            return UNKNOWN
        made = ScriptObject(parent=self.member(function, "prototype"))
        value = self.call(function, made, args)
        return value if isinstance(value, ScriptObject) else made


def _address(value: Value) -> str:
    """A URL as far as it is known; empty unless that includes the whole host."""
    if isinstance(value, str):
        return value.strip().encode("utf-8", "replace").decode() if value.strip() else ""
    if not isinstance(value, Partial):
        return ""
    start = value.start.strip()
    scheme, slashes, rest = start.partition("//")
    known = slashes and scheme.lower() in ("http:", "https:", "") and any(mark in rest for mark in "/?#")
    return start.encode("utf-8", "replace").decode() if known else ""


_WITHOUT_EFFECT = frozenset({"lit", "name", "func", "regex", "this"})
_EVALUATE = {
    "lit": ExpressionFolder._literal,
    "template": ExpressionFolder._template,
    "regex": ExpressionFolder._regex,
    "name": ExpressionFolder._name,
    "this": ExpressionFolder._this,
    "array": ExpressionFolder._list,
    "object": ExpressionFolder._object,
    "func": ExpressionFolder._closure,
    "class": ExpressionFolder._class,
    "seq": ExpressionFolder._sequence,
    "member": ExpressionFolder._member,
    "cond": ExpressionFolder._conditional,
    "logic": ExpressionFolder._logic,
    "assign": ExpressionFolder._assign,
    "update": ExpressionFolder._update,
    "unary": ExpressionFolder._unary,
    "binary": ExpressionFolder._binary,
    "call": ExpressionFolder._call,
    "new": ExpressionFolder._new,
}
