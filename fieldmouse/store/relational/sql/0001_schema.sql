-- The schema of both engines; `after_0001_schema.sql` of each engine completes it. Times are seconds since the epoch; a
-- host is a name with its port unless that is the default one; file names are relative to the archive.

-- --- hosts, pages, visits ---

CREATE TABLE property (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;

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
  state TEXT NOT NULL CHECK (state IN (
    'waiting',
    'open',                         -- leased by a worker
    'resting',
    'complete',
    'given_up',
    'outside',                      -- of the scope
    'parked',                       -- not visited: its name leads to a parking service
    'redirect_spam'                 -- not visited: it belongs to a redirect farm
  )),
  priority REAL NOT NULL,
  pending REAL NOT NULL,            -- estimated pages not fetched yet
  in_hosts INTEGER NOT NULL,        -- other hosts that link here
  in_links INTEGER NOT NULL,
  sketch BLOB NOT NULL,             -- Bloom filter of the addresses seen from outside
  entries INTEGER NOT NULL,         -- entry points kept so far
  seed INTEGER NOT NULL,
  ip TEXT NOT NULL,
  ready_at REAL NOT NULL,
  fetched INTEGER NOT NULL,
  turns INTEGER NOT NULL,
  first_seen REAL NOT NULL,
  closed_at REAL NOT NULL,
  reason TEXT NOT NULL,             -- why it is in this state
  score REAL,                       -- of its best address; NULL: none was scored
  epoch INTEGER NOT NULL DEFAULT 0, -- of its last lease
  named REAL NOT NULL DEFAULT 0,    -- people who named it lately, at the last import of posts; part of its priority
  paused_at REAL,                   -- when a person paused it: it is not visited until somebody resumes it; NULL: not paused
  deferred_until REAL,              -- when some of its deferred pages are visited; NULL: there are none
  deferred_pause REAL               -- seconds between such visits
);
CREATE INDEX host_queue ON host (priority DESC) WHERE state = 'waiting';
-- Resting hosts, those given up, and parked ones of which another sample is visited come back to the queue.
CREATE INDEX host_rest ON host (ready_at) WHERE state IN ('resting', 'given_up', 'parked');
CREATE INDEX host_refused ON host (id) WHERE state IN ('parked', 'redirect_spam');
CREATE INDEX host_deferred ON host (deferred_until) WHERE deferred_until IS NOT NULL;
CREATE INDEX host_paused ON host (id) WHERE paused_at IS NOT NULL;

-- Which worker may visit a host, until when. The epoch is the fencing token: it grows with each lease of
-- the host, and a commit under an epoch that is no longer here is refused.
CREATE TABLE lease (
  host INTEGER PRIMARY KEY,
  worker TEXT NOT NULL,
  epoch INTEGER NOT NULL,
  ip TEXT NOT NULL,                 -- one worker at a time visits an IP address
  state TEXT NOT NULL,              -- of the host before
  expires_at REAL NOT NULL
);
CREATE INDEX lease_ip ON lease (ip) WHERE ip <> '';

-- Ways into a host found on other hosts, in seeds and in lists.
CREATE TABLE entry (
  host INTEGER NOT NULL, url TEXT NOT NULL, hops INTEGER NOT NULL, via TEXT NOT NULL, trail TEXT NOT NULL,
  score REAL NOT NULL DEFAULT 0, level INTEGER NOT NULL DEFAULT 0,
  PRIMARY KEY (host, url)
) WITHOUT ROWID;

-- Pending pages of an open or resting host. Gone when it is complete.
CREATE TABLE site (
  host INTEGER NOT NULL, url TEXT NOT NULL, depth INTEGER NOT NULL, hops INTEGER NOT NULL,
  via TEXT NOT NULL, trail TEXT NOT NULL, score REAL NOT NULL,
  etag TEXT NOT NULL, last_modified TEXT NOT NULL,
  level INTEGER NOT NULL DEFAULT 0, -- pages off the topic in a row, up to this one
  PRIMARY KEY (host, url)
) WITHOUT ROWID;

