"""The pages of the dashboard. `routes` is what the server mounts; `context` is what handlers are given.

Handlers are plain functions that run in a thread and return a Starlette response. The server has checked the
role of the reader and the form before it calls one.
"""

from fieldmouse.store.inbox_contract import Role

from . import actions, handlers, more_pages, review_pages, search_pages
from .context import DashboardContext, PageRoute
from .sealed_copies import show_copy
from .static_files import show_static


def routes(context: DashboardContext) -> list[PageRoute]:  # noqa: ARG001
    """Every page of the dashboard. The server has /v1, /health, /metrics, /sign-in and /sign-out itself."""
    return [
        PageRoute("/", handlers.show_overview),
        PageRoute("/changes", handlers.show_changes),
        PageRoute("/hosts", handlers.show_hosts),
        PageRoute("/hosts/{name}", handlers.show_host),
        PageRoute("/pages", handlers.show_pages),
        PageRoute("/page", handlers.show_page),
        PageRoute("/search", search_pages.show_search),
        PageRoute("/search/export", search_pages.export_search),
        PageRoute("/topics", review_pages.show_topics),
        PageRoute("/labels", review_pages.show_labels),
        PageRoute("/submissions", more_pages.show_submissions),
        PageRoute("/settings", more_pages.show_settings),
        PageRoute("/copy/{version}", show_copy),
        PageRoute("/changes/seen", actions.mark_seen, ("POST",), Role.READ),
        PageRoute("/changes/seen-one", actions.mark_change, ("POST",), Role.READ),
        PageRoute("/pause", actions.pause_host, ("POST",)),
        PageRoute("/static/{name}", show_static),
        PageRoute("/refresh", actions.refresh_now, ("POST",)),
        PageRoute("/weight", actions.set_weight, ("POST",)),
        PageRoute("/noise", actions.decide_noise, ("POST",)),
        PageRoute("/label", actions.answer_label, ("POST",)),
        PageRoute("/topic-label", actions.answer_topic, ("POST",)),
        PageRoute("/publish", actions.set_private, ("POST",)),
        PageRoute("/forget", actions.forget_submission, ("POST",)),
        PageRoute("/forget-page", actions.forget_page, ("POST",)),
    ]
