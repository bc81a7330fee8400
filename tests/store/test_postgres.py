"""What only PostgreSQL needs a test for: its SQL, broken connections, and errors with names of ours."""

import re
import sys
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from fieldmouse.errors import ArchiveBusy, ArchiveError, ConfigError, NoArchive, UsageError
from fieldmouse.store import create, open_reader
from fieldmouse.store.engines import open_server
from fieldmouse.store.relational.database import SHARED, Database, named_queries
from fieldmouse.store.submission_contract import ReaderVisit
from tests.crawl import webs
from tests.lossy_link import LossyLink
from tests.postgres_cluster import ADDRESS, USER, Cluster
from tests.store.answers import BEGAN
from tests.store.stores import found, make, opened
from tests.waiting import until

# Seconds for which a server that cannot be reached is tried when a command begins.
FIRST_PATIENCE = 3.0

SQLITE, POSTGRES = "fieldmouse.store.sqlite", "fieldmouse.store.postgres"

# Queries of one engine, for what only that one has.
# PostgreSQL plans the search of one host by itself, see `documents.py`.
ONLY_SQLITE = {"integrity", "rebuild_index", "search_hits_of_host"}
ONLY_POSTGRES = {"drop_words", "indexed_texts", "other_tables"}


@pytest.fixture(name="db")
def database(postgres: Cluster) -> Iterator[Database]:
    db = open_server(postgres.archive_database())
    yield db
    db.close()


def test_both_engines_have_the_same_queries() -> None:
    shared = set(named_queries(SHARED))
    sqlite, own = set(named_queries(SQLITE)) - ONLY_SQLITE, set(named_queries(POSTGRES)) - ONLY_POSTGRES
    assert sorted(sqlite - shared - own) == [], "write it for PostgreSQL too, in store/postgres/sql"
    assert sorted(own - shared - sqlite) == [], "write it for SQLite too, or in store/relational/sql"


def test_postgresql_understands_every_query(postgres: Cluster) -> None:
    import psycopg

    from fieldmouse.store.postgres.dialect import translated
    from fieldmouse.store.postgres.postgres_database import queries

    problems = {}
    with psycopg.connect(postgres.archive_database(), autocommit=True, prepare_threshold=None) as db:
        db.execute("SET plan_cache_mode = force_generic_plan")
        for name, text in queries().items():
            sql = f"SELECT 1 FROM page AS p WHERE {text}" if name.startswith("where_") else text
            sql = translated(sql.format(pages="public_page", visits="public_visit", filter="TRUE"))
            numbers: dict[str, int] = {}

            def number(place: re.Match[str], numbers: dict[str, int] = numbers) -> str:
                key = place[0] if place[0] != "%s" else f"{len(numbers)}"
                kind = "::double precision" if place[0] in ("%(now)s", "%(rest)s") else ""
                return f"${numbers.setdefault(key, len(numbers) + 1)}{kind}"

            sql = re.sub(r"%s|%\(\w+\)s", number, sql).replace("%%", "%")
            nulls = f"({', '.join(['NULL'] * len(numbers))})" if numbers else ""
            try:
                db.execute(f"PREPARE q AS {sql}")
                db.execute(f"EXPLAIN EXECUTE q{nulls}")
            except psycopg.Error as error:
                problems[name] = str(error).split("\n")[0]
            db.execute("DEALLOCATE ALL")
    assert problems == {}, (
        "PostgreSQL does not understand these queries. Write them so that both engines do, or add one of the "
        "same name to store/postgres/sql; see CONTRIBUTING.md"
    )


def test_a_transaction_is_all_or_nothing(db: Database) -> None:
    with db.transaction():
        db.run("set_property", name="a", value="1")
    with pytest.raises(ArchiveError, match="null"), db.durable_transaction():  # noqa: PT012
        db.run("set_property", name="a", value="2")
        db.run("set_property", name="a", value=None)
    assert db.get_property("a") == "1"


def test_text_that_postgresql_cannot_store(db: Database) -> None:
    with db.transaction():
        db.run("set_property", name="a", value="x\0y")
    assert db.get_property("a") == "x\ufffdy"