-- Pages whose URL patterns look like a trap: a few of them are visited each day.
CREATE TABLE deferred_page (
  host INTEGER NOT NULL, url TEXT NOT NULL, time REAL NOT NULL, reason TEXT NOT NULL,
  depth INTEGER NOT NULL, hops INTEGER NOT NULL, via TEXT NOT NULL, trail TEXT NOT NULL, score REAL NOT NULL,
  level INTEGER NOT NULL,
  PRIMARY KEY (host, url)
) WITHOUT ROWID;

CREATE TABLE host_link (
  source INTEGER NOT NULL, target INTEGER NOT NULL, links INTEGER NOT NULL, PRIMARY KEY (source, target)
) WITHOUT ROWID;

-- Links to other hosts that are not in `host`, `host_link` and `entry` yet: they are merged several commits at a time.
CREATE TABLE unmerged_link (id INTEGER PRIMARY KEY, data BLOB NOT NULL);

-- Every requested URL, as it is now.
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
  has_last_modified INTEGER, directory_level INTEGER,
  due REAL,                         -- the next visit; NULL: never
  rate REAL,                        -- estimated changes a day
  weight REAL NOT NULL DEFAULT 1.0, -- how much its freshness is worth to the user
  misses INTEGER NOT NULL DEFAULT 0, -- visits in a row that found no content
  shape REAL,                       -- of the Gamma distribution of its rate; NULL: not estimated
  private INTEGER NOT NULL DEFAULT 0, -- 1: its newest content is private
  sent INTEGER NOT NULL DEFAULT 0   -- versions that readers sent
);
CREATE INDEX page_host ON page (host);
CREATE INDEX page_due ON page (due) WHERE due IS NOT NULL;

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
  tag_file INTEGER, tag_offset INTEGER, tag_length INTEGER,
  private INTEGER NOT NULL DEFAULT 0, -- 1: it never leaves the archive
  damaged TEXT NOT NULL DEFAULT '', -- why its record cannot be read, or empty
  origin TEXT NOT NULL DEFAULT 'crawler' -- or reader: it is what a browser showed
);
CREATE INDEX version_page ON version (page, time);
CREATE INDEX version_private ON version (page) WHERE private <> 0;

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
  change_size REAL NOT NULL DEFAULT 0, -- share of the words that differ and count
  kinds TEXT NOT NULL DEFAULT '',   -- numbers, words, items added, ...
  diff TEXT NOT NULL DEFAULT '',    -- the differences, as JSON
  PRIMARY KEY (page, time)
) WITHOUT ROWID;
CREATE INDEX visit_place ON visit (file, "offset") WHERE file IS NOT NULL;
CREATE INDEX visit_changed ON visit (time) WHERE changed;

-- Changes in the order in which they were committed, by a trigger: a visit may be committed after a later one, so
-- times are no order to go on from.
CREATE TABLE change_log (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  page INTEGER NOT NULL,
  time REAL NOT NULL,               -- of the visit
  UNIQUE (page, time)
);
CREATE INDEX change_log_time ON change_log (time);

-- URLs that were not followed, and why. A later crawl with wider limits can take them up.
CREATE TABLE skip (
  host INTEGER NOT NULL, url TEXT NOT NULL, time REAL NOT NULL, reason TEXT NOT NULL,
  depth INTEGER NOT NULL DEFAULT 0, via TEXT NOT NULL DEFAULT '',
  PRIMARY KEY (host, url)
) WITHOUT ROWID;

CREATE TABLE robots (
  origin TEXT PRIMARY KEY, fetched_at REAL NOT NULL, expires_at REAL NOT NULL,
  verdict TEXT NOT NULL, content BLOB NOT NULL, note TEXT NOT NULL
) WITHOUT ROWID;

-- The one place that says what may leave the archive: every export, feed and search reads these views.
CREATE VIEW public_page AS SELECT * FROM page WHERE private = 0;
CREATE VIEW public_version AS
SELECT v.* FROM version AS v JOIN page AS p ON p.id = v.page WHERE v.private = 0 AND p.private = 0;
-- The record of a visit repeats the content of a version, or refers to it.
CREATE VIEW public_visit AS
SELECT v.* FROM visit AS v JOIN page AS p ON p.id = v.page
WHERE p.private = 0 AND NOT EXISTS (
  SELECT 1 FROM version AS n WHERE n.page = v.page AND n.private <> 0 AND n.digest = v.digest);

