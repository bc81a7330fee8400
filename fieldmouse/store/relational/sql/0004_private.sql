-- What may leave the archive, runs of the program, and room for the views that people query (`views_*.sql`).

ALTER TABLE page ADD COLUMN private INTEGER NOT NULL DEFAULT 0;    -- 1: its newest content is private
ALTER TABLE version ADD COLUMN private INTEGER NOT NULL DEFAULT 0; -- 1: it never leaves the archive
CREATE INDEX version_private ON version (page) WHERE private <> 0;

-- The one place that says what may leave the archive: every export, feed and search reads these views.
CREATE VIEW public_page AS SELECT * FROM page WHERE private = 0;
CREATE VIEW public_version AS
SELECT v.* FROM version AS v JOIN page AS p ON p.id = v.page WHERE v.private = 0 AND p.private = 0;
-- The record of a visit repeats the content of a version, or refers to it.
CREATE VIEW public_visit AS
SELECT v.* FROM visit AS v JOIN page AS p ON p.id = v.page
WHERE p.private = 0 AND NOT EXISTS (
  SELECT 1 FROM version AS n WHERE n.page = v.page AND n.private <> 0 AND n.digest = v.digest);

-- Crawls, refreshes and imports. Until the end, the counts are the running totals at the beginning.
CREATE TABLE run (
  id INTEGER PRIMARY KEY,
  kind TEXT NOT NULL,               -- crawl, refresh, run, import
  began REAL NOT NULL,
  ended REAL,                       -- NULL: it runs, or was interrupted
  result TEXT NOT NULL,             -- running, interrupted, or how it ended
  visits INTEGER NOT NULL,
  pages INTEGER NOT NULL,           -- stored for the first time
  changes INTEGER NOT NULL,
  failures INTEGER NOT NULL,
  bytes INTEGER NOT NULL
);

CREATE INDEX judgement_page ON judgement (page);

DROP VIEW changes;                  -- now in views_pages.sql