def test_many_rows_go_in_one_statement_and_keep_every_value(db: Database) -> None:
    rows = [
        ("plain", b""),
        ('"\\{}, NULL', b"\x00\xff\\"),
        ("NULL", b"{}"),
        ("%s ä 日本 \n'", b"x" * 3000),
        ("", b"1"),
    ]
    with db.transaction():
        assert db.many("put_noise", rows) == len(rows)
    assert {host: bytes(db.one("noise", host=host)[0]) for host, _ in rows} == dict(rows)
    with db.transaction():  # the same key twice: one after the other
        db.many("put_noise", [("plain", b"2"), ("plain", b"3")])
    assert bytes(db.one("noise", host="plain")[0]) == b"3"
    with db.transaction():
        db.many("add_hourly", [(n, "new", n) for n in range(6000)])
        db.many("add_hourly", [(n, "new", 1) for n in range(6000)])
    assert next(db.select("SELECT sum(count), count(*) FROM hourly", {})) == (6000 * 5999 // 2 + 6000, 6000)


def test_almost_every_statement_for_rows_has_a_form_for_many() -> None:
    from fieldmouse.store.postgres.dialect import batch_statement
    from fieldmouse.store.postgres.postgres_database import queries

    single = {name for name, text in queries().items() if "?" in text and batch_statement(text) is None}
    assert single <= {"put_earlier"}, (
        "rows of these go one by one; write them in a form that dialect.py knows"
    )


def _cut(postgres: Cluster, db: Database) -> None:
    """End the connection at the server, as an administrator or a restart does."""
    name = db.where.rpartition("/")[2]
    postgres.run(f"SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '{name}'")


def test_a_lost_connection_is_opened_again(postgres: Cluster, db: Database) -> None:
    with db.transaction():
        db.run("set_property", name="a", value="1")
    _cut(postgres, db)
    assert db.get_property("a") == "1"
    tries = []

    def work() -> None:
        with db.transaction():
            db.run("set_property", name="a", value="2")
            if not tries:
                _cut(postgres, db)
            tries.append(1)
            db.run("set_property", name="b", value="2")

    db.retried(work)
    assert (len(tries), db.get_property("a"), db.get_property("b")) == (2, "2", "2")


@pytest.mark.parametrize("at", ["a statement", "its commit"])
def test_a_transaction_that_hung_is_repeated(postgres: Cluster, at: str) -> None:
    """The server ended it; its process was stopped for a while, and goes on."""
    url = postgres.archive_database()
    name = url.rpartition("/")[2]
    postgres.run(f"ALTER DATABASE {name} SET idle_in_transaction_session_timeout = '1s'")
    db, tries = open_server(url), []

    def work() -> None:
        with db.transaction():
            db.run("set_property", name="a", value="1")
            tries.append(1)
            if len(tries) == 1:
                time.sleep(2)
            if at == "a statement":
                db.run("set_property", name="b", value="1")

    db.retried(work)
    assert len(tries) >= 2, "more often if this process had to wait for a processor that long"
    assert db.get_property("a") == "1"
    db.close()


def test_a_commit_during_a_restart_is_stored_once(tmp_path: Path, postgres: Cluster) -> None:
    """The store repeats a commit that did not happen, and does not repeat one that did."""
    settings = make(tmp_path / "a", postgres.archive_database())
    with opened(tmp_path / "a", settings) as store:
        store.seed({"a.test": ["http://a.test/"]}, BEGAN)
        store.lease(BEGAN, 1)
        before = store.committer._put_rows
        tries = []

        def cut(*args: object) -> None:
            if not tries:
                _cut(postgres, store.db)
            tries.append(1)
            before(*args)

        store.committer._put_rows = cut
        store.commit([found()], BEGAN)
        assert len(tries) == 2
    with open_reader(tmp_path / "a") as reader:
        (page,) = reader.pages()
        assert page.visits == 1
        assert reader.response(page.version).body


@pytest.mark.parametrize("breaks", ["before", "after"])
def test_a_commit_whose_answer_is_lost_is_found_out(tmp_path: Path, postgres: Cluster, breaks: str) -> None:
    """It is repeated if it did not happen, and only then."""
    link = LossyLink(postgres)
    settings = make(tmp_path / "a", link.url(postgres.archive_database()))
    with closing(link), opened(tmp_path / "a", settings) as store:
        store.seed({"a.test": ["http://a.test/"]}, BEGAN)
        store.lease(BEGAN, 1)
        before, tries = store.committer._put_rows, []

        def counted(*args: object) -> None:
            tries.append(1)
            before(*args)

        store.committer._put_rows = counted
        link.breaks = breaks
        store.commit([found()], BEGAN)
        assert link.broken == [breaks]
        assert len(tries) == (2 if breaks == "before" else 1)
    with open_reader(tmp_path / "a") as reader:
        (page,) = reader.pages()
        assert (page.visits, page.versions) == (1, 1)
        assert reader.response(page.version).body


def test_a_connection_that_breaks_while_it_is_opened(postgres: Cluster) -> None:
    url = postgres.archive_database()
    with closing(LossyLink(postgres)) as link:
        open_server(link.url(url)).close()
        for message in range(1, link.messages - 1):  # the last ones close it
            before = link.messages
            link.chosen = lambda _, at=before + message: link.messages == at  # type: ignore[misc]
            link.breaks = "before" if message % 2 else "after"
            with closing(open_server(link.url(url))) as db:
                assert db.get_property("id") == ""
        assert len(link.broken) == message


def test_visits_of_readers_are_repeated_with_the_addresses_they_belong_to(
    tmp_path: Path, postgres: Cluster
) -> None:
    """The numbers of new addresses and readers go with the transaction that did not happen."""
    link = LossyLink(postgres)
    settings = make(tmp_path / "a", link.url(postgres.archive_database()))
    with closing(link), opened(tmp_path / "a", settings) as store:
        link.breaks = "before"
        assert store.behaviour.add([ReaderVisit("ann", "http://a.test/", BEGAN)]) == 1
        assert link.broken == ["before"]
        assert store.behaviour.add([ReaderVisit("ann", "http://a.test/", BEGAN + 1)]) == 1
        found = [(one.url, one.time) for one in store.submissions.visits_of("ann")]
        assert found == [("http://a.test/", BEGAN), ("http://a.test/", BEGAN + 1)]


def test_the_files_stay_when_nobody_knows_whether_a_commit_happened(
    tmp_path: Path, postgres: Cluster
) -> None:
    link = LossyLink(postgres)
    url = postgres.archive_database()
    settings = make(tmp_path / "a", link.url(url))
    with closing(link), opened(tmp_path / "a", settings) as store:
        store.seed({"a.test": ["http://a.test/"]}, BEGAN)
        store.lease(BEGAN, 1)
        store.db.patience = 0.3
        link.breaks = "after"
        link.server = ("127.0.7.8", 1)  # the server does not come back
        with pytest.raises(ArchiveError, match="did not answer a commit"):
            store.commit([found()], BEGAN)
        store.db.url = url
    (tmp_path / "a" / "fieldmouse.toml").write_text(f'[archive]\nstore = "{url}"\n')
    opened(tmp_path / "a", settings).close()
    with open_reader(tmp_path / "a") as reader:
        (page,) = reader.pages()
        assert reader.response(page.version).body


def test_a_server_that_cannot_be_reached(tmp_path: Path) -> None:
    url = "postgresql://someone:secret@127.0.7.9:1/x"
    with pytest.raises(ArchiveBusy, match="cannot be reached") as error:
        open_server(url)
    assert "secret" not in str(error.value)
    with pytest.raises(ConfigError, match="begin with postgresql://"):
        create(tmp_path / "a", '[archive]\nstore = "mysql://x"', BEGAN)


def test_databases_that_cannot_be_used_say_what_to_do(postgres: Cluster) -> None:
    other = postgres.new_database()
    postgres.run("CREATE TABLE host (x int)", other.rpartition("/")[2])
    with pytest.raises(ConfigError, match="tables of another program; choose an empty database"):
        open_server(other, create=True)
    broken = postgres.archive_database()
    name = broken.rpartition("/")[2]
    db = open_server(broken)
    postgres.run("ALTER TABLE lease RENAME TO lease_before", name)
    with pytest.raises(match="restore the database from a backup"):
        db.run("leases_of", worker="w0")
    db.close()
    postgres.run("CREATE ROLE reading LOGIN")
    postgres.run("GRANT SELECT ON ALL TABLES IN SCHEMA public TO reading", name)
    with pytest.raises(ArchiveError, match="connect as the database's owner"):
        open_server(broken.replace(USER, "reading"))
    postgres.run(f"ALTER DATABASE {name} SET default_transaction_read_only = on")
    with pytest.raises(ArchiveError, match="name the primary server"):
        open_server(broken)


def test_a_server_that_refuses(postgres: Cluster) -> None:
    """What waiting does not mend is said at once."""
    import psycopg

    postgres.run("CREATE ROLE someone LOGIN PASSWORD 'secret'")
    rules = postgres.data / "pg_hba.conf"
    rule = "host all someone 127.0.0.0/8 scram-sha-256\nhost all unwelcome 127.0.0.0/8 reject\n"
    rules.write_text(rule + rules.read_text("utf-8"), "utf-8")
    postgres.run("SELECT pg_reload_conf()")
    place = f"{ADDRESS}:{postgres.port}"

    def refused() -> bool:
        try:
            psycopg.connect(f"postgresql://someone@{place}/postgres").close()
        except psycopg.OperationalError:
            return True
        return False

    until(refused)  # the server has read its rules
    for url, said in (
        (f"someone@{place}/postgres", "asks for a password; put it into ~/.pgpass"),
        (f"someone:wrong@{place}/postgres", 'password authentication failed for user "someone"'),
        (f"{USER}@{place}/nothing", 'database "nothing" does not exist'),
        (f"nobody@{place}/postgres", 'role "nobody" does not exist'),
        (f"unwelcome@{place}/postgres", "pg_hba.conf rejects connection"),
    ):
        began = time.monotonic()
        with pytest.raises(ConfigError, match=said) as error:
            open_server(f"postgresql://{url}")
        assert time.monotonic() - began < FIRST_PATIENCE
        assert "wrong" not in str(error.value)


def test_a_database_without_an_archive_and_one_with(tmp_path: Path, postgres: Cluster) -> None:
    url = postgres.new_database()
    with pytest.raises(NoArchive, match="init"):
        open_server(url)
    make(tmp_path / "a", url)
    with pytest.raises(UsageError, match="already holds an archive"):
        make(tmp_path / "b", url)


def test_queries_of_users(tmp_path: Path, postgres: Cluster) -> None:
    settings = make(tmp_path / "a", postgres.archive_database())
    with opened(tmp_path / "a", settings) as store:
        store.seed({"a.test": ["http://a.test/"]}, BEGAN)
        store.lease(BEGAN, 1)
        store.commit([found()], BEGAN)
    with open_reader(tmp_path / "a") as reader:
        names, rows = reader.query("SELECT url, title, first_seen, domain FROM pages", 10.0, {})
        assert names == ["url", "title", "first_seen", "domain"]
        assert next(rows)[:2] == ("http://a.test/", "A")
        for sql, said in (
            ("DELETE FROM page", "can only read"),
            ("SELECT 1; SELECT 2", "one statement"),
            ("SELECT ulr FROM pages", "did you mean url"),
            ("SELECT 1 FROM pagess", "did you mean pages"),
            ("SELECT pg_sleep(5)", "stopped after 0.2 s"),
            ("SELECT content('x')", "only there in archives on SQLite"),
            ("WITH x AS (DELETE FROM page RETURNING 1) SELECT * FROM x", "can only read"),
        ):
            with pytest.raises(UsageError, match=said):
                list(reader.query(sql, 0.2, {"content": str})[1])


def test_the_driver_is_loaded_only_for_a_server(tmp_path: Path) -> None:
    import subprocess

    code = (
        "import sys; from pathlib import Path; from fieldmouse.store import create, open_reader;"
        "create(Path(sys.argv[1]), '', 0.0); open_reader(Path(sys.argv[1])).close();"
        "assert 'psycopg' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code, str(tmp_path / "a")], check=True)


def test_a_crawl_of_an_archive_in_its_folder_loads_nothing_of_a_cluster(tmp_path: Path) -> None:
    """Nor do cleaning and an export: no driver, no object storage, no Dask."""
    import subprocess

    code = (
        "import sys; from fieldmouse import library; one = library.open(sys.argv[1]);"
        "one.crawl([sys.argv[2]]); print(one.status().pages, len(list(one.clean())), len(list(one.pages())));"
        "loaded = {'psycopg', 'fsspec', 's3fs', 'botocore', 'dask', 'distributed'} & sys.modules.keys();"
        "assert not loaded, loaded"
    )
    with webs.web({"a.test": {"/": b"<title>A</title><p>Some words."}}) as net:
        webs.archive(tmp_path / "a", net, **{"templates.automatic": False}).close()
        done = subprocess.run(
            [sys.executable, "-c", code, tmp_path / "a", net.url("a.test")], capture_output=True, text=True,
            check=False,
        )  # fmt: skip
    assert (done.stdout.split(), done.stderr) == (["1", "1", "1"], "")
