-- The inbox: what `serve` writes while another process may hold the archive's lock. It is a database of its own.

CREATE TABLE property (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;

-- Tokens of readers and programs. Only a hash is stored.
CREATE TABLE token (
  id TEXT PRIMARY KEY,              -- the part of the token that may be shown
  name TEXT NOT NULL,               -- who uses it
  roles TEXT NOT NULL,              -- publish, read, administer, separated by blanks
  hash BLOB NOT NULL,               -- SHA-256 of the secret part, which is 32 random bytes
  created REAL NOT NULL,
  used REAL,                        -- to the day; NULL: never
  revoked REAL
) WITHOUT ROWID;

-- Browsers that are signed in to the dashboard.
CREATE TABLE session (
  hash BLOB PRIMARY KEY,            -- SHA-256 of the cookie
  token TEXT NOT NULL,              -- empty: signed in with the link that `serve` printed
  expires REAL NOT NULL
) WITHOUT ROWID;

-- What readers sent, in the order received. Taken into the archive, an item keeps only what recognises a repetition.

CREATE TABLE item (
  seq INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  kind TEXT NOT NULL,               -- page, visits, erase
  user TEXT NOT NULL,               -- salted hash of who sent it
  key TEXT NOT NULL,                -- the sender's name for it; the same key is the same item
  digest BLOB NOT NULL,             -- of all that was sent
  received REAL NOT NULL,
  url TEXT NOT NULL,                -- of a page; empty once it is taken
  data TEXT NOT NULL,               -- JSON; empty once it is taken
  body BLOB NOT NULL,               -- the content of a page, zstd; empty once it is taken
  size INTEGER NOT NULL,            -- of data and body as stored here
  content_score INTEGER,            -- 0 to 99 (spam); NULL: not scored
  comment_score INTEGER,            -- 0 to 256 (spam); NULL: not scored
  taken REAL,                       -- when the archive took it in; NULL: pending
  UNIQUE (user, key)
);
CREATE INDEX item_pending ON item (seq) WHERE taken IS NULL;
CREATE INDEX item_pending_user ON item (user, url, received) WHERE taken IS NULL;
CREATE INDEX item_taken ON item (taken) WHERE taken IS NOT NULL;

-- Pending items and bytes, kept by triggers: every submission needs them.
CREATE TABLE backlog (items INTEGER NOT NULL, bytes INTEGER NOT NULL);
INSERT INTO backlog VALUES (0, 0);
CREATE TRIGGER item_added AFTER INSERT ON item BEGIN
  UPDATE backlog SET items = items + 1, bytes = bytes + new.size;
END;
CREATE TRIGGER item_done AFTER UPDATE OF taken ON item WHEN old.taken IS NULL AND new.taken IS NOT NULL BEGIN
  UPDATE backlog SET items = items - 1, bytes = bytes - old.size;
END;
CREATE TRIGGER item_dropped AFTER DELETE ON item WHEN old.taken IS NULL BEGIN
  UPDATE backlog SET items = items - 1, bytes = bytes - old.size;
END;