-- Crawls, refreshes and imports. Until the end, the counts are the running totals at the beginning.
CREATE TABLE run (
  id INTEGER PRIMARY KEY,
  kind TEXT NOT NULL,               -- crawl, refresh, run, import
  began REAL NOT NULL,
  ended REAL,                       -- NULL: it runs, or was interrupted
  result TEXT NOT NULL,             -- running, interrupted, or how it ended
  visits INTEGER NOT NULL,
  pages INTEGER NOT NULL,           -- stored for the first time
  changes INTEGER NOT NULL,
  failures INTEGER NOT NULL,
  bytes INTEGER NOT NULL
);

-- --- the schedule ---

-- The Change Predictions of Barbosa et al.: one row for each plan of a page.
CREATE TABLE prediction (
  page INTEGER NOT NULL, time REAL NOT NULL, predictor TEXT NOT NULL, "group" INTEGER NOT NULL,
  rate REAL NOT NULL, due REAL, reasons TEXT NOT NULL,
  PRIMARY KEY (page, time)
) WITHOUT ROWID;

-- The Change History of Barbosa et al. under its own name: every visit that could tell.
CREATE VIEW change_history AS
SELECT p.url, v.time, v.changed, v.gap, v.known_by FROM visit AS v JOIN page AS p ON p.id = v.page
WHERE v.known_by IN ('first', 'digest', '304');

CREATE VIEW change_predictions AS
SELECT p.url, r.time, r.predictor, r."group", r.rate, r.due, r.reasons
FROM prediction AS r JOIN page AS p ON p.id = r.page;

-- The learned noise of a host and of its pages; `HostNoise.saved` and `PageNoise.saved`.
CREATE TABLE host_noise (host TEXT PRIMARY KEY, data BLOB NOT NULL);
CREATE TABLE page_noise (page INTEGER PRIMARY KEY, data BLOB NOT NULL);

-- What a user decided about the noise of a host.
CREATE TABLE noise_override (
  host TEXT NOT NULL,
  what TEXT NOT NULL,               -- a rule, or a place as a number
  state TEXT NOT NULL,              -- muted: never counts; counted: always counts
  PRIMARY KEY (host, what)
) WITHOUT ROWID;

-- Pages that are fetched once more within minutes, to tell noise from a change.
CREATE TABLE control_fetch (
  page INTEGER PRIMARY KEY,
  due REAL NOT NULL,
  visit REAL NOT NULL,              -- the time of the visit that it checks
  day INTEGER,                      -- on which that visit was forecast; NULL if it was not
  -- What that visit was scored with, so that the score can be corrected.
  source TEXT NOT NULL DEFAULT '',  -- of the announcement that it agreed with
  validated INTEGER NOT NULL DEFAULT 0 -- 1: the validators agreed
);

-- How often a host's validators agreed with the digest of the text.
CREATE TABLE validator (
  host TEXT PRIMARY KEY, agreed INTEGER NOT NULL, misled INTEGER NOT NULL, saved_bytes INTEGER NOT NULL
) WITHOUT ROWID;

-- Fetches by quarter of an hour, so that a restart knows what is left of the day's budget.
CREATE TABLE spend (slot INTEGER PRIMARY KEY, refresh INTEGER NOT NULL, discovery INTEGER NOT NULL);

-- Visits to a small random sample, made to measure freshness and for nothing else.
CREATE TABLE audit (page INTEGER NOT NULL, time REAL NOT NULL, fresh INTEGER NOT NULL, expected REAL NOT NULL,
  PRIMARY KEY (page, time)) WITHOUT ROWID;

-- By day and host: visits that could tell, the changes expected of them, those seen, and the variance expected.
CREATE TABLE forecast (
  day INTEGER NOT NULL, host TEXT NOT NULL, visits INTEGER NOT NULL, expected REAL NOT NULL,
  seen INTEGER NOT NULL, variance REAL NOT NULL, PRIMARY KEY (day, host)
) WITHOUT ROWID;

