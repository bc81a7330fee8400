"""Styles, scripts and the icon, and stored copies in a sealed frame."""

from typing import TYPE_CHECKING

from .rendering import STATIC, static_file

if TYPE_CHECKING:
    from starlette.responses import Response

    from .context import PageRequest


def show_static(request: "PageRequest") -> "Response":
    """GET /static/{name}."""
    from starlette.responses import PlainTextResponse, Response

    name = request.path["name"]
    if name not in STATIC:
        return PlainTextResponse("there is no such file\n", 404)
    return Response(static_file(name), media_type=STATIC[name])
