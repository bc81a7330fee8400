"""Settings: one frozen class for each section of fieldmouse.toml, and how values are read and checked.

A value comes from the first of: an explicit override (command line, Python), the environment
(`FIELDMOUSE_MANNERS_DELAY=2`), the archive's `fieldmouse.toml`, the default. An unknown name is an error that
suggests the nearest known name. The commented file that `init` writes and the reference page are generated
from these classes.
"""

import difflib
import os
import re
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any

from .errors import ConfigError
from .setting_values import checked, from_text, setting, to_toml

MIB = 1024 * 1024
PREFIX = "FIELDMOUSE_"  # of environment variables

# Extensions of images, programs, media, documents and archives.
_ENDINGS = """
    7z avi bmp bz2 css deb dmg doc docx eps epub exe flac gif gz ico iso jar jpeg jpg js m4a
    m4v mkv mov mp3 mp4 mpeg mpg msi ogg ogv pdf png ppt pptx ps rar rpm svg swf tar tgz tif
    tiff ttf wav webm webp wmv woff woff2 xls xlsx xz zip zst
"""
NOT_PAGES = tuple(_ENDINGS.split())


@dataclass(frozen=True, slots=True)
class CrawlSettings:
    """Limits of a crawl, its workers, and the identity of the crawler."""

    contact: str = setting("", "Web page or e-mail address of the operator; required for the public Web.")
    user_agent: str = setting(
        "", "Full User-Agent header. Empty: Mozilla/5.0 (compatible; fieldmouse/VERSION; +CONTACT)."
    )
    product_token: str = setting("fieldmouse", "The name of this crawler in robots.txt files.")
    max_pages: int = setting(0, "Stop after this many pages fetched in this run; 0 for no limit.", low=0)
    max_seconds: float = setting(0.0, "Stop after this many seconds; 0 for no limit.", low=0)
    max_bytes: int = setting(0, "Stop after storing this many bytes in this run; 0 for no limit.", low=0)
    workers: int = setting(1, "Number of worker processes that crawl one archive.", low=1, high=256)
    open_hosts: int = setting(
        256, "Hosts that one worker crawls at once; with a 15 s delay each gives 4 pages a minute.", low=1
    )
    requests: int = setting(64, "Concurrent requests of one worker, over all hosts.", low=1)
    commit_seconds: float = setting(
        1.0, "Seconds between commits; after a crash at most this much is fetched again.", low=0.01
    )
    commit_pages: int = setting(200, "Commit earlier when this many visits are pending.", low=1)
    lease_seconds: float = setting(
        300.0, "After this long without a sign of life from a worker, others take over its hosts.", low=1
    )


@dataclass(frozen=True, slots=True)
class WebSettings:
    """Network limits: time, size, redirects, TLS and DNS."""

    connect_timeout: float = setting(10.0, "Timeout of a connection attempt, in seconds.", low=0.1)
    timeout: float = setting(60.0, "Timeout of a whole request, in seconds.", low=0.1)
    idle_timeout: float = setting(20.0, "Seconds without data after which a request is aborted.", low=0.1)
    max_body: int = setting(
        16 * MIB, "Largest body read from the network, in bytes; the rest is cut and marked.", low=1
    )
    max_content: int = setting(
        64 * MIB, "Largest body after decompression, in bytes; the rest is cut.", low=1
    )
    max_head: int = setting(64 * 1024, "Largest size of the response headers, in bytes.", low=256)
    max_redirects: int = setting(10, "Redirects followed from one URL.", low=0)
    keep_alive: int = setting(512, "Idle connections kept open, over all hosts.", low=0)
    verify_tls: bool = setting(True, "Reject servers with an invalid certificate.")
    unverified_hosts: tuple[str, ...] = setting(
        (), 'Hosts whose certificates are not checked, e.g. ["intranet.example.org"].'
    )
    ca_file: str = setting(
        "", "File of trusted certificate authorities (and revocation lists), instead of the system's."
    )
    allow_addresses: tuple[str, ...] = setting(
        (), 'Private networks that may be contacted, e.g. ["10.1.0.0/16"].'
    )
    dns_servers: tuple[str, ...] = setting(
        (), 'Name servers as "address" or "address:port"; empty for the system\'s.'
    )
    dns_timeout: float = setting(5.0, "Timeout of a DNS query, in seconds.", low=0.1)
    dns_max_ttl: float = setting(86400.0, "Longest time a DNS answer is cached, in seconds.", low=0)
    dns_min_ttl: float = setting(30.0, "Shortest time a DNS answer is cached, in seconds.", low=0)
    ipv6: bool = setting(True, "Also use IPv6 addresses.")


