"""The topic of the demo, built from pages of the small web."""

from urllib.parse import urlsplit

from fieldmouse.jobs.build_topic import TopicRequest, build_topic
from fieldmouse.library import Archive

from .hosts import Town

TOPIC = "fish market"
# Host and path of pages on the topic, and of pages off it.
ON = (("exchange", "/prices/mackerel"), ("exchange", "/"), ("www", "/market.html"), ("www", "/history.html"))
OFF = (("kitchen", "/"), ("bees", "/"))


def build_demo_topic(archive: Archive, town: Town) -> None:
    """Store the topic in the archive."""
    hosts = {town.addresses.name(host.name): host for host in town.hosts}

    def fetch(url: str) -> bytes:
        parts = urlsplit(url)
        page = hosts[str(parts.hostname)].page(parts.path, 0.0)
        if page is None:
            raise OSError(f"{url} is not in the town")
        return page.body

    request = TopicRequest(
        name=TOPIC,
        examples=tuple(town.addresses.at(host, path) for host, path in ON),
        off=tuple(town.addresses.at(host, path) for host, path in OFF),
    )
    build_topic(archive.reader, archive.canon, fetch, request)
