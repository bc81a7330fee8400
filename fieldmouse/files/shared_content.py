"""Content of an archive in a place that all its workers share: a folder, or object storage through fsspec.

`archive.content` names the place. WARC, tag and pack files are objects there: written once under a key that
nobody else uses, whole before a row points to them, and never changed. The folder of the archive is then a
cache: what a worker wrote stays there, what is missing is fetched when it is read first, and the oldest files
go when they take more room than `archive.content_cache`. See docs/decisions/shared-content.md.

A region can have a place of its own (`cluster.content`): what its workers write is put there. The name of an
object begins with the name of its worker, and that with the region, so a name says where to look first.
"""

import os
import re
import secrets
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple, TypeVar
from urllib.parse import parse_qsl

from fieldmouse import settings as settings_module
from fieldmouse.errors import ArchiveDamaged, ArchiveError, ConfigError, UsageError
from fieldmouse.settings import Settings

from .append_only import DRAFT, Appender, sync_folder

T = TypeVar("T")

# Kinds of files that are objects; they are folders of the archive too.
KINDS = ("warc", "packs", "tags")
MODELS = "models"

# The object with the id of the archive that a place belongs to.
OWNER = "fieldmouse.id"

# How long a place that cannot be reached is tried again before a command gives up; at `init`, less.
PATIENCE, FIRST_PATIENCE = 60.0, 3.0

# Errors of S3's driver that no waiting mends.
NO_CREDENTIALS = ("NoCredentialsError", "PartialCredentialsError", "ParamValidationError")

# Seconds in which a commit may still need a file.
FRESH = 60.0

# Files that are put or fetched between two looks at the size of the cache.
LOOK_EVERY = 50

# Before the worker in the name of a WARC object or a pack: the prefix, and when it was begun.
_BEGUN = re.compile(r"^.*?-\d{14}-")
_WRITER = re.compile(r"(.+)-(\d+)-\d{5,}\.(?:warc\.gz|tags)\b.*")


class StoredObject(NamedTuple):
    """An object, or an upload that has not ended."""

    key: str
    size: int
    modified: float
    upload: str = ""  # the id of the upload