@dataclass(frozen=True, slots=True)
class MannersSettings:
    """Politeness: delays, robots.txt, retries."""

    delay: float = setting(
        15.0, "Seconds between the end of one request to a host and the start of the next.", low=0
    )
    ip_delay: float = setting(1.0, "Seconds between requests to an IP address; at most manners.delay.", low=0)
    burst_requests: int = setting(
        10, "First requests to a host that are sent without delay, like a browser does; 0 for none.", low=0
    )
    burst_parallel: int = setting(6, "Concurrent requests during this burst.", low=1)
    parallel: int = setting(1, "Concurrent requests to one host after the burst.", low=1)
    obey_robots: bool = setting(True, "Obey robots.txt. Switch off only for your own servers.")
    obey_nofollow: bool = setting(
        True, "Do not follow rel=nofollow links, or links of pages with meta robots nofollow."
    )
    obey_noindex: bool = setting(True, "Do not store the content of noindex pages.")
    robots_seconds: float = setting(86400.0, "How long a robots.txt is cached, in seconds.", low=0)
    max_crawl_delay: float = setting(
        60.0, "Longest Crawl-delay obeyed, in seconds; a longer one is reduced to this, and logged.", low=0
    )
    max_retry_after: float = setting(86400.0, "Longest Retry-After obeyed, in seconds.", low=0)
    backoff: float = setting(
        30.0, "First pause after a 429 or 503 without Retry-After, in seconds; doubles each time.", low=0
    )
    max_backoff: float = setting(3600.0, "Longest such pause, in seconds.", low=0)
    retries: int = setting(
        3, "Retries of one URL after a temporary failure (timeout, broken connection, 5xx).", low=0
    )
    host_failures: int = setting(10, "Consecutive failures that close a host for this crawl.", low=1)
    sitemaps: bool = setting(True, "Read the sitemaps listed in robots.txt.")
    sitemap_urls: int = setting(50_000, "URLs taken from the sitemaps of one host.", low=0)


@dataclass(frozen=True, slots=True)
class FrontierSettings:
    """The order of hosts and pages, and the limits of a host."""

    estimator: str = setting(
        "bloom",
        "How the pending pages of a host are estimated: bloom (a Bloom filter sketch) or in-degree.",
        choices=("bloom", "in-degree"),
    )
    sketch_urls: int = setting(137, "Distinct URLs a host's sketch is sized for.", low=1)
    sketch_error: float = setting(
        0.01, "False positive rate of the sketch at that size.", low=0.000001, high=0.5
    )
    entry_points: int = setting(
        50, "URLs of a host linked from other hosts that are kept as entry points.", low=0
    )
    depth: int = setting(5, "Links followed from a host's entry points.", low=0)
    pages_per_host: int = setting(10_000, "Largest number of pages fetched from one host.", low=1)
    pages_per_turn: int = setting(
        0, "Pages of a host fetched before other hosts continue; 0 for the whole host at once.", low=0
    )


