-- What the dashboard shows without counting rows: counts by hour and by host, and snapshots of costly figures.

-- What visits brought, by hour since the epoch. Imported captures are not counted.
CREATE TABLE hourly (
  hour INTEGER NOT NULL,
  what TEXT NOT NULL,               -- new, changed, unchanged, 304, noise, redirect, bytes; or a kind of failure
  count INTEGER NOT NULL,
  PRIMARY KEY (hour, what)
) WITHOUT ROWID;

CREATE TABLE host_tally (
  host INTEGER PRIMARY KEY,
  pages INTEGER NOT NULL,           -- requested URLs
  stored INTEGER NOT NULL,          -- of these, those with content
  visits INTEGER NOT NULL,
  changes INTEGER NOT NULL,
  failures INTEGER NOT NULL,
  not_modified INTEGER NOT NULL,    -- visits answered with 304
  bytes INTEGER NOT NULL,           -- transferred
  last_visit REAL NOT NULL,
  failing REAL,                     -- since when no visit brought an answer of use; NULL: the last one did
  trouble TEXT NOT NULL             -- of the last visit; empty if it brought an answer of use
);
CREATE INDEX host_tally_pages ON host_tally (stored, host);
CREATE INDEX host_tally_changes ON host_tally (changes, host);
CREATE INDEX host_tally_failing ON host_tally (failing) WHERE failing IS NOT NULL;

CREATE INDEX host_refused ON host (id) WHERE state IN ('parked', 'redirect_spam');

-- Changes by time.
CREATE INDEX visit_changed ON visit (time) WHERE changed;

-- Figures that need a look at every page; one row an hour, and the newest of the hour is kept.
CREATE TABLE snapshot (
  hour INTEGER PRIMARY KEY,
  time REAL NOT NULL,
  took REAL NOT NULL,               -- seconds
  pages INTEGER NOT NULL,           -- that are kept fresh
  estimated REAL, low REAL, high REAL,
  audited INTEGER NOT NULL, measured REAL, measured_low REAL, measured_high REAL,
  age_days REAL,
  stored INTEGER NOT NULL,
  cleaned INTEGER NOT NULL,         -- pages in which templates and copies were looked for
  copies INTEGER NOT NULL,
  topic TEXT NOT NULL,              -- the topic of the next figures, or empty
  judged INTEGER NOT NULL, relevant INTEGER NOT NULL, undecided INTEGER NOT NULL,
  overdue INTEGER NOT NULL,
  hosts INTEGER NOT NULL, parked INTEGER NOT NULL, redirect_spam INTEGER NOT NULL,
  budget REAL NOT NULL,             -- fetches a day
  disk_bytes INTEGER NOT NULL
);

INSERT INTO host_tally
SELECT p.host, count(*), sum(p.version IS NOT NULL), sum(p.visits), 0, 0, 0, 0, max(p.last_visit), NULL, ''
FROM page AS p GROUP BY p.host;
UPDATE host_tally SET (changes, failures, not_modified, bytes) = (
  SELECT coalesce(sum(v.changed), 0), coalesce(sum(v.status >= 400 OR v.trouble <> ''), 0),
         coalesce(sum(v.status = 304), 0), coalesce(sum(v.size), 0)
  FROM page AS p JOIN visit AS v ON v.page = p.id WHERE p.host = host_tally.host);
