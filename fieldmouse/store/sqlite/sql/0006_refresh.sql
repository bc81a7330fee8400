-- What refreshing learned to ask for: how sure a rate is, and how good forecasts of changes were.

ALTER TABLE page ADD COLUMN shape REAL;  -- of the Gamma distribution of its rate; NULL: nobody said

-- By day and host: visits that could tell, the changes expected of them, those seen, and the variance expected.
CREATE TABLE forecast (
  day INTEGER NOT NULL, host TEXT NOT NULL, visits INTEGER NOT NULL, expected REAL NOT NULL,
  seen INTEGER NOT NULL, variance REAL NOT NULL, PRIMARY KEY (day, host)
) WITHOUT ROWID;

-- What sites say of their pages: a sitemap or a feed announced a change after our last visit. Gone with the
-- next visit that can tell whether it was true.
CREATE TABLE announcement (
  page INTEGER PRIMARY KEY, source TEXT NOT NULL, heard REAL NOT NULL, modified REAL NOT NULL,
  believed INTEGER NOT NULL          -- 1 if the page was made due for it
);

-- How often announcements agreed with the digest of the text, as `validator` has it for validators.
CREATE TABLE announcer (
  host TEXT NOT NULL, source TEXT NOT NULL, agreed INTEGER NOT NULL, misled INTEGER NOT NULL,
  PRIMARY KEY (host, source)
) WITHOUT ROWID;

-- Feeds that pages name.
CREATE TABLE feed (host INTEGER NOT NULL, url TEXT NOT NULL, PRIMARY KEY (host, url)) WITHOUT ROWID;
