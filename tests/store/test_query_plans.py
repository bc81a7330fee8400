"""No query that runs for each page or host reads a whole table: all plans are looked at."""

import re
import sqlite3

import pytest

from fieldmouse.store.sqlite.sqlite_database import SqliteDatabase, queries

# Queries that read a table from end to end, and why they may. Small: a row for each host that is leased now,
# each file, run, guide or decision, for what waits and is soon gone, or for each host that is not visited.
WHOLE = {
    "small table": """
        drain_workers end_slot forget_ip_rests forget_workers joined_idle live_workers workers
        candidates_in_region home_counts homeless_hosts keep_placements leave_placements placements
        region_decisions regions reserved silent_regions
        unmerged_links any_unmerged_link
        candidates close_warcs damage drop_late_controls due_controls end_runs erased_records
        expired_lease files hosts_in_flight expired_leases idle_workers ip_holder leases_of left_leases
        newest_guide newest_snapshot redirect_farms
        count_uncleaned open_file parking paused_hosts renew all_domain_dns table_columns
        count_overdue tallies waiting_deliveries waiting_hosts
    """,
    "once when a crawl or daemon starts": """
        bound_rest count_set_aside forget_entry_scores forget_site_scores homes lost_at_most reopen_hosts
        retry_all_robots revisit_complete revisit_pages scored_hosts seed_hosts set_aside turned_away
    """,
    "once for each period of the schedule": """
        audits decision_chances forecast_pages forecast_pages_count skipped_pages visited_pages
        scheduled_copies_count scheduled_count visit_outcomes
    """,
    "once for a command that reports, exports or repairs": """
        class_names clean_troubles copy_counts count_cleaned crossing deferred_count
        drop_visited_entries groups harvests host_links host_states
        label_lists linking_hosts queue_state rebuilt_hosts records
        redirecting_domains spam_domains status_counts tagged_versions template_figures templated_hosts
        turned_away_counts visit_records visit_totals waiting_count
    """,
    "once for `cluster status`": "home_links link_bytes",
    "on a server only, which has an index for it": "linked_homes",
    "once a minute for a worker of a region": "nearer_regions unmeasured_hosts",
    "once for each WARC file that is packed": "hosts_in_file",
    "once for a page or reader that is erased on request": """
        count_reader_visits drop_readers drop_unvisited_urls erase_bands erase_page_answers erase_page_labels
        erase_page_seen erase_reader_visits erase_url_home forgotten_pages visits_of_reader
    """,
}  # fmt: skip
ALLOWED = {name: why for why, names in WHOLE.items() for name in names.split()}

# Parts of queries; what has a filter is put together with them elsewhere.
PARTS = re.compile(r"where_\w+")

_NO_TABLE = re.compile(r"VIRTUAL TABLE|CONSTANT ROW|SCAN \(?subquery|json_each|\bSCAN \d")


def whole_scans(db, sql):
    """What a query reads from end to end."""
    names = re.findall(r":(\w+)", sql)
    values = dict.fromkeys(names, 1) if names else (1,) * sql.count("?")
    plan = [row[3] for row in db.execute(f"EXPLAIN QUERY PLAN {sql.rstrip(';')}", values)]
    queries_within = {step.split()[1] for step in plan if step.startswith(("CO-ROUTINE", "MATERIALIZE"))}
    return [
        step
        for step in plan
        if step.startswith("SCAN") and not _NO_TABLE.search(step) and step.split()[1] not in queries_within
    ]


@pytest.fixture(name="db")
def empty_database(tmp_path):
    database = SqliteDatabase(tmp_path / "archive.db")
    yield database.db
    database.close()


def test_only_named_queries_read_whole_tables(db):
    found = {
        name: scans
        for name, sql in queries().items()
        if not PARTS.fullmatch(name) and "{filter}" not in sql and (scans := whole_scans(db, sql))
    }
    unknown = {name: scans for name, scans in found.items() if name not in ALLOWED}
    assert unknown == {}, "give it an index or a term that its index needs, or a reason in WHOLE"
    assert sorted(set(ALLOWED) - set(found)) == [], "these read no whole table: take them off the list"


def test_the_test_sees_a_scan(db):
    with_term = queries()["fingerprints_naming"]
    assert whole_scans(db, with_term) == []
    assert whole_scans(db, with_term.replace("AND k.canonical <> ''", "")) == ["SCAN k"]
    within = "SELECT url FROM (SELECT url FROM skip {} LIMIT 9) AS s"
    assert whole_scans(db, within.format("WHERE host = 1")) == []
    assert whole_scans(db, within.format("")) == ["SCAN skip"]
    with pytest.raises(sqlite3.OperationalError):
        whole_scans(db, "SELECT nothing FROM nowhere")