@dataclass(frozen=True, slots=True)
class ScopeSettings:
    """Which URLs are followed and stored."""

    allow: tuple[str, ...] = setting(
        ("seeds",),
        'Domains (with subdomains) that are crawled; "seeds" means those of the seeds, [] the whole Web.',
    )
    deny: tuple[str, ...] = setting((), "Domains never visited.")
    allow_urls: tuple[str, ...] = setting(
        (), "Regular expressions; if given, a URL must match one of them.", regex=True
    )
    deny_urls: tuple[str, ...] = setting(
        (), "Regular expressions; a URL that matches one is not visited.", regex=True
    )
    mime: tuple[str, ...] = setting(
        ("text/html", "application/xhtml+xml"),
        'Media types stored, with "text/*" and "*/*" as patterns. Others are recorded without their body.',
    )
    deny_extensions: tuple[str, ...] = setting(NOT_PAGES, "File extensions that are not requested.")
    max_url: int = setting(2000, "Longest URL followed, in characters.", low=16)
    traps: bool = setting(True, "Detect crawler traps: calendars, session ids and repeating paths.")
    trap_content: bool = setting(
        True, "Defer URL patterns whose pages have no new text, and visit a few of their pages each day."
    )
    trap_pages_per_day: int = setting(50, "Deferred pages that are visited of each host a day.", low=0)
    trap_repeats: int = setting(
        3, "How often one segment may occur in a path; used if trap_content is off.", low=1
    )
    trap_segments: int = setting(16, "Largest number of path segments.", low=1)
    trap_pattern_pages: int = setting(
        0,
        "Pages of one host with the same URL pattern (without digits and values); ten times as many "
        "without a query. 0 for no limit.",
        low=0,
    )
    trap_calendar_pages: int = setting(
        0, "Pages of one host with a date in the query or in a calendar path; 0 for no limit.", low=0
    )
    drop_params: tuple[str, ...] = setting(
        (), "Query parameters removed from URLs, in addition to known tracking and session parameters."
    )
    keep_params: tuple[str, ...] = setting(
        (), "Query parameters kept although they look like tracking or session parameters."
    )


@dataclass(frozen=True, slots=True)
class ArchiveSettings:
    """WARC files, disk space and the crawl log."""

    warc_size: int = setting(1024 * MIB, "Size at which a new WARC file is started, in bytes.", low=1024)
    warc_prefix: str = setting("fieldmouse", "Prefix of the names of WARC files.")
    operator: str = setting("", "Operator of the crawl, for the warcinfo record.")
    min_free: int = setting(
        256 * MIB, "Stop cleanly when less disk space than this is free, in bytes.", low=0
    )
    crawl_log: bool = setting(True, "Write a crawl log with one line for each visit.")
    text: bool = setting(
        True,
        "Keep the main text of the newest version of each page in the database, for `search` and the "
        "column `content`; `status` shows its size.",
    )
    structured_data: bool = setting(
        True, "Keep what pages say about themselves: dates, authors, type, JSON-LD, microdata, OpenGraph."
    )
    store: str = setting("", "PostgreSQL server with the state, postgresql://...; empty for a file.")
    content: str = setting(
        "",
        "Place for WARC, tag, pack and model files: a folder, s3://bucket/prefix, or what fsspec has; "
        "empty for the folder of the archive.",
    )
    content_cache: int = setting(
        10 * 1024 * MIB, "With archive.content: bytes of its files that are kept in the folder.", low=0
    )


@dataclass(frozen=True, slots=True)
class RefreshSettings:
    """The daily budget, and how it is allocated to pages."""

    budget: float = setting(2000.0, "Fetches a day, for refresh and discovery together.", low=0)
    discovery: float = setting(0.3, "Share of the budget reserved for new pages.", low=0, high=1)
    policy: str = setting(
        "default",
        "How visits are scheduled: default (value of a fetch), uniform, paper or nutch.",
        choices=("default", "uniform", "paper", "nutch"),
    )
    longest: float = setting(90.0, "Longest interval between two visits to a page, in days.", low=0.01)
    shortest: float = setting(1.0, "Shortest interval between two visits to a page, in hours.", low=0.001)
    floor: float = setting(0.1, "Share of the budget that is divided evenly among all pages.", low=0, high=1)
    threshold: float = setting(
        0.0, "Share of the text that may differ before it counts as a change.", low=0, high=1
    )
    count: str = setting(
        "content",
        "What counts as a change: content (all but the edge of a page: menus, headers, footers), or all.",
        choices=("content", "all"),
    )
    control_share: float = setting(
        0.15,
        "Most control fetches, as a share of the refresh fetches: a page is fetched again within minutes to "
        "tell noise from a change; 0 for none. None are made if the budget allows fewer than 3 a day.",
        low=0,
        high=1,
    )
    control_delay: float = setting(
        120.0, "Seconds before a control fetch at the least; at the most two and a half times as many.", low=0
    )
    gone_after: int = setting(
        3, "Consecutive 404 or 410 responses after which a page is not visited again.", low=1
    )
    forecast: bool = setting(
        True, "Estimate change rates also from other pages of the same site (policy default)."
    )
    audit: float = setting(
        0.01, "Share of refresh fetches spent on a random sample that measures freshness.", low=0, high=1
    )


