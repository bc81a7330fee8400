-- When a person paused a host: it is not visited until somebody resumes it. NULL: it is not paused.
ALTER TABLE host ADD COLUMN paused_at REAL;
CREATE INDEX host_paused ON host (id) WHERE paused_at IS NOT NULL;

-- Single changes that a reader has seen, after the time until which all are seen.
CREATE TABLE seen_change (
  reader TEXT NOT NULL, page INTEGER NOT NULL, time REAL NOT NULL, -- of the visit
  PRIMARY KEY (reader, page, time)
) WITHOUT ROWID;
