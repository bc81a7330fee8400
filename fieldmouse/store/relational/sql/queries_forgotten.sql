-- Queries that erase a page on request of the operator.

-- name: forgotten_pages
SELECT f.url, f.time, f.versions, p.version IS NOT NULL
FROM forgotten AS f LEFT JOIN page AS p ON p.url = f.url ORDER BY f.time, f.url;

-- name: is_forgotten
SELECT 1 FROM forgotten WHERE url = :url;

-- name: drop_forgotten
DELETE FROM forgotten WHERE url = :url;

-- name: add_forgotten
INSERT INTO forgotten VALUES (:url, :now, :versions);

-- name: forgettable_page
-- A page, its host, and what the totals count of it.
SELECT p.id, p.host, p.version IS NOT NULL, (SELECT count(*) FROM version WHERE page = p.id),
       (SELECT count(*) FROM visit WHERE page = p.id), (SELECT count(*) FROM visit WHERE page = p.id AND changed > 0)
FROM page AS p WHERE p.url = :url;

-- name: erase_page_records
-- The records of every visit of a page, with their requests. A record that another page uses too stays.
INSERT INTO erased_record
SELECT v.file, v."offset", v.length + coalesce(v.request, 0) FROM visit AS v
WHERE v.page = :page AND v.file IS NOT NULL AND NOT EXISTS (
  SELECT 1 FROM visit AS o WHERE o.file = v.file AND o."offset" = v."offset" AND o.page <> v.page)
ON CONFLICT DO NOTHING;

-- name: erase_page_versions
DELETE FROM version WHERE page = :page;

-- name: erase_page_visits
DELETE FROM visit WHERE page = :page;

-- name: erase_page_changes
DELETE FROM change_log WHERE page = :page;

-- name: erase_page_seen
DELETE FROM seen_change WHERE page = :page;

-- name: erase_page_judgements
DELETE FROM judgement WHERE page = :page;

-- name: erase_page_labels
DELETE FROM label WHERE page = :page;

-- name: erase_page_answers
DELETE FROM label_answer WHERE page = :page;

-- name: erase_page_classes
DELETE FROM page_class WHERE page = :page;

-- name: erase_page_noise
DELETE FROM page_noise WHERE page = :page;

-- name: erase_page_predictions
DELETE FROM prediction WHERE page = :page;

-- name: erase_page_audits
DELETE FROM audit WHERE page = :page;

-- name: erase_page_announcement
DELETE FROM announcement WHERE page = :page;

-- name: erase_page_controls
DELETE FROM control_fetch WHERE page = :page;

-- name: erase_url_submissions
DELETE FROM submission WHERE url = :url;

-- name: erase_url_redirects
DELETE FROM redirect WHERE source = :url;

-- name: erase_url_mentions
DELETE FROM post_link WHERE url = :url;

-- name: erase_url_home
DELETE FROM home WHERE url = :url;

-- name: empty_page
-- The row stays, so that links to the page do not make it pending again.
UPDATE page SET version = NULL, status = 0, trouble = '', mime = '', title = '', language = '', etag = '',
  last_modified = '', visits = 0, versions = 0, links = NULL, emails = NULL, images = NULL, text_bytes = NULL,
  has_last_modified = NULL, directory_level = NULL, due = NULL, rate = NULL, shape = NULL, misses = 0, private = 0,
  sent = 0
WHERE id = :page;

-- name: uncount_forgotten
UPDATE host_tally SET stored = stored - :stored, visits = visits - :visits, changes = changes - :changes
WHERE host = :host;