-- What sites say of their pages: a sitemap or a feed announced a change after our last visit. Gone with the
-- next visit that can tell whether it was true.
CREATE TABLE announcement (
  page INTEGER PRIMARY KEY, source TEXT NOT NULL, heard REAL NOT NULL, modified REAL NOT NULL,
  made_due INTEGER NOT NULL          -- 1 if the page was made due for it
);

-- How often announcements agreed with the digest of the text, as `validator` has it for validators.
CREATE TABLE announcer (
  host TEXT NOT NULL, source TEXT NOT NULL, agreed INTEGER NOT NULL, misled INTEGER NOT NULL,
  PRIMARY KEY (host, source)
) WITHOUT ROWID;

-- Feeds that pages name.
CREATE TABLE feed (host INTEGER NOT NULL, url TEXT NOT NULL, PRIMARY KEY (host, url)) WITHOUT ROWID;

-- --- topics ---

-- Every page that was judged, while crawling or afterwards.
CREATE TABLE judgement (
  topic TEXT NOT NULL,
  page INTEGER NOT NULL,
  time REAL NOT NULL,
  score REAL NOT NULL,              -- how likely it is on the topic; above .5 it is
  expected REAL,                    -- what its link promised; NULL when it was judged afterwards
  level INTEGER NOT NULL,           -- the level counter: pages off the topic in a row, this one counted
  judge TEXT NOT NULL,              -- the learner of the crawl, or classify
  reasons TEXT NOT NULL,            -- which words spoke, and how strongly
  promise TEXT NOT NULL,            -- which evidence spoke for the link, and how strongly
  PRIMARY KEY (topic, page)
) WITHOUT ROWID;
CREATE INDEX judgement_page ON judgement (page);
-- Pages close to the line, on both sides of it, in the order of their distance.
CREATE INDEX judgement_doubt ON judgement (topic, (abs(score - 0.5))) WHERE abs(score - 0.5) <= 0.1;

-- The Relevant Table and the Irrelevant Table of Safran et al.
CREATE VIEW relevant_table AS
SELECT j.topic, p.url, j.score, j.expected, j.time, j.judge, j.reasons, j.promise
FROM judgement AS j JOIN page AS p ON p.id = j.page WHERE j.score > 0.5;

CREATE VIEW irrelevant_table AS
SELECT j.topic, p.url, j.level, j.score, j.expected, j.time, j.judge, j.reasons, j.promise
FROM judgement AS j JOIN page AS p ON p.id = j.page WHERE j.score <= 0.5;

-- Pages on the topic against pages judged: a row for every fifty of a crawl, and one for where it stands now.
CREATE TABLE harvest (
  topic TEXT NOT NULL, learner TEXT NOT NULL, pages INTEGER NOT NULL, relevant INTEGER NOT NULL,
  PRIMARY KEY (topic, learner, pages)
) WITHOUT ROWID;

-- What each worker's guide learned, as it was at that commit, with the estimated share of the crawl's newest pages
-- that are on the topic, and its bounds; NULL before it can be estimated.
CREATE TABLE guide (
  topic TEXT NOT NULL, learner TEXT NOT NULL, worker TEXT NOT NULL, time REAL NOT NULL, data BLOB NOT NULL,
  share REAL, share_low REAL, share_high REAL,
  PRIMARY KEY (topic, learner, worker)
);

-- --- parked names and redirects ---

-- Where a registrable domain leads, requested once and kept until it expires. Lists are separated by blanks.
CREATE TABLE domain_dns (
  domain TEXT PRIMARY KEY,
  time REAL NOT NULL,
  expires REAL NOT NULL,
  name_servers TEXT NOT NULL,
  addresses TEXT NOT NULL,
  aliases TEXT NOT NULL,
  look_until REAL NOT NULL          -- until then it is visited even if it is listed
) WITHOUT ROWID;

-- The home page of a domain as the parking judge sees it; shape is NULL until it is read.
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

