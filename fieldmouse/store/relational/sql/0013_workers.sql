-- Workers that joined from anywhere, and IP addresses that one of them has just visited.

CREATE TABLE worker (
  name TEXT PRIMARY KEY,
  machine TEXT NOT NULL,
  pid INTEGER NOT NULL,
  started REAL NOT NULL,
  seen REAL NOT NULL,               -- its last sign of life
  state TEXT NOT NULL,              -- running, draining, ended
  visits INTEGER NOT NULL,
  stored INTEGER NOT NULL,
  failures INTEGER NOT NULL
) WITHOUT ROWID;

-- When another worker may visit an IP address: the delay goes on when its hosts go to somebody else.
CREATE TABLE ip_rest (ip TEXT PRIMARY KEY, worker TEXT NOT NULL, ready_at REAL NOT NULL) WITHOUT ROWID;
