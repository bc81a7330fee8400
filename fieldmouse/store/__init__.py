"""The state of an archive: hosts, pages, visits, schedules, verdicts. The only room with SQL."""