-- Hosts that were not visited, with the entry of the parking list that is the reason.
CREATE TABLE turned_away (
  host INTEGER PRIMARY KEY, domain TEXT NOT NULL, kind TEXT NOT NULL, value TEXT NOT NULL, time REAL NOT NULL
);
CREATE INDEX turned_away_entry ON turned_away (kind, value);

-- Redirects of pages. The domains are registrable ones, and empty within one domain.
CREATE TABLE redirect (
  id INTEGER PRIMARY KEY,
  source TEXT NOT NULL,
  target TEXT NOT NULL,
  kind TEXT NOT NULL,               -- http, header, meta, script, frame
  delay REAL NOT NULL,
  certain INTEGER NOT NULL,         -- 0: a script decides
  time REAL NOT NULL,               -- when it was last seen
  source_domain TEXT NOT NULL,
  target_domain TEXT NOT NULL,
  UNIQUE (source, target, kind)
);
CREATE INDEX redirect_target ON redirect (target);
CREATE INDEX redirect_crossing ON redirect (source_domain) WHERE target_domain <> '' AND certain;

-- Domains that live on redirects.
CREATE TABLE redirect_farm (
  domain TEXT PRIMARY KEY, score REAL NOT NULL, reasons TEXT NOT NULL, time REAL NOT NULL
) WITHOUT ROWID;

-- --- cleaning: templates and copies ---

-- Hosts with content that was not cleaned yet. Every commit adds to it, so a crash loses nothing.
CREATE TABLE uncleaned_host (
  host INTEGER PRIMARY KEY,
  version INTEGER NOT NULL,         -- the newest content
  tries INTEGER NOT NULL DEFAULT 0  -- times that cleaning began and did not end
);

-- How cleaning last left a host.
CREATE TABLE cleaned_host (
  host INTEGER PRIMARY KEY,
  time REAL NOT NULL,
  version INTEGER NOT NULL,         -- the newest content it saw
  fits TEXT NOT NULL,               -- how well the last pages fitted the templates, as JSON
  trouble TEXT NOT NULL             -- why it could not be done, or empty
);

-- Templates never change; a host whose structure drifts gets new ones, and the old ones stay.
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

-- Fingerprints of pages, to find copies.
CREATE TABLE fingerprint (
  page INTEGER PRIMARY KEY,
  version INTEGER NOT NULL,         -- the content it was taken of
  said BLOB NOT NULL,               -- equal for exact copies
  sketch BLOB NOT NULL,             -- MinHash of the visible text; empty for short ones
  canonical TEXT NOT NULL,          -- the canonical URL that the page names, or empty
  copy_group INTEGER                       -- the group of copies it belongs to; NULL: it has none
);
CREATE INDEX fingerprint_said ON fingerprint (said);
CREATE INDEX fingerprint_canonical ON fingerprint (canonical) WHERE canonical <> '';
CREATE INDEX fingerprint_copy_group ON fingerprint (copy_group) WHERE copy_group IS NOT NULL;

-- Parts of sketches: pages with one in common are compared.
CREATE TABLE band (band INTEGER NOT NULL, page INTEGER NOT NULL, PRIMARY KEY (band, page)) WITHOUT ROWID;

-- Groups of copies, and the page that represents each.
CREATE TABLE copy_group (id INTEGER PRIMARY KEY, best INTEGER NOT NULL, size INTEGER NOT NULL);

-- Every page that is a copy of another, how that is known, and of which.
CREATE VIEW copy AS
SELECT p.id AS page, p.url, b.id AS best, b.url AS copy_of,
  CASE WHEN one.canonical = b.url THEN 'canonical' WHEN one.said = other.said THEN 'exact' ELSE 'near' END AS how
FROM fingerprint AS one JOIN copy_group AS k ON k.id = one.copy_group AND k.best <> one.page
JOIN fingerprint AS other ON other.page = k.best
JOIN page AS p ON p.id = one.page JOIN page AS b ON b.id = k.best;

-- --- main texts ---

