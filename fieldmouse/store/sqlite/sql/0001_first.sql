-- The first schema. Times are seconds since the epoch; a host is a name with its port unless that is the
-- default one; file names are relative to the archive.

CREATE TABLE fact (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;

-- Running totals, so that `status` never counts rows.
CREATE TABLE tally (name TEXT PRIMARY KEY, value INTEGER NOT NULL) WITHOUT ROWID;

-- Append-only files and how much of each is committed: what lies beyond was never promised to anybody.
CREATE TABLE file (
  id INTEGER PRIMARY KEY,
  name TEXT NOT NULL UNIQUE,
  kind TEXT NOT NULL,               -- warc, tags, logs: the folder it stands in
  worker TEXT NOT NULL,
  size INTEGER NOT NULL,
  open INTEGER NOT NULL             -- 1 while its worker appends to it
);

CREATE TABLE host (
  id INTEGER PRIMARY KEY,
  name TEXT NOT NULL UNIQUE,
  state INTEGER NOT NULL,           -- 0 waiting, 1 open, 2 resting, 3 complete, 4 given up, 5 outside the scope
  priority REAL NOT NULL,
  pending REAL NOT NULL,            -- estimated pages not fetched yet
  in_hosts INTEGER NOT NULL,        -- other hosts that link here
  in_links INTEGER NOT NULL,
  sketch BLOB NOT NULL,             -- Bloom filter of the addresses seen from outside
  entries INTEGER NOT NULL,         -- entry points kept so far
  seed INTEGER NOT NULL,
  ip TEXT NOT NULL,
  ready_at REAL NOT NULL,
  worker TEXT NOT NULL,
  held_until REAL NOT NULL,
  fetched INTEGER NOT NULL,
  turns INTEGER NOT NULL,
  first_seen REAL NOT NULL,
  closed_at REAL NOT NULL,
  reason TEXT NOT NULL              -- why it is in this state
);
CREATE INDEX host_queue ON host (priority DESC) WHERE state = 0;
CREATE INDEX host_rest ON host (ready_at) WHERE state IN (2, 4);
CREATE INDEX host_open ON host (ip, worker) WHERE state = 1;

-- Ways into a host found on other hosts, in seeds and in lists.
CREATE TABLE entry (
  host INTEGER NOT NULL, url TEXT NOT NULL, hops INTEGER NOT NULL, via TEXT NOT NULL, trail TEXT NOT NULL,
  PRIMARY KEY (host, url)
) WITHOUT ROWID;

-- The intra-links tables: pages of an open or resting host that wait for their visit. Gone when it closes.
CREATE TABLE site (
  host INTEGER NOT NULL, url TEXT NOT NULL, depth INTEGER NOT NULL, hops INTEGER NOT NULL,
  via TEXT NOT NULL, trail TEXT NOT NULL, score REAL NOT NULL,
  etag TEXT NOT NULL, last_modified TEXT NOT NULL,
  PRIMARY KEY (host, url)
) WITHOUT ROWID;

CREATE TABLE host_link (
  source INTEGER NOT NULL, target INTEGER NOT NULL, links INTEGER NOT NULL, PRIMARY KEY (source, target)
) WITHOUT ROWID;

-- Every address that was asked for, as it stands now.
CREATE TABLE page (
  id INTEGER PRIMARY KEY,
  url TEXT NOT NULL UNIQUE,
  host INTEGER NOT NULL,
  version INTEGER,                  -- its newest content
  first_seen REAL NOT NULL,
  last_visit REAL NOT NULL,
  last_change REAL NOT NULL,
  status INTEGER NOT NULL,
  trouble TEXT NOT NULL,
  mime TEXT NOT NULL,
  title TEXT NOT NULL,
  language TEXT NOT NULL,
  etag TEXT NOT NULL,
  last_modified TEXT NOT NULL,
  depth INTEGER NOT NULL,
  via TEXT NOT NULL,
  trail TEXT NOT NULL,
  visits INTEGER NOT NULL,
  versions INTEGER NOT NULL,
  links INTEGER, emails INTEGER, images INTEGER, text_bytes INTEGER,
  has_last_modified INTEGER, directory_level INTEGER
);
CREATE INDEX page_host ON page (host);

CREATE TABLE version (
  id INTEGER PRIMARY KEY,
  page INTEGER NOT NULL,
  time REAL NOT NULL,
  status INTEGER NOT NULL,
  mime TEXT NOT NULL,
  charset TEXT NOT NULL,
  digest TEXT NOT NULL,
  text_digest BLOB NOT NULL,
  size INTEGER NOT NULL,
  file INTEGER NOT NULL, "offset" INTEGER NOT NULL, length INTEGER NOT NULL,
  tag_file INTEGER, tag_offset INTEGER, tag_length INTEGER
);
CREATE INDEX version_page ON version (page, time);

CREATE TABLE visit (
  page INTEGER NOT NULL,
  time REAL NOT NULL,
  status INTEGER NOT NULL,
  trouble TEXT NOT NULL,
  changed INTEGER NOT NULL,
  known_by TEXT NOT NULL,           -- first, digest, 304, error
  gap REAL NOT NULL,
  took REAL NOT NULL,
  size INTEGER NOT NULL,
  note TEXT NOT NULL,
  digest TEXT NOT NULL,             -- of the payload, as its record has it
  file INTEGER, "offset" INTEGER, length INTEGER,
  request INTEGER,                  -- length of the request record, which follows at once
  PRIMARY KEY (page, time)
) WITHOUT ROWID;
CREATE INDEX visit_place ON visit (file, "offset") WHERE file IS NOT NULL;

-- Addresses that were not followed, and why; the first thousand of a host.
CREATE TABLE skip (
  host INTEGER NOT NULL, url TEXT NOT NULL, time REAL NOT NULL, reason TEXT NOT NULL, PRIMARY KEY (host, url)
) WITHOUT ROWID;

CREATE TABLE robots (
  origin TEXT PRIMARY KEY, fetched_at REAL NOT NULL, expires_at REAL NOT NULL,
  verdict TEXT NOT NULL, content BLOB NOT NULL, note TEXT NOT NULL
) WITHOUT ROWID;
