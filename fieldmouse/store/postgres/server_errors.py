"""What to do about errors of the server that do not pass by themselves."""

import psycopg

ADVICE = {
    psycopg.errors.UndefinedTable: "restore the database from a backup",
    psycopg.errors.InsufficientPrivilege: "connect as the database's owner, or give this role its rights",
    psycopg.errors.ReadOnlySqlTransaction: "name the primary server in archive.store",
}


def with_advice(error: psycopg.Error, text: str) -> str:
    """The text of an error, and what to do if that is known."""
    return "; ".join([text, *(advice for kind, advice in ADVICE.items() if isinstance(error, kind))])