@dataclass(frozen=True, slots=True)
class BehaviourSettings:
    """Visits of readers: what is imported from access logs, and how the schedule uses them."""

    mode: str = setting(
        "index",
        "How visits of readers change the schedule, after `train behaviour`: off, index (they say how stale "
        "a copy is) or veto (pages that are unlikely to have changed are skipped).",
        choices=("off", "index", "veto"),
    )
    veto_missed: float = setting(
        0.1, "veto: share of the changes that skips may miss; training sets the threshold.", low=0, high=1
    )
    veto_below: float = setting(
        0.0, "veto: threshold of the probability of a change, if not 0; LEADS D1.3 has 0.5.", low=0, high=1
    )
    exploration: float = setting(
        0.02, "veto: share of the skips that are fetched all the same, to learn from them.", low=0, high=1
    )
    skips: int = setting(3, "veto: most skips of a page in a row.", low=0)
    most_gaps: float = setting(
        3.0, "veto: most age of a copy, as a multiple of its age at the first of the skips in a row.", low=1
    )
    bots: tuple[str, ...] = setting((), "Further parts of user agents of programs, for `import --visits`.")
    assets: tuple[str, ...] = setting((), "Further endings of paths without pages, for `import --visits`.")


@dataclass(frozen=True, slots=True)
class FocusSettings:
    """The topic of a focused crawl."""

    topic: str = setting(
        "", "Topic to crawl for: a name given to `topic build`, or a topic file; empty for all pages."
    )
    learner: str = setting(
        "online",
        "Model that ranks links by topic: online (the default), nb2, nb4, nb4-updatable, svm, network, "
        "sarsa, best-first or bfs.",
        choices=("online", "nb2", "nb4", "nb4-updatable", "svm", "network", "sarsa", "best-first", "bfs"),
    )
    level_limit: int = setting(
        0,
        "Links reached over this many pages in a row off topic are fetched after all others; 0 for no limit.",
        low=0,
        high=255,
    )
    strict: bool = setting(
        False, "Do not follow links beyond focus.level_limit at all, as Safran et al. 2012 have it."
    )
    spread: float = setting(
        0.5,
        "A host is crawled while its best link scores at least this share of the best score of all open "
        "hosts: 1 crawls only the best host, 0 all of them.",
        low=0,
        high=1,
    )
    remember: int = setting(
        200_000, "Pending links whose evidence a worker keeps in memory, about 150 bytes each.", low=1000
    )


@dataclass(frozen=True, slots=True)
class TemplateSettings:
    """How templates of hosts are found."""

    pages: int = setting(16, "Pages aligned for a template, a power of two.", low=2, high=256)
    automatic: bool = setting(
        True,
        "Find templates and copies when a host is complete, in a background process, and when a crawl ends; "
        "if off, only `fieldmouse clean` does.",
    )


