"""A CDXJ index beside every WARC file, so that a player such as pywb can be pointed at the folder.

The indexes are made from the database when a run ends, each only if its WARC file has grown since; they can
be thrown away at any time.
"""

from collections.abc import Iterator
from pathlib import Path

from fieldmouse.files import cdxj
from fieldmouse.types import Place

from .database import Database

FOLDER = "cdxj"


def captures(db: Database, file: int = 0) -> Iterator[cdxj.Capture]:
    """Every answer in one WARC file (by its id) or in all."""
    for url, time, status, mime, digest, revisit, *where in db.rows("captures", file=file):
        yield cdxj.Capture(
            url=url,
            time=time,
            status=status,
            mime=mime,
            digest=digest,
            place=Place(*where),
            revisit=bool(revisit),
        )


def write_indexes(db: Database, folder: Path) -> list[str]:
    """Write the indexes of WARC files that have none or have grown; their names."""
    written = []
    (folder / FOLDER).mkdir(exist_ok=True)
    for id_, name, kind, _, size, _ in list(db.rows("files")):
        target = folder / FOLDER / f"{name.removesuffix('.warc.gz')}.cdxj"
        row = db.one("fact", name=f"index of {name}")
        if kind != "warc" or (row is not None and int(row[0]) == size and target.exists()):
            continue
        cdxj.write(target, cdxj.ordered(captures(db, id_), target.parent))
        with db.transaction():
            db.run("set_fact", name=f"index of {name}", value=str(size))
        written.append(target.name)
    return written
