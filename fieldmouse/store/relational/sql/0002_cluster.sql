-- Regions, where workers are placed, the home region of each host, fetches that workers reserved, and lessons.

ALTER TABLE worker ADD COLUMN region TEXT NOT NULL DEFAULT '';
ALTER TABLE worker ADD COLUMN slot TEXT NOT NULL DEFAULT '';  -- of `cluster start`; empty: started by hand

-- How many workers `cluster start` should keep, and when it last did so.
CREATE TABLE placement (
  region TEXT PRIMARY KEY, workers INTEGER NOT NULL, placer TEXT NOT NULL, seen REAL NOT NULL
) WITHOUT ROWID;

-- A region is up while its workers give signs of life. The hosts of a lost one are visited by the others.
CREATE TABLE region (
  name TEXT PRIMARY KEY,
  state TEXT NOT NULL,              -- up, lost
  epoch INTEGER NOT NULL,           -- grows with each change of state
  since REAL NOT NULL
) WITHOUT ROWID;

-- The region that visits a host.
CREATE TABLE host_home (
  host INTEGER PRIMARY KEY,
  region TEXT NOT NULL,
  domain TEXT NOT NULL,             -- registrable domain of the host
  epoch INTEGER NOT NULL,           -- grows with each move
  since REAL NOT NULL,
  reason TEXT NOT NULL
);
CREATE INDEX host_home_region ON host_home (region);
CREATE INDEX host_home_domain ON host_home (domain, region);

-- Seconds to connect to a host from a region: the least of its measurements.
CREATE TABLE connect_time (
  host INTEGER NOT NULL, region TEXT NOT NULL, seconds REAL NOT NULL, measured INTEGER NOT NULL,
  PRIMARY KEY (host, region)
) WITHOUT ROWID;

-- Moves of hosts, regions that were lost and came back; host 0 stands for all hosts of a region.
CREATE TABLE region_decision (
  id INTEGER PRIMARY KEY,
  time REAL NOT NULL,
  host INTEGER NOT NULL,
  before TEXT NOT NULL,
  region TEXT NOT NULL,
  reason TEXT NOT NULL
);

-- Fetches of the daily budget that a worker may still make.
CREATE TABLE reservation (
  worker TEXT PRIMARY KEY, pages INTEGER NOT NULL, expires_at REAL NOT NULL
) WITHOUT ROWID;

-- What a worker of a focused crawl learned from a page, for the other workers; kept for some minutes.
CREATE TABLE lesson (
  id INTEGER PRIMARY KEY, topic TEXT NOT NULL, worker TEXT NOT NULL, time REAL NOT NULL, data BLOB NOT NULL
);
CREATE INDEX lesson_time ON lesson (time);
