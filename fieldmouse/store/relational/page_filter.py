"""Which pages an export, a search or a list is about: the conditions of a filter, from named queries.

A feature with something new to filter by adds a field to `PageFilter`, a query `where_FIELD` and a line here.
"""

from dataclasses import fields
from typing import Any

from fieldmouse.store.page_records import PageFilter

from .database import Database

# Fields that are one more condition if they are set.
CONDITIONS = {
    "host": "where_host",
    "domain": "where_domain",
    "language": "where_language",
    "topic": "where_topic",
    "in_class": "where_in_class",
    "since": "where_since",
    "changed_since": "where_changed_since",
    "changed_before": "where_changed_before",
}


def filtered(db: Database, query: str, where: PageFilter, more: str = "TRUE") -> tuple[str, dict[str, Any]]:
    """A query by its name or its text, with the conditions of a filter, and its values.

    What may not leave the archive is left out here, and only here, unless the filter includes it.
    """
    conditions = [
        *([] if where.everything else ["where_stored"]),
        # What leaves out most comes first: SQLite looks up other tables in this order.
        *(condition for name, condition in CONDITIONS.items() if getattr(where, name)),
        *([] if where.copies else ["where_original"]),
        *([] if where.spam else ["where_no_spam"]),
    ]
    text = " AND ".join([more, *(f"({db.queries[name]})" for name in conditions)])
    public = "" if where.private else "public_"
    values = {one.name: getattr(where, one.name) for one in fields(where)}
    sql = db.queries.get(query, query)
    return sql.format(pages=f"{public}page", visits=f"{public}visit", filter=text), values
