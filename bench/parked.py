"""Parked names in a made-up registry: what the list would skip, what it would lose, what it costs.

    python -m bench.parked                           520 name servers, 50,000 websites or more, real DNS
    python -m bench.parked --seeds 101 102 --no-dns  two registries
    python -m bench.parked --seeds --data DIR        real home pages and lists of name servers, nothing else
    python -m bench.parked --json                    the figures of the floors on stdout, the rest on stderr

`DIR` holds `homepages2018/*.jsonl.zst` (home pages with `domain`, `html` and, in one file, `kind` and
`template`) and `domains/parking_lists.json` (`parking-domain-ns` and `parking-domain`).

Half of the websites are seen and judged; the other half are new names, decided before any request by where
they lead. Frames, words, phrases in use and the mixture of businesses all come from the seed; the seeds given
as default were never looked at while the rules were made.
"""

import argparse
import asyncio
import contextlib
import io
import json
import math
import random
import sys
import tempfile
import time
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, replace
from multiprocessing import Pool
from pathlib import Path
from typing import NamedTuple

import zstandard
from warcio.statusandheaders import StatusAndHeaders
from warcio.warcwriter import WARCWriter

from fieldmouse import library, settings
from fieldmouse.dedup.duplicates import NEAR
from fieldmouse.spam.homepage import MARKS, HomePage, read_home_page
from fieldmouse.spam.page_shapes import cluster
from fieldmouse.spam.parking import ParkingList, judge_sample, survey
from fieldmouse.web.dns import DnsError, Resolver
from tests.servers import names
from tests.spam.registry import TRUTHS, DnsRecords, Registry, Website

SEEDS = (9001,)
AT_ONCE = 100
PAPER = {"relevant": (430_676, 253), "parked": (25_464, 84_745)}  # kept, skipped: Table 1


def read(site: Website, roots: DnsRecords) -> HomePage:
    """A home page as the judge sees it."""
    return replace(read_home_page(site.domain, site.html), **asdict(roots))


def read_part(part: Sequence[tuple[Website, DnsRecords]]) -> tuple[list[HomePage], float]:
    """The same for one process's share, with the seconds of CPU it took."""
    began = time.process_time()
    return [read(site, roots) for site, roots in part], time.process_time() - began


def told(site: Website) -> DnsRecords:
    """The roots as the registry has them."""
    aliases = (site.alias,) if site.alias else ()
    return DnsRecords(name_servers=site.name_servers, addresses=(site.address,), aliases=aliases)


def zone(sites: Sequence[Website]) -> Iterator[str]:
    """The registry as DNS records; a parked name may be an alias. An alias cannot have NS of its own,
    so it stands at `www`.
    """
    aliases = {}
    for site in sites:
        yield from (f"{site.domain}. 300 IN NS {server}." for server in site.name_servers)
        if site.alias:
            aliases[site.alias] = site.address
            yield f"www.{site.domain}. 300 IN CNAME {site.alias}."
        else:
            yield f"www.{site.domain}. 300 IN A {site.address}"
    yield from (f"{alias}. 300 IN A {address}" for alias, address in aliases.items())


async def look_up(sites: Sequence[Website], server: str) -> list[DnsRecords]:
    """Ask a real name server for the roots of every name."""
    resolver = Resolver(settings.WebSettings(dns_servers=(server,), ipv6=False, dns_timeout=20.0))
    gate = asyncio.Semaphore(AT_ONCE)

    async def one(site: Website) -> DnsRecords:
        async with gate:
            servers = await resolver.name_servers(site.domain)
            try:
                found = await resolver.addresses(f"www.{site.domain}")
            except DnsError:
                return DnsRecords(name_servers=servers)
            return DnsRecords(name_servers=servers, addresses=found.addresses, aliases=found.aliases)

    try:
        return await asyncio.gather(*(one(site) for site in sites))
    finally:
        await resolver.close()


def measure(seed: int, servers: int, websites: int, dns: bool) -> dict[str, float]:
    """One registry: made, looked up, read, judged, decided; the figures of the floors."""
    sites = list(Registry(seed, servers, websites))
    random.Random(seed).shuffle(sites)
    hosts = {server for site in sites for server in site.name_servers}
    print(f"\n# seed {seed}: {len(hosts)} name servers, {len(sites)} websites")
    print(
        "  " + ", ".join(f"{n} {kind}" for kind, n in Counter(site.business for site in sites).most_common())
    )
    roots = [told(site) for site in sites]
    if dns:
        began = time.perf_counter()
        with names(*zone(sites)) as server:
            ready = time.perf_counter()
            asked = asyncio.run(look_up(sites, server.server))
        wrong = sum(a != b for a, b in zip(roots, asked, strict=True))
        took = time.perf_counter() - ready
        print(
            f"  DNS: {2 * len(sites)} questions in {took:.1f} s; {wrong} answers differ from the zone", end=""
        )
        print(f" (the server took {ready - began:.1f} s to start)")
        roots = asked
    pages = reading(sites, roots)
    half = len(sites) // 2
    return deciding(sites[half:], pages[half:], pages[:half])


