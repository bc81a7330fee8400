-- The inbox: what `serve` writes while another process may hold the archive's lock. It is a database of its own.

CREATE TABLE fact (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;

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
