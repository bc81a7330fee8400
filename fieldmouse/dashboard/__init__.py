"""The pages of the dashboard. `routes` is what the server mounts; `context` is what handlers are given.

Handlers are plain functions that run in a thread and return a Starlette response. The server has checked the
role of the reader and the form before it calls one.
"""

from .context import DashboardContext, PageRoute
from .home_page import home


def routes(context: DashboardContext) -> list[PageRoute]:  # noqa: ARG001
    """Every page of the dashboard. The server has /v1, /health, /metrics, /sign-in and /sign-out itself."""
    return [PageRoute("/", home)]