def reading(sites: Sequence[Website], roots: Sequence[DnsRecords]) -> list[HomePage]:
    """All home pages, read by two processes."""
    pairs = list(zip(sites, roots, strict=True))
    parts = [pairs[place : place + 500] for place in range(0, len(pairs), 500)]
    began = time.perf_counter()
    with Pool(2) as pool:
        done = pool.map(read_part, parts)
    took, spent = time.perf_counter() - began, sum(cpu for _, cpu in done)
    print(f"  read: {took:.1f} s with two processes, {1e3 * spent / len(sites):.2f} ms of CPU a page")
    return [page for part, _ in done for page in part]


def deciding(new: Sequence[Website], pages: Sequence[HomePage], seen: Sequence[HomePage]) -> dict[str, float]:
    """Judge what was seen, and decide what is new by where it leads."""
    began = time.process_time()
    found = survey(seen)
    took = time.process_time() - began
    listed = ParkingList(found.entries)
    roots = f"{found.judged} roots judged, {len(listed)} entries"
    print(f"  survey of {len(seen)} pages: {took:.1f} s of CPU, {roots}")
    matrix: Counter[tuple[str, bool]] = Counter()
    alone: Counter[tuple[str, bool]] = Counter()
    for site, page in zip(new, pages, strict=True):
        skipped = listed.match(page.name_servers, page.addresses, page.aliases) is not None
        matrix[site.truth, skipped] += 1
        alone[site.truth, page.parked] += 1
    print_matrix("new names, before any request", matrix)
    print_matrix("the page alone, after the download", alone)
    shares = rates(matrix)
    return {
        "accuracy": shares.strict,
        "accuracy_reserved": shares.mild,
        "relevant_lost": shares.lost,
        "found": shares.found,
        "survey_cpu_s": round(took, 1),
        **clustering([*seen, *pages]),
    }


def print_matrix(title: str, matrix: Counter[tuple[str, bool]]) -> None:
    """Kept and skipped by truth, with the figures of the paper's table."""
    print(f"  {title}:")
    for truth in TRUTHS:
        if matrix[truth, False] + matrix[truth, True]:
            print(f"    {truth:9} kept {matrix[truth, False]:7} skipped {matrix[truth, True]:7}")
    print(f"    {figures(matrix)}")


class Rates(NamedTuple):
    """Shares in percent. Names that a company keeps are irrelevant to a reader, but not spam: so two ways."""

    strict: float  # right about everything
    mild: float  # the same with reserved names as relevant
    lost: float  # of what is relevant
    found: float  # of what is parked
    saved: float  # of all downloads


def rates(matrix: Counter[tuple[str, bool]]) -> Rates:
    """A confusion matrix in shares."""
    kept, lost = matrix["relevant", False], matrix["relevant", True]
    right = kept + matrix["empty", False] + matrix["parked", True]
    parked, total = matrix["parked", False] + matrix["parked", True], sum(matrix.values())
    shares = (
        (right + matrix["reserved", True]) / total,
        (right + matrix["reserved", False]) / total,
        lost / max(1, kept + lost),
        matrix["parked", True] / max(1, parked),
        (matrix["parked", True] + lost) / total,
    )
    return Rates(*(round(100 * share, 4) for share in shares))


def figures(matrix: Counter[tuple[str, bool]]) -> str:
    """The same as a line."""
    one = rates(matrix)
    return (
        f"accuracy {one.strict:.2f} % ({one.mild:.2f} % with reserved names as relevant), "
        f"relevant lost {one.lost:.3f} %, parked found {one.found:.1f} %, downloads saved {one.saved:.1f} %"
    )


def clustering(pages: Sequence[HomePage]) -> dict[str, float]:
    """All pages clustered, by name server without sampling and in one lot, beside the plain algorithm."""
    by_server: dict[str, list[str]] = defaultdict(list)
    for page in pages:
        by_server[page.name_servers[0] if page.name_servers else ""].append(page.shape)
    began = time.process_time()
    computed = asked = plain = 0
    for shapes in by_server.values():
        found = cluster(shapes, radius=0.2)
        computed, asked = computed + found.computed, asked + found.compared
        plain += len(shapes) * len(found.centres)
    took = time.process_time() - began
    print(f"  clustering {len(pages)} pages by name server to radius 0.2: {took:.1f} s of CPU", end="")
    pruned = 100 - 100 * computed / max(1, plain)
    print(f", {computed} alignments instead of {plain}: {pruned:.1f} % saved")
    figures = {"cluster_cpu_s": round(took, 1), "cluster_pruned": round(pruned, 1)}
    began = time.process_time()
    most = math.isqrt(len(pages))
    found = cluster([page.shape for page in pages], radius=0.2, most=most)
    took, plain = time.process_time() - began, len(pages) * len(found.centres)
    print(f"  clustering {len(pages)} pages in one lot, {most} centres: {took:.1f} s of CPU", end="")
    print(
        f", {found.computed} alignments instead of {plain}: {100 - 100 * found.computed / plain:.1f} % saved"
    )
    return {**figures, "cluster_one_lot_cpu_s": round(took, 1)}


