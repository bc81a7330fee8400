"""Counts of requests, in the text format of Prometheus."""

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator, Mapping

from starlette.types import Scope

# Upper ends of the buckets of request times, in seconds.
BUCKETS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)

# The path of a request that no route matched: its own path would make a new series for each.
NO_ROUTE = "none"


class RequestMetrics:
    """Requests by route, method and status, and how long they took."""

    def __init__(self) -> None:
        self.requests: Counter[tuple[str, str, int]] = Counter()
        self.buckets = [0] * (len(BUCKETS) + 1)
        self.seconds = 0.0

    def count(self, scope: Scope, status: int, seconds: float) -> None:
        """Add one request."""
        method = scope["method"] if scope["method"] in ("GET", "POST", "DELETE", "OPTIONS") else "other"
        self.requests[scope.get("route_path", NO_ROUTE), method, status] += 1
        self.buckets[bisect_left(BUCKETS, seconds)] += 1
        self.seconds += seconds

    def lines(self, gauges: Mapping[str, tuple[str, float]]) -> Iterator[str]:
        """All counts, and `gauges` by name, each with what it means."""
        yield "# HELP fieldmouse_http_requests_total Requests answered.\n"
        yield "# TYPE fieldmouse_http_requests_total counter\n"
        for (route, method, status), n in sorted(self.requests.items()):
            labels = f'route="{route}",method="{method}",status="{status}"'
            yield f"fieldmouse_http_requests_total{{{labels}}} {n}\n"
        yield "# HELP fieldmouse_http_request_seconds Time from the head of a request to its response.\n"
        yield "# TYPE fieldmouse_http_request_seconds histogram\n"
        total = 0
        for end, n in zip((*map(str, BUCKETS), "+Inf"), self.buckets, strict=True):
            total += n
            yield f'fieldmouse_http_request_seconds_bucket{{le="{end}"}} {total}\n'
        yield f"fieldmouse_http_request_seconds_sum {self.seconds:.6f}\n"
        yield f"fieldmouse_http_request_seconds_count {total}\n"
        for name, (meaning, value) in gauges.items():
            yield f"# HELP {name} {meaning}\n# TYPE {name} gauge\n{name} {value:g}\n"
