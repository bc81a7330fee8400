-- What refreshing needs: when each page is due, who said so and why, what each host changes all the time,
-- how far its validators can be trusted, and how much of the budget was spent.

ALTER TABLE page ADD COLUMN due REAL;                          -- when to look again; NULL: never
ALTER TABLE page ADD COLUMN rate REAL;                         -- changes a day, as believed now
ALTER TABLE page ADD COLUMN weight REAL NOT NULL DEFAULT 1.0;  -- worth of its freshness to the user
ALTER TABLE page ADD COLUMN misses INTEGER NOT NULL DEFAULT 0; -- visits in a row that found no content
CREATE INDEX page_due ON page (due) WHERE due IS NOT NULL;

-- The Change Predictions of Barbosa et al.: one row for each time a page's schedule was decided.
CREATE TABLE prediction (
  page INTEGER NOT NULL, time REAL NOT NULL, predictor TEXT NOT NULL, "group" INTEGER NOT NULL,
  rate REAL NOT NULL, due REAL, reasons TEXT NOT NULL,
  PRIMARY KEY (page, time)
) WITHOUT ROWID;

-- The Change History of Barbosa et al. under its own name: every visit that could tell.
CREATE VIEW change_history AS
SELECT p.url, v.time, v.changed, v.gap, v.known_by FROM visit AS v JOIN page AS p ON p.id = v.page
WHERE v.known_by IN ('first', 'digest', '304');

CREATE VIEW change_predictions AS
SELECT p.url, r.time, r.predictor, r."group", r.rate, r.due, r.reasons
FROM prediction AS r JOIN page AS p ON p.id = r.page;

CREATE TABLE host_noise (host TEXT PRIMARY KEY, data TEXT NOT NULL) WITHOUT ROWID;

-- How often a host's validators agreed with the digest of the text.
CREATE TABLE validator (
  host TEXT PRIMARY KEY, agreed INTEGER NOT NULL, misled INTEGER NOT NULL, saved_bytes INTEGER NOT NULL
) WITHOUT ROWID;

-- Fetches by quarter of an hour, so that a restart knows what is left of the day's budget.
CREATE TABLE spend (slot INTEGER PRIMARY KEY, refresh INTEGER NOT NULL, discovery INTEGER NOT NULL);

-- Visits to a small random sample, made to measure freshness and for nothing else.
CREATE TABLE audit (page INTEGER NOT NULL, time REAL NOT NULL, fresh INTEGER NOT NULL, expected REAL NOT NULL,
  PRIMARY KEY (page, time)) WITHOUT ROWID;
