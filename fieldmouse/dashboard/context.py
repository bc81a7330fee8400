"""What the server gives to the dashboard: the archive, the settings, the clock, and who asks.

A route is a path in Starlette's syntax and a plain function of a `PageRequest`. The server calls it in a
thread with a reader of the store that no other thread uses meanwhile. GET needs the role `read`, every other
method the role `administer`, unless the route names another role. A form must carry the field `csrf` with
`PageRequest.csrf`, a script the header `X-CSRF-Token`; the server refuses the rest before the handler is
called. The content security policy of every page forbids inline scripts and styles: serve them as files under
`/static`.
"""

from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from fieldmouse.settings import Settings
from fieldmouse.store.contract import StoreReader
from fieldmouse.store.inbox_contract import Role

if TYPE_CHECKING:
    from starlette.responses import Response


@dataclass(frozen=True, slots=True)
class DashboardContext:
    """What lives as long as the server."""

    folder: Path
    settings: Settings
    now: Callable[[], float]  # seconds since the epoch
    reading: Callable[[], AbstractContextManager[StoreReader]]  # a reader, for streams that outlive a handler


@dataclass(frozen=True, slots=True)
class PageRequest:
    """One request of a reader who is signed in."""

    context: DashboardContext
    reader: StoreReader  # for this call only
    method: str
    now: float
    who: str  # the name of the reader's token
    may: frozenset[Role]  # what the reader may do: all roles for an administrator
    csrf: str  # put it into every form
    path: Mapping[str, str] = field(default_factory=dict)  # the parts of the path in braces
    query: Mapping[str, str] = field(default_factory=dict)
    form: Mapping[str, str] = field(default_factory=dict)  # of a POST
    headers: Mapping[str, str] = field(default_factory=dict)


class PageRoute(NamedTuple):
    """One route of the dashboard."""

    path: str  # in Starlette's syntax: /hosts/{name}
    handle: "Callable[[PageRequest], Response]"
    methods: tuple[str, ...] = ("GET",)
    role: Role | None = None  # None: `read` for GET, `administer` for the rest
