"""How many links cross regions: python -m bench.graph_division --data DIR [--regions 2,4,8]

The home pages of DIR/homepages2018 are taken in as a crawl finds them: a page, then the hosts that it links
to. Each host gets its region by the function that workers call, with the links that are known then, and by
two plain hashes beside it: of the host and of its registrable domain. Counted are links between hosts in the
end, and the bytes of their URLs, which are what regions exchange.
"""

import argparse
import json
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import xxhash
import zstandard

from fieldmouse.frontier.graph_division import NO_PRIORS, UndividedHost, chosen_part
from fieldmouse.page.read import read
from fieldmouse.urls import Canon, domain_of, host_key


class HostLink(NamedTuple):
    """A link from one host to another."""

    source: str
    target: str
    size: int  # bytes of the URL


def links_of(folder: Path, most: int) -> Iterator[HostLink]:
    """The links between hosts on home pages, in the order of the file."""
    canon = Canon()
    with (folder / "homepages2018" / "pages.jsonl.zst").open("rb") as file:
        lines = zstandard.ZstdDecompressor().stream_reader(file).read().split(b"\n")
    for line in filter(None, lines[:most]):
        page = json.loads(line)
        url = canon(f"http://{page['domain']}/")
        if url is None or not page.get("html"):
            continue
        content = page["html"].encode("utf-8", "replace")
        values = [one.value for one in read(content, content_type="text/html; charset=utf-8").hrefs]
        for link in dict.fromkeys(canon.resolved(url, values).values()):
            if host_key(link) != host_key(url):
                yield HostLink(host_key(url), host_key(link), len(link))


def divided(links: list[HostLink], count: int) -> dict[str, str]:
    """The region of each host, decided when it is first seen."""
    sizes = {f"r{n}": 0 for n in range(count)}
    homes: dict[str, str] = {}
    domains: dict[str, dict[str, int]] = defaultdict(lambda: defaultdict(int))
    known: dict[str, dict[str, int]] = defaultdict(lambda: defaultdict(int))  # links to regions, by host
    by_source: dict[str, list[HostLink]] = defaultdict(list)
    for one in links:
        by_source[one.source].append(one)
    for source, found in by_source.items():
        for host in (source, *dict.fromkeys(one.target for one in found)):
            if host in homes:
                continue
            domain = domain_of(f"http://{host}/")
            region, _ = chosen_part(UndividedHost(domain, domains[domain], known[host]), sizes, NO_PRIORS)
            homes[host] = region
            sizes[region] += 1
            domains[domain][region] += 1
            if host == source:  # what it links to hears of it, as `host_link` has it after the commit
                for one in found:
                    known[one.target][region] += 1
        for one in found:
            known[source][homes[one.target]] += 1
    return homes


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--pages", type=int, default=20_000)
    parser.add_argument("--regions", default="2,4,8")
    given = parser.parse_args()
    links = list(links_of(given.data, given.pages))
    hosts = {name for one in links for name in one[:2]}
    print(f"{len(links):,} links between {len(hosts):,} hosts")
    print(f"{'regions':>8}  {'by':18} {'crossing':>8}  {'bytes':>12}  largest region")
    for count in map(int, given.regions.split(",")):
        ways = {
            "domain, then links": divided(links, count),
            "hash of domain": {one: _hashed(domain_of(f"http://{one}/"), count) for one in hosts},
            "hash of host": {one: _hashed(one, count) for one in hosts},
        }
        for name, homes in ways.items():
            crossing = [one for one in links if homes[one.source] != homes[one.target]]
            sizes: dict[str, int] = defaultdict(int)
            for region in homes.values():
                sizes[region] += 1
            share, largest = len(crossing) / len(links), max(sizes.values()) * count / len(homes)
            exchanged = sum(one.size for one in crossing)
            print(f"{count:>8}  {name:18} {share:>8.1%}  {exchanged:>12,}  {largest:.2f} of the mean")


def _hashed(name: str, count: int) -> str:
    return f"r{xxhash.xxh3_64_intdigest(name.encode()) % count}"


if __name__ == "__main__":
    main()
