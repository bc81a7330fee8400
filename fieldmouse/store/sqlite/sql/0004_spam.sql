-- What spares a crawl parked names and redirect farms: where names lead, what their home pages look like,
-- who was turned away because of what, and every way in which a page sends its reader on.

-- Where a registrable domain leads, asked once and believed until it expires. Lists are parted by blanks.
CREATE TABLE root (
  domain TEXT PRIMARY KEY,
  time REAL NOT NULL,
  expires REAL NOT NULL,
  name_servers TEXT NOT NULL,
  addresses TEXT NOT NULL,
  aliases TEXT NOT NULL,
  look_until REAL NOT NULL          -- until then it is visited whatever the list says
) WITHOUT ROWID;

-- The home page of a domain as the parking judge sees it; shape is NULL while nobody has read it.
CREATE TABLE home (
  domain TEXT PRIMARY KEY,
  url TEXT NOT NULL,
  version INTEGER,                  -- whose content was read; NULL: it only sends elsewhere
  moved_to TEXT NOT NULL,           -- where a redirect in the header sends
  time REAL NOT NULL,
  shape BLOB,                       -- packed with zlib
  score REAL NOT NULL,
  cues TEXT NOT NULL,               -- a line each
  empty INTEGER NOT NULL,
  words INTEGER NOT NULL,
  target TEXT NOT NULL
) WITHOUT ROWID;

-- Entries of the parking list that were found here or set by hand; those that come with the program are not here.
CREATE TABLE parking (
  kind TEXT NOT NULL, value TEXT NOT NULL, state TEXT NOT NULL, source TEXT NOT NULL,
  score REAL NOT NULL, why TEXT NOT NULL, checked REAL NOT NULL,
  PRIMARY KEY (kind, value)
) WITHOUT ROWID;

-- Hosts that were not visited, with the entry that is to blame.
CREATE TABLE turned_away (
  host INTEGER PRIMARY KEY, domain TEXT NOT NULL, kind TEXT NOT NULL, value TEXT NOT NULL, time REAL NOT NULL
);
CREATE INDEX turned_away_entry ON turned_away (kind, value);

-- Pages that send their reader on. The domains are registrable ones, and empty within one domain.
CREATE TABLE redirect (
  id INTEGER PRIMARY KEY,
  source TEXT NOT NULL,
  target TEXT NOT NULL,
  kind TEXT NOT NULL,               -- http, header, meta, script, frame
  delay REAL NOT NULL,
  certain INTEGER NOT NULL,         -- 0: a script asks something first
  time REAL NOT NULL,               -- when it was last seen
  source_domain TEXT NOT NULL,
  target_domain TEXT NOT NULL,
  UNIQUE (source, target, kind)
);
CREATE INDEX redirect_crossing ON redirect (source_domain) WHERE target_domain <> '' AND certain;

-- Domains that live on redirects.
CREATE TABLE farm (
  domain TEXT PRIMARY KEY, score REAL NOT NULL, reasons TEXT NOT NULL, time REAL NOT NULL
) WITHOUT ROWID;

-- Parked hosts (state 6) come back to the queue when another sample of them is looked at.
DROP INDEX host_rest;
CREATE INDEX host_rest ON host (ready_at) WHERE state IN (2, 4, 6);