-- What is known of the newest content that was cleaned.
CREATE TABLE document (
  page INTEGER PRIMARY KEY,
  version INTEGER NOT NULL,         -- the content it was read from
  title TEXT NOT NULL,              -- as it is in the index
  length INTEGER NOT NULL,          -- characters of the main text
  published TEXT,                   -- ISO 8601, as exact as the page says it
  modified TEXT,
  author TEXT,
  type TEXT,                        -- what the page is about: Article, Product, ...
  data TEXT,                        -- JSON-LD, microdata, OpenGraph and meta tags: JSON as a zstd frame
  spam_score INTEGER,               -- 0 to 99 (spam); NULL: not scored. Cleaning fills it if `spam.score_pages` is set
  spam INTEGER NOT NULL DEFAULT 0,  -- 1: above the threshold when it was scored
  spam_words TEXT NOT NULL DEFAULT '' -- the words that say so most
);
-- A search asks of each hit whether it is spam: in an index of those that are, not in the wide rows.
CREATE INDEX document_spam ON document (page) WHERE spam = 1;

-- The main text, as a zstd frame of UTF-8.
CREATE TABLE page_text (
  page INTEGER PRIMARY KEY,
  data BLOB NOT NULL,
  facts TEXT                        -- JSON, pairs of label and value, as a zstd frame; NULL: not stored
);

-- --- records that cannot be read ---

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

-- --- readers ---

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
  version INTEGER,                  -- its content, or the same content from before
  content_score INTEGER,            -- 0 to 99 (spam); NULL: not scored
  comment_score INTEGER,            -- 0 to 256 (spam); NULL: not scored
  spam INTEGER NOT NULL DEFAULT 0   -- 1: the content was above its threshold when it was taken in
) WITHOUT ROWID;
CREATE INDEX submission_user ON submission (user, received);
CREATE INDEX submission_url ON submission (url, received);
CREATE INDEX submission_version ON submission (version) WHERE version IS NOT NULL;
CREATE INDEX submission_spam ON submission (version) WHERE spam = 1;
CREATE INDEX submission_received ON submission (received);

-- Visits of readers, also to pages that are not in the archive. There is no index by reader: a log is in the order
-- of time, so each visit of an import would change another part of it.
CREATE TABLE reader (id INTEGER PRIMARY KEY, user TEXT NOT NULL UNIQUE); -- salted hash
CREATE TABLE visited_url (id INTEGER PRIMARY KEY, url TEXT NOT NULL UNIQUE);
CREATE TABLE reader_visit (
  url INTEGER NOT NULL, time REAL NOT NULL, reader INTEGER NOT NULL, PRIMARY KEY (url, time, reader)
) WITHOUT ROWID;
CREATE INDEX reader_visit_time ON reader_visit (time);

-- Records of erased versions that are still to be overwritten in their files.
CREATE TABLE erased_record (
  file INTEGER NOT NULL, "offset" INTEGER NOT NULL, length INTEGER NOT NULL, PRIMARY KEY (file, "offset")
) WITHOUT ROWID;

-- What the schedule decided by the visits of readers.

CREATE TABLE behaviour_decision (
  page INTEGER NOT NULL,
  time REAL NOT NULL,
  mode TEXT NOT NULL,               -- veto, index
  action TEXT NOT NULL,             -- passed, skipped, explored, forced, forward, back
  probability REAL NOT NULL,        -- of a change since the last fetch
  expected REAL NOT NULL,           -- changes, by the forecast alone
  chance REAL NOT NULL,             -- of a fetch at this decision
  gap REAL NOT NULL,                -- seconds since the last fetch, at the first of the skips in a row
  skips INTEGER NOT NULL,           -- in a row
  until REAL NOT NULL,              -- when it may be proposed again
  PRIMARY KEY (page, time)
) WITHOUT ROWID;
CREATE INDEX behaviour_decision_time ON behaviour_decision (time);

-- --- labels ---

-- Labels of pages by lists of classes.
CREATE TABLE label (
  classes TEXT NOT NULL,            -- the list of classes
  page INTEGER NOT NULL,
  class TEXT NOT NULL,
  probability REAL NOT NULL,        -- that the label is right
  chosen INTEGER NOT NULL,          -- 0: the best class of the page, but not sure enough for a label
  evidence TEXT NOT NULL,           -- a line for each field with keywords
  time REAL NOT NULL,
  PRIMARY KEY (classes, page, class)
) WITHOUT ROWID;

