-- What cleaning needs: which hosts have something new, the templates of hosts, and which pages are copies.

-- Hosts with content that cleaning has not seen yet. Every commit adds to it, so a crash loses nothing.
CREATE TABLE news (
  host INTEGER PRIMARY KEY,
  version INTEGER NOT NULL,         -- the newest content
  tries INTEGER NOT NULL DEFAULT 0  -- times that cleaning began and did not end
);
INSERT INTO news (host, version) SELECT host, max(version) FROM page WHERE version IS NOT NULL GROUP BY host;

-- How cleaning last left a host.
CREATE TABLE cleaned (
  host INTEGER PRIMARY KEY,
  time REAL NOT NULL,
  version INTEGER NOT NULL,         -- the newest content it saw
  fits TEXT NOT NULL,               -- how well the last pages fitted the templates, as JSON
  trouble TEXT NOT NULL             -- why it could not be done, or empty
);

-- Templates never change; a host whose structure drifts gets new ones beside the old.
CREATE TABLE template (
  host INTEGER NOT NULL,
  version INTEGER NOT NULL,
  time REAL NOT NULL,
  reason TEXT NOT NULL,             -- why they were made
  pages INTEGER NOT NULL,           -- of the host, at that time
  templates INTEGER NOT NULL,
  template_bytes INTEGER NOT NULL,  -- of all of them together
  looked INTEGER NOT NULL,          -- pages the next figures were measured on
  templated INTEGER NOT NULL,       -- of these, how many have a template
  page_bytes INTEGER NOT NULL,      -- of these pages
  shared_bytes INTEGER NOT NULL,    -- of these bytes, those that belong to a template
  packed_bytes INTEGER NOT NULL,    -- of these pages, each packed against the dictionary
  dictionary_bytes INTEGER NOT NULL,
  dictionary BLOB NOT NULL,         -- digest of what pages are packed against
  data BLOB NOT NULL,
  UNIQUE (host, version)
);

-- What pages are packed against. Never thrown away while a packed page may need it.
CREATE TABLE dictionary (digest BLOB NOT NULL UNIQUE, host INTEGER NOT NULL, data BLOB NOT NULL);

-- What is kept of a page to know its copies by.
CREATE TABLE print (
  page INTEGER PRIMARY KEY,
  version INTEGER NOT NULL,         -- the content it was taken of
  said BLOB NOT NULL,               -- equal for exact copies
  sketch BLOB NOT NULL,             -- MinHash of the visible text; empty for short ones
  canonical TEXT NOT NULL,          -- the address that the page says it is, unless it has none
  kin INTEGER                       -- the group of copies it belongs to; NULL: it has none
);
CREATE INDEX print_said ON print (said);
CREATE INDEX print_canonical ON print (canonical) WHERE canonical <> '';
CREATE INDEX print_kin ON print (kin) WHERE kin IS NOT NULL;

-- Parts of sketches: pages with one in common are compared.
CREATE TABLE band (band INTEGER NOT NULL, page INTEGER NOT NULL, PRIMARY KEY (band, page)) WITHOUT ROWID;

-- Groups of copies, and the page that stands for all of them.
CREATE TABLE kin (id INTEGER PRIMARY KEY, best INTEGER NOT NULL, size INTEGER NOT NULL);

-- Every page that is a copy of another, how that is known, and of which.
CREATE VIEW copy AS
SELECT p.id AS page, p.url, b.id AS best, b.url AS copy_of,
  CASE WHEN one.canonical = b.url THEN 'canonical' WHEN one.said = other.said THEN 'exact' ELSE 'near' END AS how
FROM print AS one JOIN kin AS k ON k.id = one.kin AND k.best <> one.page
JOIN print AS other ON other.page = k.best
JOIN page AS p ON p.id = one.page JOIN page AS b ON b.id = k.best;
