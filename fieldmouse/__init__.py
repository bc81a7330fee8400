"""Fieldmouse keeps a fresh, clean, on-topic copy of the part of the Web you care about.

    import fieldmouse

    with fieldmouse.open("market") as archive:
        archive.crawl(["https://example.org/"], contact="me@example.org")
        for page in archive.pages():
            print(page.url, page.title)

The names below are loaded when they are first used, so that importing the package costs nothing.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from .version import VERSION as __version__  # noqa: N811

if TYPE_CHECKING:
    from .errors import FieldmouseError
    from .library import Archive, Page, create, open  # noqa: A004  the verb users expect
    from .settings import Settings
    from .types import Features, Link, PageRecord, Response, Tag, Version, Visit

__all__ = [
    "Archive",
    "Features",
    "FieldmouseError",
    "Link",
    "Page",
    "PageRecord",
    "Response",
    "Settings",
    "Tag",
    "Version",
    "Visit",
    "__version__",
    "create",
    "open",
]


def __getattr__(name: str) -> Any:
    """Load a public name from where it is defined."""
    if name not in __all__:
        raise AttributeError(f"module 'fieldmouse' has no attribute {name!r}")
    homes = {"Archive": "library", "Page": "library", "create": "library", "open": "library"}
    homes |= {"FieldmouseError": "errors", "Settings": "settings"}
    return getattr(import_module(f"fieldmouse.{homes.get(name, 'types')}"), name)


def __dir__() -> list[str]:
    """The public names."""
    return sorted(__all__)