def copies(seed: int, count: int = 2000, tried: int = 500) -> None:
    """Near-duplicates with a known share of changed words, in an archive: what `import` and `clean` find."""
    dice = random.Random(seed)
    words = [f"word{i}" for i in range(5000)]
    weights = [1 / (place + 1) for place in range(len(words))]
    texts = [dice.choices(words, weights, k=dice.randint(40, 800)) for _ in range(count)]
    with tempfile.TemporaryDirectory() as name, library.create(Path(name) / "archive", min_free=0) as archive:
        warc = Path(name) / "pages.warc.gz"
        write_warc(warc, ((f"http://a.test/{number}", text) for number, text in enumerate(texts)), day=1)
        archive.import_warc(warc)
        began = time.process_time()
        list(archive.clean())
        took = time.process_time() - began
        alike = len(found_copies(archive))
        print(f"\n# near-duplicates, seed {seed}: {count} different texts, {alike} taken for copies", end="")
        print(f"; {1e3 * took / count:.2f} ms a page")
        for day, share in enumerate((0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.4), 2):
            others = [
                [dice.choice(words) if dice.random() < share else word for word in text]
                for text in texts[:tried]
            ]
            write_warc(warc, ((f"http://b.test/{n}", text) for n, text in enumerate(others)), day)
            archive.import_warc(warc)
            list(archive.clean())
            found = found_copies(archive)
            near = sum(common(text, other) >= NEAR for text, other in zip(texts, others, strict=False))
            hits = [n for n in range(tried) if f"http://b.test/{n}" in found]
            right = sum(found[f"http://b.test/{n}"] == f"http://a.test/{n}" for n in hits)
            print(
                f"  {share:5.1%} of words changed: {len(hits)} of {tried} found ({right} the right page)",
                end="",
            )
            print(f"; {near} have a similarity of {NEAR} or more")


def write_warc(path: Path, pages: Iterable[tuple[str, Sequence[str]]], day: int) -> None:
    """A WARC file of small HTML pages, all fetched on one day."""
    with path.open("wb") as out:
        writer = WARCWriter(out)
        for url, text in pages:
            head = StatusAndHeaders("200 OK", [("Content-Type", "text/html")], protocol="HTTP/1.1")
            record = writer.create_warc_record(
                url,
                "response",
                payload=io.BytesIO(f"<p>{' '.join(text)}</p>".encode()),
                http_headers=head,
                warc_headers_dict={"WARC-Date": f"2024-01-{day:02}T00:00:00Z"},
            )
            writer.write_record(record)


def found_copies(archive: library.Archive) -> dict[str, str]:
    """The page that each copy duplicates, and the other way round."""
    pairs = [(url, of) for url, of in archive.query("SELECT url, copy_of FROM copy")[1]]
    return {of: url for url, of in pairs} | dict(pairs)


def common(one: Sequence[str], other: Sequence[str]) -> float:
    """The true share of common shingles of three words."""
    a, b = ({tuple(words[i : i + 3]) for i in range(len(words) - 2)} for words in (one, other))
    return len(a & b) / max(1, len(a | b))


def real(folder: Path) -> dict[str, float]:
    """Real home pages by kind, with and without the marks and titles that their labels may rest on."""
    rows = list(stored(folder / "homepages2018/pages.jsonl.zst"))
    others = list(stored(folder / "homepages2018/labelled_homepages.jsonl.zst"))
    print(f"\n# real home pages: {len(rows)} by kind, {len(others)} more that are in use")
    found: dict[str, float] = {}
    for machinery, titles in ((True, True), (False, True), (False, False)):
        by_kind: dict[str, list[HomePage]] = defaultdict(list)
        for row in rows:
            by_kind[row["template"] or row["kind"]].append(read_row(row, MARKS if machinery else (), titles))
        by_kind["in use"] = [read_row(row, MARKS if machinery else (), titles) for row in others]
        print(f"  machinery {machinery}, titles {titles}: taken for parked, for empty, of all; as one server")
        for kind, pages in sorted(by_kind.items()):
            inquiry = judge_sample(pages, limit=1000)
            counts = f"{sum(p.parked for p in pages):5}{sum(p.empty for p in pages):6}{len(pages):6}"
            print(f"    {kind:15}{counts}   {inquiry.business.value:10} {inquiry.verdict.reasons[0]}")
        parked = [p for row, p in zip(rows, chained(by_kind, rows), strict=True) if row["kind"] == "parked"]
        alarms = sum(p.parked for kind in by_kind for p in by_kind[kind]) - sum(p.parked for p in parked)
        found |= real_figures(
            parked, alarms, "" if machinery else "_no_marks" if titles else "_no_marks_no_titles"
        )
    return found | left_out(rows)


