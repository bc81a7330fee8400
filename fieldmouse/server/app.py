"""The application: which function answers which path, and what an error looks like.

`create_app` puts it together. The API is in `api.py`, the pages of the dashboard in the room `dashboard`;
here is signing in. Every error is JSON with a text that says what to do, but browsers
are led to the page where they sign in.
"""

import asyncio
import logging
import math
import shutil
import time
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from functools import partial
from html import escape
from pathlib import Path
from urllib.parse import parse_qsl

import anyio.to_thread
from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, RedirectResponse, Response
from starlette.routing import Route

from fieldmouse import dashboard
from fieldmouse.dashboard.context import DashboardContext, PageRequest, PageRoute
from fieldmouse.service.setup import canon
from fieldmouse.settings import Settings
from fieldmouse.store import open_cleaning, open_inbox
from fieldmouse.store.inbox_contract import Role

from . import extension_page
from .access import Access, Caller, set_cookie
from .api import ENDPOINTS, ApiCall
from .api_schema import invalid
from .background_intake import IntakeProcess
from .events import keep_snapshots, stream_events
from .inbox_writer import InboxWriter
from .metrics import RequestMetrics
from .openapi import ApiEndpoint
from .protection import Protection
from .readers import ReaderPool

log = logging.getLogger(__name__)

# Calls that read the archive at the same time; each may cache 64 MiB of the database.
READERS = 4

MAX_FORM_BYTES = 1 << 20

# How long the look at the size of the inbox and of the disk is good for.
ROOM_SECONDS = 0.2


class ServerContext:
    """What the handlers of the server share."""

    def __init__(self, folder: Path, settings: Settings, now: Callable[[], float] = time.time) -> None:
        open_cleaning(folder).close()  # updates the schema, and needs no lock
        self.folder = folder
        self.settings = settings
        self.now = now
        self.inbox = open_inbox(folder)  # of the event loop
        self.salt = self.inbox.salt()
        self.access = Access(self.inbox, settings.serve, now)
        self.metrics = RequestMetrics()
        self.readers = ReaderPool(folder)
        self.closing = asyncio.Event()  # streams end, and no snapshot is begun
        self.canon = canon(settings)
        self._looked = -math.inf  # at the room in the inbox and on the disk, in bytes:
        self._backlog = self._free = 0
        self.background = IntakeProcess(folder, settings)
        self.writer = InboxWriter(folder, self.background.accepted)

    def no_room(self, size: int) -> str:
        """Why so many bytes cannot be received, or an empty string; looked up a few times a second."""
        now = time.monotonic()
        if now - self._looked >= ROOM_SECONDS:
            self._looked, self._backlog = now, self.inbox.backlog().bytes
            self._free = shutil.disk_usage(self.folder).free
        if self._backlog > self.settings.serve.max_backlog:
            return "the inbox is full; is the archive in use by a command that takes nothing in?"
        if self._free < self.settings.archive.min_free:
            return "the disk is full"
        self._backlog += size
        return ""

    def close(self) -> None:
        """Store what was received, then close the files."""
        self.writer.close()
        self.background.close()
        self.readers.close()
        self.inbox.close()


def create_app(context: ServerContext, hosts: tuple[str, ...] = ()) -> Starlette:
    """The ASGI application of an archive; `hosts` are names of the server besides those in the settings."""
    pages = DashboardContext(context.folder, context.settings, context.now, context.readers.reading)
    routes = [
        Route("/sign-in", _counted("/sign-in", sign_in(context)), methods=["GET", "POST"]),
        Route("/sign-out", _counted("/sign-out", sign_out(context)), methods=["POST"]),
    ]
    routes += [
        Route(path, _counted(path, extension_page.show_extension))
        for path in (extension_page.PATH, f"{extension_page.PATH}/{{name}}")
    ]
    routes.append(Route("/events", _counted("/events", partial(stream_events, context))))
    for endpoint in ENDPOINTS:
        handler = _counted(endpoint.path, _api(context, endpoint))
        routes.append(Route(endpoint.path, handler, methods=[endpoint.method]))
    for one in dashboard.routes(pages):
        handler = _counted(one.path, _page(context, pages, one))
        routes.append(Route(one.path, handler, methods=list(one.methods)))

    @asynccontextmanager
    async def lifespan(_: Starlette) -> AsyncIterator[None]:
        anyio.to_thread.current_default_thread_limiter().total_tokens = READERS
        snapshots = asyncio.create_task(keep_snapshots(context))
        try:
            yield
        finally:
            context.closing.set()
            await snapshots
            context.close()

    return Starlette(
        routes=routes,
        lifespan=lifespan,
        middleware=[
            Middleware(Protection, settings=context.settings.serve, hosts=hosts, metrics=context.metrics)
        ],
        exception_handlers={HTTPException: _http_error, Exception: _server_error},
    )


Handler = Callable[[Request], "Response | object"]


def _counted(path: str, handle: Callable[[Request], object]) -> Callable[[Request], object]:
    """A handler whose requests are counted under the path of its route."""

    async def counted(request: Request) -> object:
        request.scope["route_path"] = path
        return await handle(request)  # type: ignore[misc]

    return counted