class ContentPlace:
    """A place for objects. Every method is repeated for a while if the place cannot be reached."""

    patience = PATIENCE

    def __init__(self, url: str) -> None:
        """Open a place; nothing is read or written yet. What follows a `?` are options of its driver."""
        address, _, options = url.partition("?")
        if "://" not in address and not Path(address).is_absolute():
            raise ConfigError(
                f"archive.content = {url!r} is a path from wherever a command runs; write a folder from the "
                "root on, or an address such as s3://bucket/prefix"
            )
        try:
            import fsspec
        except ImportError:
            raise ConfigError("archive.content needs fsspec: pip install 'fieldmouse[content]'") from None
        try:
            self.fs, self.root = fsspec.core.url_to_fs(
                address, skip_instance_cache=True, **dict(parse_qsl(options))
            )
        except ImportError as error:
            raise ConfigError(f"archive.content = {url!r}: {error}") from None
        except ValueError as error:
            raise ConfigError(
                f"archive.content = {url!r} is not a place for content ({error}); give a folder, "
                "s3://bucket/prefix, or an address that fsspec knows"
            ) from None
        self.url = address
        self.local = "file" in self.fs.protocol
        self.s3 = hasattr(self.fs, "call_s3")

    def put_new(self, key: str, file: Path) -> None:
        """Write an object that is not there yet. One with the same bytes counts as written: the answer to an
        earlier attempt was lost.
        """
        self._put_new(key, file.read_bytes())

    def _put_new(self, key: str, data: bytes) -> None:
        def put() -> None:
            try:
                if self.local:
                    self._link_new(Path(self._path(key)), data)
                else:
                    self.fs.pipe_file(self._path(key), data, mode="create")
            except FileExistsError:
                if self.fs.cat_file(self._path(key)) != data:
                    raise ArchiveError(
                        f"{self.url}/{key} is there already, with other content; nothing was replaced"
                    ) from None

        self._patiently(put)

    def owner(self) -> str:
        """The id of the archive whose objects these are; empty if no archive has begun to write here."""
        return (self.read(OWNER) or b"").decode().strip()

    def claim(self, archive: str) -> None:
        """Write down whose objects these are. Two archives in one place would sweep each other's away."""
        try:
            if not (found := self.owner()):
                self._put_new(OWNER, f"{archive}\n".encode())
        except FileNotFoundError as error:
            raise ConfigError(
                f"{self.url} cannot be written to ({error}); make the bucket or folder, or correct "
                "archive.content"
            ) from None
        if found not in ("", archive):
            raise UsageError(
                f"{self.url} holds the content of another archive, whose id is {found}; choose another "
                "prefix or folder"
            )

    def put(self, key: str, file: Path) -> None:
        """Write an object, or replace it."""

        def put() -> None:
            if self.local:
                Path(self._path(key)).parent.mkdir(parents=True, exist_ok=True)
            self.fs.pipe_file(self._path(key), file.read_bytes())

        self._patiently(put)

    def read(self, key: str) -> bytes | None:
        """The bytes of an object; None if there is no such object."""
        try:
            return bytes(self._patiently(lambda: self.fs.cat_file(self._path(key))))
        except FileNotFoundError:
            return None

    def fetch(self, key: str, file: Path) -> bool:
        """Copy an object to a file, which appears when it is whole; False if there is no such object."""
        if (data := self.read(key)) is None:
            return False
        draft = file.with_name(f".{file.name}.{secrets.token_hex(4)}{DRAFT}")
        file.parent.mkdir(parents=True, exist_ok=True)
        try:
            with Appender(draft) as target:
                target.append(data)
                target.flush()
            draft.rename(file)
        finally:
            draft.unlink(missing_ok=True)
        return True

    def has(self, key: str) -> bool:
        """Whether there is such an object."""
        return bool(self._patiently(lambda: self.fs.exists(self._path(key))))

    def objects(self, *kinds: str) -> Iterator[StoredObject]:
        """The objects of these kinds."""
        for kind in kinds:

            def listed(kind: str = kind) -> list[dict[str, Any]]:
                return list(self.fs.ls(self._path(kind), detail=True, refresh=True))

            try:
                found = self._patiently(listed)
            except FileNotFoundError:
                continue
            for one in found:
                name = one["name"].rpartition("/")[2]
                if one["type"] == "file" and not name.endswith(DRAFT):
                    yield StoredObject(f"{kind}/{name}", one["size"], _modified(one))

    def unfinished(self) -> Iterator[StoredObject]:
        """Uploads that have not ended."""
        if self.local:
            for kind in KINDS:
                for path in sorted(Path(self._path(kind)).glob(f".*{DRAFT}")):
                    yield StoredObject(f"{kind}/{path.name}", path.stat().st_size, path.stat().st_mtime)
        elif self.s3:
            bucket, _, prefix = self.root.partition("/")
            place = {"Bucket": bucket, "Prefix": f"{prefix}/" if prefix else ""}
            found = self._patiently(lambda: self.fs.call_s3("list_multipart_uploads", **place))
            for one in found.get("Uploads", ()):
                key = one["Key"].removeprefix(place["Prefix"])
                if key.partition("/")[0] in KINDS:
                    yield StoredObject(key, 0, one["Initiated"].timestamp(), one["UploadId"])

    def delete(self, one: StoredObject) -> None:
        """Delete an object, or end an upload."""

        def delete() -> None:
            if one.upload:
                bucket, _, prefix = self.root.partition("/")
                key = f"{prefix}/{one.key}" if prefix else one.key
                self.fs.call_s3("abort_multipart_upload", Bucket=bucket, Key=key, UploadId=one.upload)
                return
            with suppress(FileNotFoundError):
                self.fs.rm_file(self._path(one.key))

        self._patiently(delete)

    def _path(self, key: str) -> str:
        return f"{self.root.rstrip('/')}/{key}"

    def _link_new(self, path: Path, data: bytes) -> None:
        """Put a file into a folder unless the name is taken; a link appears at once and whole."""
        path.parent.mkdir(parents=True, exist_ok=True)
        draft = path.with_name(f".{path.name}.{secrets.token_hex(4)}{DRAFT}")
        try:
            with Appender(draft) as target:
                target.append(data)
                target.sync()
            os.link(draft, path)
        finally:
            draft.unlink(missing_ok=True)
        sync_folder(path.parent)

    def _patiently(self, work: Callable[[], T]) -> T:
        pause, until = 0.2, time.monotonic() + self.patience
        while True:
            try:
                return work()
            except (FileNotFoundError, FileExistsError, ArchiveError):
                raise
            except PermissionError as error:
                raise ArchiveError(f"{self.url} refuses access ({error}); check the credentials") from None
            except Exception as error:
                # Drivers have errors of their own for a network that fails. Those of Python are mistakes.
                kind = type(error)
                if kind.__module__ == "builtins" and not isinstance(error, OSError):
                    raise
                if kind.__name__ in NO_CREDENTIALS:
                    names = (
                        "AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY" if self.s3 else "those of its driver"
                    )
                    raise ArchiveError(f"{self.url} needs credentials ({error}); set {names}") from None
                if time.monotonic() > until:
                    raise ArchiveError(
                        f"{self.url} cannot be reached ({error}); check archive.content and the network"
                    ) from None
                time.sleep(pause)
                pause = min(2 * pause, 5.0)


