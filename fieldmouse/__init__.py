"""Fieldmouse keeps a fresh, clean, on-topic copy of the part of the Web you care about."""

from .version import VERSION as __version__  # noqa: N811

__all__ = ["__version__"]
