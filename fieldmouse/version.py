"""The one place that knows which release this is."""

VERSION = "0.1.0"
