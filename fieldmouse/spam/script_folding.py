"""Fold the constants of a page's scripts and note where they lead.

The folder executes what depends only on the code and the page's own URL: strings, lists, variables,
functions, loops. Nothing else exists here: no network, no clock, no document except its forms and links.
What depends on the visitor is `UNKNOWN`. Of an unknown condition both branches are folded, one after the
other from the same state; what leads away in only one of them is in doubt. Where both lead away, the visitor
leaves in any case.

Steps, depth, and the sizes of values are limited: any script ends, and none can do harm.
"""

from collections.abc import Callable

from .script_expressions import MAX_TASKS, Exhausted, ExpressionFolder, Jump, Thrown
from .script_syntax import Node, Parser
from .script_tokens import UNDEFINED
from .script_values import UNKNOWN, WINDOW, Scope, ScriptFunction, ScriptList, ScriptObject, Value, truth


class Folder(ExpressionFolder):
    """The scripts of one page."""

    def run(self, codes: list[str]) -> None:
        """Fold scripts in order, then their handlers and timers."""
        for code in codes:
            self._guarded(code)
        place = 0
        while place < len(self.tasks) and place < MAX_TASKS:
            task = self.tasks[place]
            place += 1
            self.delay, self.doubt = task.delay, task.doubt
            known = len(self.exits)
            self._guarded(task.call)
            if task.every is not None and len(self.exits) == known:
                self.later(task.call, task.every, repeated=True)
        self.delay, self.doubt = 0.0, 0

    def _guarded(self, call: Value) -> None:
        """Run a script or a function; whatever it does ends here."""
        doubt = self.doubt
        try:
            if isinstance(call, str):
                self.evaluate_code(call)
            else:
                self.call(call, WINDOW, [])
        except (Exhausted, Thrown, RecursionError, ArithmeticError, ValueError):
            pass
        self.scope, self.this, self.depth, self.doubt = self.top, WINDOW, 0, doubt
        self.trail, self.returns = None, []

    def evaluate_code(self, code: str) -> Value:
        """Run code in the global scope."""
        scope, self.scope = self.scope, self.top
        jump = self.run_statements(Parser(code[:200_000]).program())
        self.scope = scope
        return jump.value if isinstance(jump, Jump) else UNKNOWN

    def run_statements(self, nodes: list[Node]) -> Jump | None:
        for node in nodes:
            if node[0] == "function":
                self.scope.names[node[1]] = ScriptFunction(node[2], self.scope, None)
        for node in nodes:
            jump = self._execute(node)
            if jump is not None:
                return jump
        return None

    def _execute(self, node: Node) -> Jump | None:
        self.step()
        self.depth += 1
        jump = _EXECUTE[node[0]](self, node)
        self.depth -= 1
        return jump

    def _expression(self, node: Node) -> None:
        self.evaluate(node[1])

    def _function(self, node: Node) -> None:
        """A declaration; `_block` has done it."""

    def _declared_class(self, node: Node) -> None:
        self.evaluate(node)

    def _inner(self, node: Node) -> Jump | None:
        outer, self.scope = self.scope, Scope(self.scope, function=False)
        try:
            return self.run_statements(node[1])
        finally:
            self.scope = outer

    def _variables(self, node: Node) -> None:
        scope = self.scope
        while node[1] == "var" and not scope.function and scope.parent is not None:
            scope = scope.parent
        for target, value in node[2]:
            if value is not None or node[1] != "var":
                given = UNDEFINED if value is None else self.evaluate(value)
                self.bind(target, given, scope)
            elif target[0] == "name" and scope is not self.top and target[1] not in scope.names:
                scope.names[target[1]] = UNDEFINED

    def _if(self, node: Node) -> Jump | None:
        _, condition, then, other = node
        known = truth(self.evaluate(condition))
        if known is not None:
            chosen = then if known else other
            return self._execute(chosen) if chosen is not None else None
        return self.branches(
            [lambda: self._execute(then), lambda: self._execute(other) if other is not None else None]
        )

    def _for(self, node: Node) -> Jump | None:
        _, head, condition, step, body = node
        outer, self.scope = self.scope, Scope(self.scope, function=False)
        try:
            if head is not None:
                self._execute(head)
            while True:
                known = True if condition is None else truth(self.evaluate(condition))
                if known is None:
                    return self._maybe(body)
                if not known:
                    return None
                jump = self._execute(body)
                if jump is not None and jump.kind != "continue":
                    return None if jump.kind == "break" else jump
                if step is not None:
                    self.evaluate(step)
                self.step()
        finally:
            self.scope = outer

    def _maybe(self, body: Node) -> Jump | None:
        """A loop that runs an unknown number of times: its body, once, in doubt."""

        def once() -> Jump | None:
            jump = self._execute(body)
            return jump if jump is not None and jump.kind in ("return", "throw") else None

        return self.branches([once, lambda: None])

    def _with(self, node: Node) -> Jump | None:
        outer, self.scope = self.scope, Scope(self.scope, function=False, owner=self.evaluate(node[1]))
        try:
            return self._execute(node[2])
        finally:
            self.scope = outer

    def _do(self, node: Node) -> Jump | None:
        while True:
            jump = self._execute(node[1])
            if jump is not None and jump.kind != "continue":
                return None if jump.kind == "break" else jump
            if not truth(self.evaluate(node[2])):
                return None
            self.step()

    def _each(self, node: Node) -> Jump | None:
        _, way, target, values, body = node
        found = self.evaluate(values)
        items: list[Value]
        if isinstance(found, str) and way == "of":
            items = list(found)
        elif isinstance(found, ScriptList):
            items = list(found.items) if way == "of" else [str(i) for i in range(len(found.items))]
        elif isinstance(found, ScriptObject) and way == "in":
            items = list(found.fields)
        else:
            self.bind(target, UNKNOWN, self.scope)
            return self._maybe(body)
        outer, self.scope = self.scope, Scope(self.scope, function=False)
        try:
            for item in items:
                self.bind(target, item, self.scope)
                jump = self._execute(body)
                if jump is not None and jump.kind != "continue":
                    return None if jump.kind == "break" else jump
            return None
        finally:
            self.scope = outer

    def _switch(self, node: Node) -> Jump | None:
        value = self.evaluate(node[1])
        cases = node[2]
        tests = [None if test is None else self.equal("===", value, self.evaluate(test)) for test, _ in cases]
        if value is UNKNOWN or any(test is UNKNOWN for test in tests):

            def one(body: list[Node]) -> Callable[[], Jump | None]:
                return lambda: None if (jump := self.run_statements(body)) and jump.kind == "break" else jump

            runs = [one(body) for _, body in cases]
            return self.branches(runs if any(test is None for test, _ in cases) else [*runs, lambda: None])
        start = next((place for place, test in enumerate(tests) if test), None)
        if start is None:
            start = next((place for place, (test, _) in enumerate(cases) if test is None), len(cases))
        for _, body in cases[start:]:
            jump = self.run_statements(body)
            if jump is not None:
                return None if jump.kind == "break" else jump
        return None

    def _try(self, node: Node) -> Jump | None:
        _, tried, name, caught, last = node
        scope, this, depth = self.scope, self.this, self.depth
        unknown = self.unknown_calls
        try:
            jump = self._inner(("block", tried))
            if caught is not None and jump is None and self.unknown_calls > unknown:
                # A function that is not known may not exist: another script may define it, or none does.
                jump = self.branches([lambda: self._inner(("block", caught)), lambda: None])
        except Thrown:
            self.scope, self.this, self.depth = scope, this, depth
            jump = None
            if caught is not None:
                if name is not None:
                    self.bind(name, UNKNOWN, self.scope)
                jump = self._inner(("block", caught))
        if last is not None:
            jump = self._inner(("block", last)) or jump
        return jump

    def _jump(self, node: Node) -> Jump:
        if node[0] == "throw":
            if node[1] is not None:
                self.evaluate(node[1])
            raise Thrown
        value = self.evaluate(node[1]) if len(node) > 1 and node[1] is not None else UNDEFINED
        return Jump(node[0], value)


_EXECUTE = {
    "expr": Folder._expression,
    "function": Folder._function,
    "class": Folder._declared_class,
    "block": Folder._inner,
    "var": Folder._variables,
    "if": Folder._if,
    "for": Folder._for,
    "do": Folder._do,
    "with": Folder._with,
    "each": Folder._each,
    "switch": Folder._switch,
    "try": Folder._try,
    "return": Folder._jump,
    "throw": Folder._jump,
    "break": Folder._jump,
    "continue": Folder._jump,
}