class SharedContent:
    """The content of one archive that is kept in a place, and in those of its regions."""

    look_every = LOOK_EVERY

    def __init__(self, folder: Path, url: str, cache: int, regions: Mapping[str, str] | None = None) -> None:
        self.folder = folder
        self.place = ContentPlace(url)  # of models, and of workers without a region
        self.regions = {name: ContentPlace(one) for name, one in (regions or {}).items()}
        self.cache = cache
        self._handled = 0

    def home(self, name: str) -> ContentPlace:
        """Where an object of this name is written: the place of the region that its worker belongs to."""
        worker = _BEGUN.sub("", name)
        for region in sorted(self.regions, key=len, reverse=True):
            if worker.startswith(f"{region}-"):
                return self.regions[region]
        return self.place

    def places(self, name: str = "") -> list[ContentPlace]:
        """Every place, the one first where an object of this name should be."""
        home = self.home(name)
        return [home, *(one for one in (self.place, *self.regions.values()) if one is not home)]

    def claim(self, archive: str) -> None:
        """Make sure that all places belong to this archive."""
        for place in self.places():
            place.claim(archive)

    def upload(self, kind: str, name: str) -> None:
        """Write a whole file of ours to its place."""
        self.home(name).put_new(f"{kind}/{name}", self.folder / kind / name)
        self._look()

    def rewrite(self, kind: str, name: str) -> None:
        """Replace an object by our file wherever it is; one that is nowhere is written to its place."""
        key, path = f"{kind}/{name}", self.folder / kind / name
        for place in [one for one in self.places(name) if one.has(key)] or [self.home(name)]:
            place.put(key, path)

    def fetch(self, path: Path) -> bool:
        """Bring a file into the folder of the archive; False if no place has it either."""
        key = f"{path.parent.name}/{path.name}"
        found = any(place.fetch(key, path) for place in self.places(path.name))
        self._look()
        return found

    def objects(self, *kinds: str) -> dict[str, list[tuple[ContentPlace, StoredObject]]]:
        """The objects of these kinds by key, each with the places that have it."""
        found: dict[str, list[tuple[ContentPlace, StoredObject]]] = {}
        for place in self.places():
            for one in place.objects(*kinds):
                found.setdefault(one.key, []).append((place, one))
        return found

    def same(self, path: Path) -> bool:
        """Whether a file of the folder is what its objects are; True if there is no object."""
        key, data = f"{path.parent.name}/{path.name}", path.read_bytes()
        return all(place.read(key) in (data, None) for place in self.places(path.name))

    def _look(self) -> None:
        """Now and then remove the oldest files, if all take too much room."""
        self._handled += 1
        if self._handled % self.look_every:
            return
        files = []
        for kind in KINDS:
            for path in (self.folder / kind).glob("[!.]*"):
                with suppress(FileNotFoundError):
                    status = path.stat()
                    files.append((status.st_mtime, status.st_size, path))
        room = self.cache - sum(size for _, size, _ in files)
        for written, size, path in sorted(files):
            if room >= 0 or time.time() - written < FRESH:
                return
            path.unlink(missing_ok=True)
            room += size

    def pull_models(self) -> None:
        """Download models that another machine trained since the last download."""
        for one in self.place.objects(MODELS):
            path = self.folder / one.key
            if not path.exists() or path.stat().st_mtime < one.modified - 1:
                self.place.fetch(one.key, path)