async def _http_error(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    wants_page = "text/html" in request.headers.get("accept", "")
    if error.status_code == 401 and wants_page and request.method == "GET" and request.url.path != "/sign-in":
        return RedirectResponse("/sign-in", 303)
    if error.status_code == 401 and wants_page:
        return _sign_in_page(error.detail, 401)
    return JSONResponse({"error": error.detail}, error.status_code, headers=dict(error.headers or {}))


async def _server_error(request: Request, error: Exception) -> Response:
    log.error("%s %s failed", request.method, request.url.path, exc_info=error)
    return JSONResponse({"error": "this failed on the server; its log says why"}, 500)


# --- the API ---------------------------------------------------------------------------------------------


def _api(context: ServerContext, endpoint: ApiEndpoint) -> Callable[[Request], object]:
    """Check who asks and the parameters, then call the endpoint."""

    async def handle(request: Request) -> Response:
        caller = context.access.require(request, *endpoint.roles) if endpoint.roles else None
        query: dict[str, object] = {}
        for name, text in request.query_params.multi_items():
            schema = endpoint.query.get(name)
            if schema is None or name in query:
                known = ", ".join(endpoint.query) or "none"
                raise HTTPException(
                    400, f"the parameter {name[:50]!r} is unknown or repeated; known: {known}"
                )
            query[name] = text if schema["type"] == "string" else _number(text)
            if reason := invalid(query[name], schema, name):
                raise HTTPException(400, reason)
        if missing := [name for name in endpoint.required if name not in query]:
            raise HTTPException(400, f"the parameter {missing[0]!r} is missing")
        return await endpoint.handle(ApiCall(context, request, caller, query))

    return handle


def _number(text: str) -> float | str:
    """A number of a parameter; a text that is none stays, and does not pass the check."""
    try:
        return int(text) if text.lstrip("-").isdigit() and text.isascii() else float(text)
    except ValueError:
        return text


# --- the dashboard ---------------------------------------------------------------------------------------


def _page(context: ServerContext, pages: DashboardContext, route: PageRoute) -> Callable[[Request], object]:
    """Check who asks and what the form says, then call the handler of the dashboard in a thread."""

    async def handle(request: Request) -> Response:
        get = request.method in ("GET", "HEAD")
        role = route.role or (Role.READ if get else Role.ADMINISTER)
        form: dict[str, str] = {}
        if get:
            caller = context.access.require(request, role)
        else:
            caller = _signed_in(context, request)
            form = await _form(request)
            context.access.check_csrf(caller, form.get("csrf") or request.headers.get("x-csrf-token", ""))
            if not caller.token.allows(role):
                raise HTTPException(403, f"your token has no role {role}")

        def call() -> Response:
            with context.readers.reading() as reader:
                return route.handle(_page_request(request, pages, caller, reader, form))

        return await run_in_threadpool(call)

    return handle


def _page_request(
    request: Request, pages: DashboardContext, caller: Caller, reader: object, form: Mapping[str, str]
) -> PageRequest:
    return PageRequest(
        context=pages,
        reader=reader,  # type: ignore[arg-type]
        method=request.method,
        now=pages.now(),
        who=caller.token.name,
        may=frozenset(role for role in Role if caller.token.allows(role)),
        csrf=caller.csrf,
        path={key: str(value) for key, value in request.path_params.items()},
        query=dict(request.query_params),
        form=form,
        headers=request.headers,
    )


def _signed_in(context: ServerContext, request: Request) -> Caller:
    caller = context.access.caller(request)
    if caller is None:
        raise HTTPException(401, "sign in first")
    context.access.check_rate(caller.token.id)
    return caller


async def _form(request: Request) -> dict[str, str]:
    """The fields of a form."""
    if request.headers.get("content-type", "").partition(";")[0] != "application/x-www-form-urlencoded":
        return {}
    body = bytearray()
    async for part in request.stream():
        body += part
        if len(body) > MAX_FORM_BYTES:
            raise HTTPException(413, f"the form has more than {MAX_FORM_BYTES} bytes")
    return dict(parse_qsl(body.decode("utf-8", "replace"), keep_blank_values=True))


# --- signing in ------------------------------------------------------------------------------------------


def _sign_in_page(message: str, status: int = 200) -> Response:
    return HTMLResponse(
        "<!doctype html><html lang=en><meta charset=utf-8><title>Sign in - Fieldmouse</title>"
        f"<h1>Sign in</h1><p>{escape(message)}</p><form method=post action=/sign-in>"
        "<label>Token <input name=token type=password autofocus required autocomplete=off></label> "
        "<button>Sign in</button></form>"
        f"<p><a href={extension_page.PATH}>Install the browser extension</a></p>",
        status,
    )


def sign_in(context: ServerContext) -> Callable[[Request], object]:
    """GET with a code, or POST of a form with a token, starts a session."""

    async def handle(request: Request) -> Response:
        code, token = request.query_params.get("code", ""), ""
        if request.method == "GET" and not code:
            return _sign_in_page("Paste a token; `fieldmouse token add NAME --role read` makes one.")
        if request.method == "POST":
            code, token = "", (await _form(request)).get("token", "").strip()
        cookie = context.access.sign_in(request, code, token)
        response = RedirectResponse("/", 303)
        set_cookie(response, cookie)
        return response

    return handle


def sign_out(context: ServerContext) -> Callable[[Request], object]:
    """POST of a form ends the session."""

    async def handle(request: Request) -> Response:
        caller = _signed_in(context, request)
        context.access.check_csrf(caller, (await _form(request)).get("csrf", ""))
        context.inbox.close_session(caller.cookie)
        response = RedirectResponse("/sign-in", 303)
        set_cookie(response, "")
        return response

    return handle
