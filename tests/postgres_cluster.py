"""A PostgreSQL server for tests: its own cluster in a temporary folder, on a free port of the loopback."""

import os
import shutil
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

ADDRESS = "127.0.7.1"
USER = "fieldmouse"

# Debian keeps the server where no PATH looks for it.
BIN = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"))

OPTIONS = {
    "fsync": "off", "full_page_writes": "off", "unix_socket_directories": "", "listen_addresses": ADDRESS,
    "shared_buffers": "32MB", "max_connections": "60", "deadlock_timeout": "200ms", "autovacuum": "off",
}  # fmt: skip


def missing() -> str:
    """Why there can be no server; empty if there can."""
    if not BIN and shutil.which("initdb") is None:
        return "PostgreSQL is not installed (on Debian: apt-get install postgresql)"
    try:
        import psycopg  # noqa: F401
    except ImportError:
        return "psycopg is not installed (pip install 'fieldmouse[postgres]')"
    return ""


class Cluster:
    """A server with its files. `restart` kills it as a power cut would not, but a crash does."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.bin = BIN[-1].parent if BIN else Path(str(shutil.which("initdb"))).parent
        # PostgreSQL refuses to run as root.
        self.user = "postgres" if os.getuid() == 0 else None
        if self.user:
            shutil.chown(folder, self.user)
        with socket.socket() as one:
            one.bind((ADDRESS, 0))
            self.port = one.getsockname()[1]
        self.data = folder / "data"
        self.process: subprocess.Popen[bytes] | None = None
        self._run(
            "initdb",
            "-D",
            str(self.data),
            "-U",
            USER,
            "--auth=trust",
            "--no-sync",
            "--locale=C",
            "-E",
            "UTF8",
        )
        self._databases = 0
        self._template = ""
        self.start()

    def _run(self, program: str, *arguments: str) -> None:
        subprocess.run(
            [self.bin / program, *arguments], check=True, capture_output=True, user=self.user, cwd=self.folder
        )

    def start(self) -> None:
        options = [text for name, value in OPTIONS.items() for text in ("-c", f"{name}={value}")]
        with (self.folder / "log").open("ab") as log:
            self.process = subprocess.Popen(
                [self.bin / "postgres", "-D", self.data, "-p", str(self.port), *options],
                stdout=log, stderr=log, user=self.user, cwd=self.folder,
            )  # fmt: skip
        until = time.monotonic() + 60
        while True:
            try:
                self.run("SELECT 1")
                return
            except OSError:
                if time.monotonic() > until or self.process.poll() is not None:
                    raise RuntimeError((self.folder / "log").read_text("utf-8")[-2000:]) from None
                time.sleep(0.05)

    def stop(self, how: str = "fast") -> None:
        """Stop the server: fast, or immediate as after a crash."""
        import signal

        assert self.process is not None
        self.process.send_signal({"fast": signal.SIGINT, "immediate": signal.SIGQUIT}[how])
        self.process.wait(120)

    def url(self, database: str = "postgres") -> str:
        return f"postgresql://{USER}@{ADDRESS}:{self.port}/{database}"

    def run(self, sql: str, database: str = "postgres") -> list[tuple[object, ...]]:
        """Run one statement; the rows, if it has any."""
        import psycopg

        try:
            with psycopg.connect(self.url(database), autocommit=True) as db:
                cursor = db.execute(sql)
                return cursor.fetchall() if cursor.description else []
        except psycopg.OperationalError as error:
            raise ConnectionError(str(error)) from None

    def new_database(self, template: str = "template1") -> str:
        """The URL of a new database."""
        self._databases += 1
        name = f"test{self._databases}"
        self.run(f"CREATE DATABASE {name} TEMPLATE {template} STRATEGY file_copy")
        return self.url(name)

    def archive_database(self) -> str:
        """The URL of a database with the tables of an archive. They are made once and copied."""
        if not self._template:
            from fieldmouse.store.engines import open_server

            url = self.new_database()
            open_server(url, create=True).close()
            self._template = url.rpartition("/")[2]
        return self.new_database(self._template)


@contextmanager
def running_cluster() -> Iterator[Cluster]:
    """A server that is stopped in the end."""
    folder = Path(tempfile.mkdtemp(prefix="fieldmouse-postgres-"))
    folder.chmod(0o755)
    cluster = Cluster(folder)
    try:
        yield cluster
    finally:
        cluster.stop()
        shutil.rmtree(folder, ignore_errors=True)
