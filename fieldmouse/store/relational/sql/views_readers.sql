-- Views on what readers sent, for the queries of users. See views_pages.sql.

-- view: submissions
-- One row for each page that a reader sent. A score is higher for spam.
SELECT
  s.url AS url, -- TEXT canonical URL
  s.user AS user, -- TEXT who sent it: a salted hash
  iso(s.received) AS received, -- TIME when it was received
  s.state AS state, -- TEXT stored, unchanged, address (no content), refused, spam (not kept)
  s.reason AS reason, -- TEXT why it was refused, or why the crawler does not visit the address
  s.private AS private, -- BOOLEAN 1: it never leaves the archive
  s.tags AS tags, -- JSON tags of the reader
  s.comment AS comment, -- TEXT comment of the reader
  s.content_score AS content_score, -- INTEGER 0 to 99 (spam); NULL: not scored
  s.comment_score AS comment_score, -- INTEGER 0 to 256 (spam); NULL: not scored
  s.spam AS spam, -- BOOLEAN 1: its content was above spam.content_threshold when it was taken in
  s.version AS version, -- INTEGER number of the version with its content
  s.id AS id -- TEXT number of the submission
FROM submission AS s;

-- view: reader_visits
-- One row for each visit of a reader to a page, in the archive or not.
SELECT
  u.url AS url, -- TEXT canonical URL
  iso(v.time) AS time, -- TIME of the visit
  r.user AS user -- TEXT who visited it: a salted hash
FROM reader_visit AS v JOIN visited_url AS u ON u.id = v.url JOIN reader AS r ON r.id = v.reader;
