"""The HTTP server of an archive: API, dashboard, health and metrics. It needs the extra `serve`."""
