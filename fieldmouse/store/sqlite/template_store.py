"""What cleaning keeps in the archive: which hosts have news, their templates, what pages are packed against.

Cleaning works beside crawls, each with a connection of its own. All it writes about a host goes into one
transaction, which notices when somebody else has cleaned that host in the meantime.
"""

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import NamedTuple

from .crawl_store import DATABASE_FILE, check_folder
from .database import Database
from .fingerprint_store import Prints

# Hosts taken from the queue at once.
BATCH = 100

# A host that kills whoever cleans it so many times is left alone until it has new content.
TRIES = 3


class News(NamedTuple):
    """A host with content that cleaning has not seen."""

    host: int
    name: str
    version: int  # the newest content
    tries: int


class Unseen(NamedTuple):
    """A page whose newest content cleaning has not looked at."""

    page: int
    url: str
    version: int


@dataclass(frozen=True, slots=True, kw_only=True)
class TemplateRow:
    """The templates of a host as they are stored, with what they are good for."""

    host: int
    version: int
    time: float
    reason: str
    pages: int
    templates: int
    template_bytes: int
    looked: int
    templated: int
    page_bytes: int
    shared_bytes: int
    packed_bytes: int
    dictionary_bytes: int
    dictionary: bytes
    data: bytes


class Outcome(NamedTuple):
    """How cleaning leaves a host."""

    time: float
    fits: str
    trouble: str = ""
    template: TemplateRow | None = None
    dictionary: bytes = b""


class Cleaned:
    """The archive as cleaning writes to it; takes no lock, and may be used beside a crawl."""

    def __init__(self, folder: Path) -> None:
        check_folder(folder)
        self.db = Database(folder / DATABASE_FILE)
        self.prints = Prints(self.db)

    def close(self) -> None:
        """Close the database."""
        self.db.close()

    def news(self, *, unfinished: bool) -> Iterator[News]:
        """Hosts with news whose download has ended; with `unfinished` all of them."""
        last = 0
        while rows := self.db.run(
            "hosts_with_news", after=last, any=unfinished, tries=TRIES, n=BATCH
        ).fetchall():
            yield from (News(*row) for row in rows)
            last = rows[-1][0]

    def news_of(self, name: str) -> News | None:
        """The news of one host."""
        row = self.db.one("host_with_news", name=name)
        return News(*row) if row else None

    def left(self) -> int:
        """How many hosts have news."""
        return int(self.db.one("news_count")[0])

    def begin(self, host: int) -> None:
        """Note that cleaning a host begins, in case it never ends."""
        with self.db.transaction():
            self.db.run("try_news", host=host)

    def interrupted(self, host: int) -> None:
        """Note that cleaning a host was ended by somebody, for which the host is not to blame."""
        with self.db.transaction():
            self.db.run("untry_news", host=host)

    def look_again(self, host: int) -> None:
        """Count all pages of a host as not looked at."""
        with self.db.transaction():
            self.db.run("forget_prints", host=host)

    def unseen(self, host: int, after: int, n: int) -> list[Unseen]:
        """The next pages of a host that were not looked at."""
        return [Unseen(*row) for row in self.db.run("unseen", host=host, after=after, n=n)]

    def versions(self, host: int) -> list[tuple[int, int]]:
        """Id and size of the newest content of each page of a host that has tags."""
        return self.db.run("marked_versions", host=host).fetchall()

    def fits(self, host: int) -> str:
        """How well the last pages of a host fitted its templates, as it was stored."""
        row = self.db.one("cleaned", host=host)
        return row[2] if row else "[]"

    def newest(self, host: int) -> tuple[int, int]:
        """Version of a host's templates, and of how many pages they were made; zeros for none."""
        return self.db.one("newest_template", host=host) or (0, 0)

    def templates(self, name: str, n: int = 1) -> list[bytes]:
        """The newest templates of a host, as they were stored."""
        return [data for (data,) in self.db.rows("template_data", host=name, n=n)]

    def end(self, news: News, outcome: Outcome) -> None:
        """Write what became of a host, unless somebody was faster."""
        with self.db.transaction():
            made = outcome.template
            if made is not None and self.newest(news.host)[0] < made.version:
                self.db.run("put_template", **asdict(made))
                self.db.run("put_dictionary", digest=made.dictionary, host=news.host, data=outcome.dictionary)
            self.db.run(
                "put_cleaned", host=news.host, time=outcome.time, version=news.version, fits=outcome.fits,
                trouble=outcome.trouble,
            )  # fmt: skip
            self.db.run("drop_news", host=news.host, version=news.version)
