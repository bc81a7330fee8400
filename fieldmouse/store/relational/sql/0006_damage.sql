-- Records that cannot be read and were set aside by `check --repair` or `rebuild`.

CREATE TABLE damage (
  file INTEGER NOT NULL,
  "offset" INTEGER NOT NULL,
  length INTEGER NOT NULL,
  time REAL NOT NULL,               -- when it was found
  reason TEXT NOT NULL,
  copy TEXT NOT NULL,               -- the file with its bytes, relative to the archive; empty: there are none
  PRIMARY KEY (file, "offset")
) WITHOUT ROWID;

ALTER TABLE version ADD COLUMN damaged TEXT NOT NULL DEFAULT ''; -- why its record cannot be read, or empty
