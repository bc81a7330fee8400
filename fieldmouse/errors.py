"""Our own mistakes and our user's, as one tree; each says what to do next and knows its exit code.

FieldmouseError
├── UsageError          4   a command that makes no sense as given
├── ConfigError         4   fieldmouse.toml, an environment variable or an option is wrong
├── ArchiveError        1   the archive cannot do what was asked
│   ├── NoArchive       4   there is no archive in that folder
│   ├── ArchiveBusy     5   another process writes to it
│   ├── ArchiveDamaged  6   the database or a file of it cannot be read
│   ├── ArchiveTooNew   7   a newer release wrote it
│   └── DiskFull        3   nothing was lost; make room and go on
└── ImportFailed        8   a file that was to be imported cannot be read

What the Web does wrong is not here: that is data (`types.Failure`).
"""


class FieldmouseError(Exception):
    """Root of everything Fieldmouse raises on purpose."""

    exit_code = 1


class UsageError(FieldmouseError):
    """A command that makes no sense as given."""

    exit_code = 4


class ConfigError(FieldmouseError):
    """A setting is unknown, of the wrong type or out of range."""

    exit_code = 4


class ArchiveError(FieldmouseError):
    """The archive cannot do what was asked."""


class NoArchive(ArchiveError):
    """There is no archive in that folder."""

    exit_code = 4


class ArchiveBusy(ArchiveError):
    """Another process is writing to the archive."""

    exit_code = 5


class ArchiveDamaged(ArchiveError):
    """The database or a file of the archive cannot be read."""

    exit_code = 6


class ArchiveTooNew(ArchiveError):
    """A newer release of Fieldmouse wrote this archive."""

    exit_code = 7


class DiskFull(ArchiveError):
    """The disk is full; what was committed before is safe."""

    exit_code = 3


class ImportFailed(FieldmouseError):
    """A file that was to be imported cannot be read."""

    exit_code = 8
