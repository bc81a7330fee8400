"""Who crawls, refreshes or imports: one process at a time, on all machines, beside workers that join it.

The lock of the folder sees to that where all processes use one folder. On a server, machines may have folders
of their own: two processes whose workers have the same names would share leases, and visit an address at
the same time.
"""

import time

from fieldmouse.errors import ArchiveBusy
from fieldmouse.files.append_only import BRIEF, BRIEF_SECONDS, this_process

from .database import Database

# What is owned, and the property with who did so last.
MAIN, HOLDER = "main process of the archive", "main process"

# A process that was killed owns it until the server has seen that.
KILLED_SECONDS = 3.0


def own_archive(db: Database, now: float, *, brief: bool = False) -> None:
    """Be the one main process, or raise ArchiveBusy naming the other; wait for one that is it briefly."""
    began = time.monotonic()
    while not db.own(MAIN):
        holder, waited = db.get_property(HOLDER), time.monotonic() - began
        if waited > BRIEF_SECONDS:
            raise ArchiveBusy(f"{db.where} is {BRIEF}; try again in a minute")
        if waited > KILLED_SECONDS and (brief or not holder.endswith(BRIEF)):
            raise ArchiveBusy(
                f"{db.where} is in use by {holder or 'another process'}; wait for it to end, or stop it, or "
                "join it with `fieldmouse worker`"
            )
        time.sleep(0.05)
    if db.interruptible:
        with db.transaction(exclusive=False):
            db.set_property(HOLDER, this_process(now, brief=brief))