@dataclass(frozen=True, slots=True)
class SpamSettings:
    """Detection of parked domains and redirect spam, and spam scores of texts."""

    parked: bool = setting(True, "Look up the name servers of new hosts, and do not visit parked domains.")
    probe: float = setting(
        0.02, "Share of parked domains visited to find errors, a new sample each month.", low=0, high=1
    )
    remember: float = setting(30.0, "Days for which the name servers of a domain are cached.", low=0)
    redirects: bool = setting(True, "Detect redirect-spam sites, and do not visit them.")
    sources: int = setting(20, "Domains that must redirect to a site before it is evaluated.", low=2)
    allowed: tuple[str, ...] = setting(
        (), "Domains that are never redirect spam, in addition to known shorteners and sign-in pages."
    )
    score_pages: bool = setting(
        False,
        "Score the main text of pages when their host is cleaned, and do not visit spam domains. The "
        "model that ships is weak: train one with `train content-spam` first.",
    )
    content_threshold: int = setting(
        70, "A page with a higher spam score is spam; scores go from 0 to 99 (spam).", low=0, high=99
    )
    comment_threshold: int = setting(
        64, "A comment with a higher spam score is spam; scores go from 0 to 256 (spam).", low=0, high=256
    )


@dataclass(frozen=True, slots=True)
class ServeSettings:
    """The HTTP server: dashboard, API and back-end of the browser extension."""

    host: str = setting("127.0.0.1", "Address to listen on; the default is reached from this machine only.")
    port: int = setting(8737, "Port to listen on; 0 takes a free one.", low=0, high=65535)
    hosts: tuple[str, ...] = setting(
        (), "Further names under which browsers reach this server, without ports; all others are refused."
    )
    extensions: tuple[str, ...] = setting(
        (),
        "Origins of browser extensions that may use the API, for example chrome-extension://...; "
        "empty for every extension that has a token.",
    )
    max_body: int = setting(16 * MIB, "Largest body of a request, in bytes.", low=1024)
    body_seconds: float = setting(
        30.0, "Longest time for the body of a request to arrive, in seconds.", low=0.1
    )
    rate: float = setting(600.0, "Requests a minute for each token; a sixth of them may come at once.", low=1)
    max_backlog: int = setting(
        1024 * MIB, "Bytes that may be pending in the inbox; beyond that submissions are refused.", low=0
    )
    drop_spam: bool = setting(
        False, "Do not keep submissions with a spam score above its threshold; if off, they are labelled."
    )
    visit_days: float = setting(365.0, "Days for which visits of readers are kept; 0: without limit.", low=0)
    submission_days: float = setting(0.0, "Days to keep submissions and their content; 0: no limit.", low=0)


@dataclass(frozen=True, slots=True)
class LabelSettings:
    """Classes of pages: the classifier of new pages, and filters by class."""

    classes: str = setting(
        "", "List of classes: a TOML or CSV file, business or adult; empty: that of `train classes`."
    )
    classify_new: bool = setting(True, "Classify new pages with the archive's classifier, if there is one.")
    only: str = setting("", "Store only pages of this class; labels.tunnel says which links are followed.")
    prefer: str = setting("", "With focus.topic: what is of this class is on topic, whatever its words.")
    tunnel: int = setting(
        2, "With labels.only: pages of other classes in a row that links may lead through.", low=0, high=20
    )
    exclude: tuple[str, ...] = setting(
        (), 'Classes whose pages are neither stored nor followed, e.g. ["adult"] of the list adult.'
    )


@dataclass(frozen=True, slots=True)
class ClusterSettings:
    """Regions (micro-clouds) of a cluster on PostgreSQL."""

    grace: float = setting(
        300.0, "Seconds without a sign of life from a region after which others visit its hosts.", low=1
    )
    domains: tuple[str, ...] = setting(
        (), 'Top-level domains whose hosts belong to a region, for example ["eu=de,fr,it", "us=com"].'
    )
    countries: tuple[str, ...] = setting((), 'Countries of a region, as ["eu=DE,FR"]; needs country_table.')
    country_table: str = setting("", "File with the countries of addresses; see how-to/run-a-cluster.md.")
    content: tuple[str, ...] = setting(
        (), 'Places for what a region fetches, as ["eu=s3://bucket/town"]; others use archive.content.'
    )