-- The least certain first: what a person should decide.
CREATE INDEX label_certainty ON label (classes, (abs(probability - 0.5)), page);

-- A person's answers. A page without any class has a row with an empty one.
CREATE TABLE label_answer (
  classes TEXT NOT NULL, page INTEGER NOT NULL, class TEXT NOT NULL, time REAL NOT NULL,
  PRIMARY KEY (classes, page, class)
) WITHOUT ROWID;

-- Classes by a trained classifier: those of a page with a probability of a half or more, or an empty one.
CREATE TABLE page_class (
  page INTEGER NOT NULL, classes TEXT NOT NULL, class TEXT NOT NULL, probability REAL NOT NULL,
  time REAL NOT NULL, PRIMARY KEY (page, classes, class)
) WITHOUT ROWID;
CREATE INDEX page_class_class ON page_class (classes, class);

-- --- posts that named addresses (`import --posts`), and how often and how lately a host was named ---

CREATE TABLE post (
  id INTEGER PRIMARY KEY,
  digest BLOB NOT NULL UNIQUE,      -- of its id, or of its author, time and text: a post is imported once
  author TEXT NOT NULL,             -- salted hash; empty if unknown
  time REAL NOT NULL,               -- when it was posted; when it was imported if the file does not say
  source TEXT NOT NULL              -- name of the file
);
CREATE TABLE post_link (
  url TEXT NOT NULL, post INTEGER NOT NULL,
  words TEXT NOT NULL,              -- anchor and words around the address
  PRIMARY KEY (url, post)
) WITHOUT ROWID;
CREATE INDEX post_link_post ON post_link (post);

-- The last time that somebody named a host. Nobody counts twice.
CREATE TABLE named_by (
  host INTEGER NOT NULL, author TEXT NOT NULL, time REAL NOT NULL, PRIMARY KEY (host, author)
) WITHOUT ROWID;
CREATE TABLE named_host (
  host INTEGER PRIMARY KEY,
  posts INTEGER NOT NULL,
  first REAL NOT NULL,
  last REAL NOT NULL,
  strength REAL NOT NULL            -- sum of 2 ^ ((time - 2020) / 30 days) over those who named it
);

-- --- notifications: how far readers have looked, and what is to be sent ---

-- Until when a reader has seen the changes.
CREATE TABLE seen (reader TEXT PRIMARY KEY, time REAL NOT NULL) WITHOUT ROWID;

-- Single changes that a reader has seen, after the time until which all are seen.
CREATE TABLE seen_change (
  reader TEXT NOT NULL, page INTEGER NOT NULL, time REAL NOT NULL, -- of the visit
  PRIMARY KEY (reader, page, time)
) WITHOUT ROWID;

CREATE TABLE change_cursor (
  name TEXT PRIMARY KEY,            -- reader NAME, webhook URL, or mail
  seq INTEGER NOT NULL,             -- the last change that was shown, or is in the outbox
  time REAL NOT NULL                -- when that was
) WITHOUT ROWID;

-- The outbox. A row stays until its receiver has taken it.
CREATE TABLE delivery (
  id TEXT PRIMARY KEY,
  channel TEXT NOT NULL,            -- webhook, mail
  target TEXT NOT NULL,             -- a URL, or addresses
  body TEXT NOT NULL,               -- JSON, or a whole message
  created REAL NOT NULL,
  due REAL NOT NULL,                -- not before this time
  attempts INTEGER NOT NULL,
  error TEXT NOT NULL               -- of the last attempt
) WITHOUT ROWID;
CREATE INDEX delivery_due ON delivery (due);

-- --- figures of the dashboard, so that it counts no rows ---

-- Results of visits, by hour since the epoch. Imported captures are not counted.
CREATE TABLE hourly (
  hour INTEGER NOT NULL,
  what TEXT NOT NULL,               -- new, changed, unchanged, 304, noise, redirect, bytes; or a kind of failure
  count INTEGER NOT NULL,
  PRIMARY KEY (hour, what)
) WITHOUT ROWID;

