"""All errors that Fieldmouse raises, as one tree; each has an exit code and says what to do next.

FieldmouseError
├── UsageError          4   wrong arguments of a command
├── ConfigError         4   fieldmouse.toml, an environment variable or an option is wrong
├── ArchiveError        1   an operation on the archive failed
│   ├── NoArchive       4   there is no archive in that folder
│   ├── ArchiveBusy     5   another process is writing to it
│   ├── ArchiveDamaged  6   the database or a file cannot be read
│   │   └── VersionErased  6   a version was erased on request while it was read
│   ├── ArchiveTooNew   7   a newer release wrote it
│   └── DiskFull        3   nothing was lost; make room and continue
├── ImportFailed        8   a file to import cannot be read
└── ExecutorLost        1   the processes or the Dask cluster of a job are gone

Failures of web servers are data, not exceptions: `types.Failure`.
"""


class FieldmouseError(Exception):
    """Base class of all Fieldmouse errors."""

    exit_code = 1


class UsageError(FieldmouseError):
    """Wrong arguments of a command."""

    exit_code = 4


class ConfigError(FieldmouseError):
    """A setting is unknown, of the wrong type or out of range."""

    exit_code = 4


class ArchiveError(FieldmouseError):
    """An operation on the archive failed."""


class NoArchive(ArchiveError):
    """There is no archive in that folder."""

    exit_code = 4


class ArchiveBusy(ArchiveError):
    """Another process is writing to the archive."""

    exit_code = 5


class ArchiveDamaged(ArchiveError):
    """The database or a file of the archive cannot be read."""

    exit_code = 6


class VersionErased(ArchiveDamaged):
    """A version was erased on request while it was read."""


class ArchiveTooNew(ArchiveError):
    """The archive was written by a newer release of Fieldmouse."""

    exit_code = 7


class DiskFull(ArchiveError):
    """The disk is full, or less than `archive.min_free` is free; committed data is safe."""

    exit_code = 3


class ImportFailed(FieldmouseError):
    """A file to import cannot be read."""

    exit_code = 8


class ExecutorLost(FieldmouseError):
    """The processes or the Dask cluster of a job are gone; what was written is whole."""