@dataclass(frozen=True, slots=True)
class NotifySettings:
    """Who gets changes: by webhook, and by e-mail."""

    webhooks: tuple[str, ...] = setting((), "URLs that new changes are posted to, as JSON.")
    webhook_secret: str = setting(
        "", "Secret by which requests to webhooks are signed (HMAC-SHA256); empty for no signature."
    )
    mail_to: tuple[str, ...] = setting((), "E-mail addresses that get new changes.")
    mail_from: str = setting("", "Sender of the e-mails.")
    digest: bool = setting(True, "One e-mail a day; if off, one for each round of changes.")
    digest_hour: int = setting(6, "Hour of the daily e-mail, in UTC.", low=0, high=23)
    smtp_host: str = setting("", "SMTP server for e-mails.")
    smtp_port: int = setting(25, "Its port; often 587 with starttls, 465 with tls.", low=1, high=65535)
    smtp_security: str = setting(
        "none", "Encryption of the connection to it.", choices=("none", "starttls", "tls")
    )
    smtp_user: str = setting("", "User name for it; empty to send without signing in.")
    smtp_password: str = setting("", "Password for it; better in the environment variable than in the file.")
    only_hosts: tuple[str, ...] = setting((), "Hosts whose changes are sent; empty for all.")
    only_topic: str = setting("", "Topic whose pages' changes are sent; empty for all.")


@dataclass(frozen=True, slots=True)
class Settings:
    """All settings, by section."""

    crawl: CrawlSettings = CrawlSettings()
    web: WebSettings = WebSettings()
    manners: MannersSettings = MannersSettings()
    frontier: FrontierSettings = FrontierSettings()
    scope: ScopeSettings = ScopeSettings()
    archive: ArchiveSettings = ArchiveSettings()
    refresh: RefreshSettings = RefreshSettings()
    behaviour: BehaviourSettings = BehaviourSettings()
    focus: FocusSettings = FocusSettings()
    templates: TemplateSettings = TemplateSettings()
    spam: SpamSettings = SpamSettings()
    labels: LabelSettings = LabelSettings()
    serve: ServeSettings = ServeSettings()
    notify: NotifySettings = NotifySettings()
    cluster: ClusterSettings = ClusterSettings()


SECTIONS: dict[str, type[Any]] = {f.name: type(f.default) for f in fields(Settings)}
FIELDS = {f"{section}.{one.name}": one for section, kind in SECTIONS.items() for one in fields(kind)}


def variable(section: str, name: str) -> str:
    """The environment variable of a setting."""
    return f"{PREFIX}{section}_{name}".upper()


def load(
    file: Path | None = None,
    environment: Mapping[str, str] | None = None,
    overrides: Mapping[str, Any] | None = None,
) -> Settings:
    """Read settings from a TOML file, then the environment, then overrides named "section.name"."""
    settings = Settings()
    try:
        if file is not None:
            settings = _with_tables(settings, tomllib.loads(file.read_text("utf-8-sig")), str(file))
    except FileNotFoundError:
        pass
    except tomllib.TOMLDecodeError as error:
        raise ConfigError(f"{file} is not valid TOML: {error}") from None
    except UnicodeDecodeError as error:
        raise ConfigError(f"{file} is not UTF-8 text (byte {error.start}); save it as UTF-8") from None
    except OSError as error:
        raise ConfigError(f"{file} cannot be read: {error.strerror}") from None
    known = {variable(*full.split(".")): full for full in FIELDS}
    for key, text in (os.environ if environment is None else environment).items():
        if key in known:
            value = from_text(FIELDS[known[key]].type, text, key)
            section, name = known[key].split(".")
            settings = _with_tables(settings, {section: {name: value}}, f"the environment variable {key}")
        elif key.startswith(PREFIX):
            # A misspelt setting is an error; but other programs may use the same prefix.
            in_section = key.startswith(tuple(f"{PREFIX}{section.upper()}_" for section in SECTIONS))
            stems = [one.removeprefix(PREFIX) for one in known]
            if in_section or difflib.get_close_matches(key.removeprefix(PREFIX), stems, 1, 0.8):
                raise ConfigError(f"the environment variable {key} is not a setting{_nearest(key, known)}")
    return with_overrides(settings, overrides or {})