def left_out(rows: Sequence[dict[str, str]]) -> dict[str, float]:
    """Recall by provider without the marks that only its own pages have."""
    by_provider: dict[str, list[dict[str, str]]] = defaultdict(list)
    for row in rows:
        if row["kind"] == "parked":
            by_provider[row["template"]].append(row)
    on_pages = {
        provider: [mark for mark in MARKS if any(mark in row["html"].lower().encode() for row in some)]
        for provider, some in by_provider.items()
    }
    print("  provider left out: found of all, without the marks")
    known = 0
    for provider, some in sorted(by_provider.items()):
        others = {mark for other, marks in on_pages.items() if other != provider for mark in marks}
        own = [mark for mark in on_pages[provider] if mark not in others]
        hits = sum(read_row(row, [mark for mark in MARKS if mark not in own]).parked for row in some)
        known += hits
        print(f"    {provider:15}{hits:5}{len(some):6}   {', '.join(one.decode() for one in own) or '-'}")
    return {"real_found_provider_left_out": round(100 * known / sum(map(len, by_provider.values())), 2)}


def real_figures(parked: Sequence[HomePage], alarms: int, setting: str) -> dict[str, float]:
    """What the floors are about."""
    share = round(100 * sum(page.parked for page in parked) / len(parked), 2)
    return {f"real_found{setting}": share, f"real_false_alarms{setting}": alarms}


def chained(by_kind: dict[str, list[HomePage]], rows: Sequence[dict[str, str]]) -> Iterator[HomePage]:
    """The pages in the order of their rows again."""
    left = {kind: iter(pages) for kind, pages in by_kind.items()}
    return (next(left[row["template"] or row["kind"]]) for row in rows)


def read_row(row: dict[str, str], marks: Sequence[bytes] = MARKS, titles: bool = True) -> HomePage:
    """A stored home page as the judge sees it."""
    content = row["html"].encode("utf-8", "surrogatepass")
    return read_home_page(row["domain"], content, marks=marks, titles=titles)


def servers(folder: Path) -> None:
    """What the bundled list makes of real lists of parking name servers and addresses."""
    lists = json.loads((folder / "domains/parking_lists.json").read_text("utf-8"))
    starter = ParkingList.starter()
    for kind, name in (("ns", "parking-domain-ns"), ("address", "parking-domain")):
        known = [starter.get(kind, one) for one in lists[name]]
        states = Counter(one.state if one else "not listed" for one in known)
        told = ", ".join(f"{n} {state}" for state, n in states.most_common())
        print(f"\n# {len(known)} real entries of kind {kind}: {told}")


def stored(path: Path) -> Iterator[dict[str, str]]:
    """The lines of a packed file."""
    with path.open("rb") as raw:
        unpacked = zstandard.ZstdDecompressor(max_window_size=2**27).stream_reader(
            raw, read_across_frames=True
        )
        yield from map(json.loads, io.TextIOWrapper(unpacked, "utf-8"))


def main(arguments: Iterable[str] | None = None) -> None:
    """Measure what was asked for."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--seeds", type=int, nargs="*", default=SEEDS)
    parser.add_argument("--servers", type=int, default=520)
    parser.add_argument("--websites", type=int, default=51_000)
    parser.add_argument("--no-dns", action="store_true")
    parser.add_argument("--data", type=Path, help="a folder with real home pages and lists; see above")
    parser.add_argument("--json", action="store_true", help="print the figures of the floors as JSON")
    given = parser.parse_args(None if arguments is None else list(arguments))
    with contextlib.redirect_stdout(sys.stderr if given.json else sys.stdout):
        found = everything(given)
    if given.json:
        print(json.dumps(found, indent=2))


def everything(given: argparse.Namespace) -> dict[str, float]:
    """All that was asked for; the figures are those of the first seed."""
    paper = Counter({(truth, bool(skip)): n for truth, row in PAPER.items() for skip, n in enumerate(row)})
    print(f"# the paper's Table 1: {figures(paper)}")
    registries = [measure(seed, given.servers, given.websites, not given.no_dns) for seed in given.seeds]
    found = registries[0] if registries else {}
    if registries:
        copies(given.seeds[0])
    if given.data:
        servers(given.data)
        found |= real(given.data)
    return found


if __name__ == "__main__":
    main()
