-- Objects of shared content that are to be deleted, or were: no commit may point to one of them any more.
CREATE TABLE deletion (
  key TEXT PRIMARY KEY,             -- for instance warc/fieldmouse-20260101000000-w0-1-00000.warc.gz
  due REAL NOT NULL,                -- not before this time
  deleted REAL                      -- when that was done
) WITHOUT ROWID;
CREATE INDEX deletion_due ON deletion (deleted, due);