def with_overrides(settings: Settings, overrides: Mapping[str, Any]) -> Settings:
    """A copy with values set by their full name: {"manners.delay": 2}."""
    tables: dict[str, dict[str, Any]] = {}
    for full, value in overrides.items():
        section, dot, name = full.partition(".")
        if not dot:
            raise ConfigError(f"there is no setting {full}{_nearest_setting(full)}")
        tables.setdefault(section, {})[name] = value
    return _with_tables(settings, tables, "the command line")


def parsed(full: str, text: str) -> Any:
    """Convert text from the command line to the value of the setting "section.name"."""
    if full not in FIELDS:
        raise ConfigError(f"there is no setting {full}{_nearest_setting(full)}")
    return from_text(FIELDS[full].type, text, full)


def _with_tables(settings: Settings, tables: Mapping[str, Any], where: str) -> Settings:
    """Settings with the values of tables by section; every value is checked."""
    for section, table in tables.items():
        if section not in SECTIONS and not isinstance(table, Mapping):
            raise ConfigError(f"{where}: setting {section} is outside a section{_nearest_setting(section)}")
        if section not in SECTIONS:
            raise ConfigError(f"{where}: there is no section [{section}]{_nearest(section, SECTIONS)}")
        if not isinstance(table, Mapping):
            raise ConfigError(f"{where}: [{section}] must be a table of settings")
        changes = {}
        for name, value in table.items():
            full = f"{section}.{name}"
            if full not in FIELDS:
                raise ConfigError(f"{where}: there is no setting {full}{_nearest_setting(full)}")
            changes[name] = checked(FIELDS[full].type, FIELDS[full].metadata, value, f"{where}: {full}")
        settings = replace(settings, **{section: replace(getattr(settings, section), **changes)})
    return settings


def _nearest(name: str, known: Iterable[str]) -> str:
    close = difflib.get_close_matches(name, list(known), n=1, cutoff=0.5)
    return f"; did you mean {close[0]}?" if close else ""


def _nearest_setting(name: str) -> str:
    """Suggest a full name: the new one, by spelling, or if only the section is missing."""
    shorts = {full.partition(".")[2]: full for full in reversed(FIELDS)}
    if "." not in name and (near := difflib.get_close_matches(name, shorts, n=1, cutoff=0.6)):
        return f"; did you mean {shorts[near[0]]}?"
    return _nearest(name, FIELDS)


def as_toml(settings: Settings = Settings()) -> str:  # noqa: B008  frozen, so sharing it is safe
    """A commented settings file: every default as a comment, changed values as live lines."""
    head = "# Fieldmouse settings. A line that begins with # shows a default; remove the # to change it."
    lines = [head, ""]
    for section, kind in SECTIONS.items():
        lines += [f"# {(kind.__doc__ or '').strip()}", f"[{section}]"]
        for one in fields(kind):
            value = getattr(getattr(settings, section), one.name)
            mark = "# " if value == one.default else ""
            lines += [f"# {one.metadata['help']}", f"{mark}{one.name} = {to_toml(value)}", ""]
    return "\n".join(lines)


def with_value(text: str, section: str, name: str, value: str) -> str:
    """The text of a settings file with one value set; all other lines stay as they are."""
    lines, line = text.splitlines(), f"{name} = {value}"
    heads = [at for at, one in enumerate(lines) if one.strip().startswith("[")]
    start = next((at for at in heads if lines[at].strip() == f"[{section}]"), None)
    if start is None:
        return "\n".join([*lines, f"[{section}]", line, ""])
    end = next((at for at in heads if at > start), len(lines))
    form = re.compile(rf"(#\s*)?{re.escape(name)}\s*=")
    places = [at for at in range(start + 1, end) if form.match(lines[at].strip())]
    live = [at for at in places if not lines[at].lstrip().startswith("#")]
    if places:
        lines[(live or places)[-1]] = line
    else:
        lines.insert(start + 1, line)
    return "\n".join([*lines, ""])
