"""Delete objects of shared content that nobody needs: replaced ones, orphans, and unfinished uploads.

A worker writes its objects first and the rows that point to them after that, so one that dies in between
leaves objects that nothing points to. They are recognised by their age. Each is given for deletion in the
database before it is deleted: a worker that wakes up later and wants to commit it has to write it again.
"""

from dataclasses import dataclass, field

from fieldmouse.errors import UsageError
from fieldmouse.files.shared_content import KINDS, shared_content
from fieldmouse.store.contract import Store


@dataclass(frozen=True, slots=True)
class Swept:
    """What was deleted."""

    replaced: list[str] = field(default_factory=list)  # objects that others took the place of
    orphans: list[str] = field(default_factory=list)  # objects that no row points to
    unfinished: list[str] = field(default_factory=list)  # uploads that were not ended
    kept: int = 0  # objects that count, or are younger than the grace time
    bytes: int = 0  # of what was deleted


def sweep(store: Store, now: float, grace: float, *, dry_run: bool = False) -> Swept:
    """Delete what nobody needs and is older than the grace time, in seconds."""
    content = shared_content(store.folder)
    if content is None:
        raise UsageError("the content of this archive is in its own folder: there is nothing to sweep")
    objects, before = store.content_objects, now - grace
    counted, there = objects.sizes(), content.objects(*KINDS)
    old = {key for key, found in there.items() if all(one.modified < before for _, one in found)}
    unknown = old - counted.keys()
    unfinished = [
        (place, one) for place in content.places() for one in place.unfinished() if one.modified < before
    ]
    due = objects.due(now)
    replaced = [key for key in due if key in there]
    found = unknown if dry_run else set(objects.discard(unknown, now))
    orphans = sorted(found - set(replaced))
    gone = [one for key in (*replaced, *orphans) for one in there[key]]
    if not dry_run:
        for place, one in gone:
            place.delete(one)
        objects.deleted([*due, *orphans], now)
        for place, one in unfinished:
            place.delete(one)
    return Swept(
        replaced, orphans, [one.key for _, one in unfinished], kept=len(there) - len(replaced) - len(orphans),
        bytes=sum(one.size for _, one in (*gone, *unfinished)),
    )  # fmt: skip