def shared_content(folder: Path) -> SharedContent | None:
    """The shared content of an archive; None if its content is in its own folder."""
    file = folder / "fieldmouse.toml"
    try:
        changed = file.stat().st_mtime_ns
    except OSError:
        return None
    return _opened(folder, changed, os.getpid())


@lru_cache(16)
def _opened(folder: Path, changed: int, process: int) -> SharedContent | None:  # noqa: ARG001
    """One for each process: connections do not survive a fork."""
    chosen = settings_module.load(folder / "fieldmouse.toml")
    regions, archive = region_contents(chosen), chosen.archive
    if not archive.content:
        return None
    return SharedContent(folder, archive.content, archive.content_cache, regions)


def region_contents(settings: Settings) -> dict[str, str]:
    """The place of each region that has one, from `cluster.content`."""
    found = {}
    for text in settings.cluster.content:
        region, equals, place = text.partition("=")
        if not equals or not region.strip() or not place.strip():
            raise ConfigError(
                f'cluster.content has {text!r}; write a region and its place as "eu=s3://bucket/prefix"'
            )
        found[region.strip()] = place.strip()
    if found and not settings.archive.content:
        raise ConfigError("cluster.content needs archive.content: the place of what belongs to no region")
    return found


def claim(settings: Settings, archive: str) -> None:
    """Take the places of an archive that is being made; an error says at once if one cannot be used."""
    regions = region_contents(settings)
    for url in (settings.archive.content, *regions.values()) if settings.archive.content else ():
        place = ContentPlace(url)
        place.patience = FIRST_PATIENCE
        place.claim(archive)


def written_by(name: str) -> tuple[str, int]:
    """The worker that wrote an object, and its epoch; 0 for one that names no epoch."""
    found = _WRITER.fullmatch(_BEGUN.sub("", name))
    return (found[1], int(found[2])) if found else (name.partition(".")[0], 0)


def fetched(path: Path) -> bool:
    """Whether a content file that is missing in its archive could be fetched from where it is kept."""
    content = shared_content(path.parent.parent)
    return content is not None and content.fetch(path)


def present(path: Path) -> Path:
    """A content file as a whole, for those who read all of it; ArchiveDamaged if it is nowhere."""
    if not path.exists() and not fetched(path):
        raise ArchiveDamaged(f"{path} is missing")
    return path


def publish(model: Path) -> None:
    """Let other machines have a model that was written into the archive."""
    content = shared_content(model.parent.parent)
    if content is not None:
        content.place.put(f"{MODELS}/{model.name}", model)


def _modified(found: dict[str, Any]) -> float:
    when = found.get("LastModified") or found.get("mtime") or found.get("last_modified") or 0.0
    return float(when.timestamp() if hasattr(when, "timestamp") else when)
