-- What the schedule decided by the visits of readers.

CREATE TABLE behaviour_decision (
  page INTEGER NOT NULL,
  time REAL NOT NULL,
  mode TEXT NOT NULL,               -- veto, index
  action TEXT NOT NULL,             -- passed, skipped, explored, forced, forward, back
  probability REAL NOT NULL,        -- of a change since the last fetch
  expected REAL NOT NULL,           -- changes, by the forecast alone
  chance REAL NOT NULL,             -- of a fetch at this decision
  gap REAL NOT NULL,                -- seconds since the last fetch, at the first of the skips in a row
  skips INTEGER NOT NULL,           -- in a row
  until REAL NOT NULL,              -- when it may be proposed again
  PRIMARY KEY (page, time)
) WITHOUT ROWID;
CREATE INDEX behaviour_decision_time ON behaviour_decision (time);
