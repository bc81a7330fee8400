-- What readers sent: submissions, the versions they brought, and visits.

ALTER TABLE version ADD COLUMN origin TEXT NOT NULL DEFAULT 'crawler'; -- or reader: it is what a browser showed
ALTER TABLE page ADD COLUMN sent INTEGER NOT NULL DEFAULT 0;           -- versions that readers sent

-- Pages that readers sent. Written in the same transaction as the version, so nothing is taken in twice.
CREATE TABLE submission (
  id TEXT PRIMARY KEY,
  url TEXT NOT NULL,
  user TEXT NOT NULL,               -- salted hash
  received REAL NOT NULL,
  taken REAL NOT NULL,              -- when it left the inbox
  state TEXT NOT NULL,              -- stored, unchanged, address, refused, spam
  reason TEXT NOT NULL,
  private INTEGER NOT NULL,
  tags TEXT NOT NULL,               -- JSON list
  comment TEXT NOT NULL,
  version INTEGER,                  -- the content it brought, or that was there already
  content_score INTEGER,            -- 0 to 99 (spam); NULL: not scored
  comment_score INTEGER             -- 0 to 256 (spam); NULL: not scored
) WITHOUT ROWID;
CREATE INDEX submission_user ON submission (user, received);
CREATE INDEX submission_url ON submission (url, received);
CREATE INDEX submission_version ON submission (version) WHERE version IS NOT NULL;
CREATE INDEX submission_received ON submission (received);

-- Visits of readers, also to pages that are not in the archive.
CREATE TABLE reader (id INTEGER PRIMARY KEY, user TEXT NOT NULL UNIQUE); -- salted hash
CREATE TABLE visited_url (id INTEGER PRIMARY KEY, url TEXT NOT NULL UNIQUE);
CREATE TABLE reader_visit (
  url INTEGER NOT NULL, time REAL NOT NULL, reader INTEGER NOT NULL, PRIMARY KEY (url, time, reader)
) WITHOUT ROWID;
CREATE INDEX reader_visit_time ON reader_visit (time);
CREATE INDEX reader_visit_reader ON reader_visit (reader);

-- Records of erased versions that are still to be overwritten in their files.
CREATE TABLE erased_record (
  file INTEGER NOT NULL, "offset" INTEGER NOT NULL, length INTEGER NOT NULL, PRIMARY KEY (file, "offset")
) WITHOUT ROWID;
