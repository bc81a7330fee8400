"""Members and functions that other functions set and call: `Reflect`, `Object.assign` and promises."""

from typing import TYPE_CHECKING

from .script_tokens import UNDEFINED
from .script_values import WINDOW, Promised, ScriptList, ScriptObject, Value, text

if TYPE_CHECKING:
    from .script_expressions import ExpressionFolder


def reflection(folder: "ExpressionFolder", name: str, args: list[Value]) -> Value:
    """Members read, set and called by functions."""
    owner, second, third = [*args, UNDEFINED, UNDEFINED, UNDEFINED][:3]
    if name == "Object.assign":
        given = [one for one in args[1:] if isinstance(one, ScriptObject)]
        for key, value in [pair for one in given for pair in one.fields.items()]:
            folder.set_member(owner, key, value)
        return owner
    if name == "Reflect.set":
        folder.set_member(owner, text(second), third)
        return True
    if name == "Reflect.get":
        return folder.member(owner, text(second))
    return folder.call(owner, second, list(third.items) if isinstance(third, ScriptList) else [])


def promise_method(folder: "ExpressionFolder", name: str, owner: Promised, given: Value) -> Value:
    """`then` of a promise; or `settle`, which its executor calls. What waits for it runs at once."""
    if name == "settle":
        _settle(folder, owner, given)
        return UNDEFINED
    if name == "catch":
        return owner
    result = Promised()
    owner.waiting.append((given, result))
    if owner.settled:
        _settle(folder, owner, owner.value)
    else:
        folder.later(given, doubt=1)
    return result


def _settle(folder: "ExpressionFolder", promise: Promised, value: Value) -> None:
    promise.value, promise.settled = value.value if isinstance(value, Promised) else value, True
    waiting, promise.waiting = promise.waiting, []
    for function, result in waiting:
        _settle(folder, result, folder.call(function, WINDOW, [promise.value]))