CREATE TABLE host_tally (
  host INTEGER PRIMARY KEY,
  pages INTEGER NOT NULL,           -- requested URLs
  stored INTEGER NOT NULL,          -- of these, those with content
  visits INTEGER NOT NULL,
  changes INTEGER NOT NULL,
  failures INTEGER NOT NULL,
  not_modified INTEGER NOT NULL,    -- visits answered with 304
  bytes INTEGER NOT NULL,           -- transferred
  last_visit REAL NOT NULL,
  failing REAL,                     -- since when no visit was successful; NULL: the last one was
  trouble TEXT NOT NULL             -- of the last visit; empty if it was successful
);
CREATE INDEX host_tally_pages ON host_tally (stored, host);
CREATE INDEX host_tally_changes ON host_tally (changes, host);
CREATE INDEX host_tally_failing ON host_tally (failing) WHERE failing IS NOT NULL;

-- Figures that need a look at every page; one row an hour, and the newest of the hour is kept.
CREATE TABLE snapshot (
  hour INTEGER PRIMARY KEY,
  time REAL NOT NULL,
  took REAL NOT NULL,               -- seconds
  pages INTEGER NOT NULL,           -- that are kept fresh
  estimated REAL, low REAL, high REAL,
  audited INTEGER NOT NULL, measured REAL, measured_low REAL, measured_high REAL,
  age_days REAL,
  stored INTEGER NOT NULL,
  cleaned INTEGER NOT NULL,         -- pages in which templates and copies were looked for
  copies INTEGER NOT NULL,
  topic TEXT NOT NULL,              -- the topic of the next figures, or empty
  judged INTEGER NOT NULL, relevant INTEGER NOT NULL, undecided INTEGER NOT NULL,
  overdue INTEGER NOT NULL,
  hosts INTEGER NOT NULL, parked INTEGER NOT NULL, redirect_spam INTEGER NOT NULL,
  budget REAL NOT NULL,             -- fetches a day
  disk_bytes INTEGER NOT NULL
);

-- --- workers that joined from anywhere ---

CREATE TABLE worker (
  name TEXT PRIMARY KEY,
  machine TEXT NOT NULL,
  pid INTEGER NOT NULL,
  started REAL NOT NULL,
  seen REAL NOT NULL,               -- its last sign of life
  state TEXT NOT NULL,              -- running, draining, ended
  visits INTEGER NOT NULL,
  stored INTEGER NOT NULL,
  failures INTEGER NOT NULL,
  region TEXT NOT NULL DEFAULT '',
  slot TEXT NOT NULL DEFAULT '',    -- of `cluster start`; empty: started by hand
  idle INTEGER NOT NULL DEFAULT 0   -- it has no host to visit; workers that have some let a part of theirs go
) WITHOUT ROWID;

-- When another worker may visit an IP address: the delay goes on when its hosts go to somebody else.
CREATE TABLE ip_rest (ip TEXT PRIMARY KEY, worker TEXT NOT NULL, ready_at REAL NOT NULL) WITHOUT ROWID;

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

-- The best score of the pages that a worker of a focused crawl has pending: hosts of others wait for it.
CREATE TABLE pending_best (
  topic TEXT NOT NULL, worker TEXT NOT NULL, time REAL NOT NULL, best REAL NOT NULL,
  PRIMARY KEY (topic, worker)
) WITHOUT ROWID;

-- Objects of shared content that are to be deleted, or were: no commit may point to one of them any more.
CREATE TABLE deletion (
  key TEXT PRIMARY KEY,             -- for instance warc/fieldmouse-20260101000000-w0-1-00000.warc.gz
  due REAL NOT NULL,                -- not before this time
  deleted REAL                      -- when that was done
) WITHOUT ROWID;
CREATE INDEX deletion_due ON deletion (deleted, due);

-- --- pages that were erased ---

-- Pages that the operator wants forgotten: their content is erased, and they are not visited again.
CREATE TABLE forgotten (
  url TEXT PRIMARY KEY,
  time REAL NOT NULL,
  versions INTEGER NOT NULL         -- that were erased
) WITHOUT ROWID;
