-- Queries of what readers sent.

-- name: sent_state
-- A page before a reader's content is added: its newest content, and whether that is private.
SELECT p.id, v.time, p.private FROM page AS p LEFT JOIN version AS v ON v.id = p.version WHERE p.url = :url;

-- name: sent_version
-- Content that a reader sent before, with the same privacy.
SELECT v.id FROM version AS v JOIN page AS p ON p.id = v.page
WHERE p.url = :url AND v.origin = 'reader' AND v.private = :private AND v.digest = :digest ORDER BY v.id DESC LIMIT 1;

-- name: mark_sent
UPDATE version SET origin = 'reader' WHERE id = :id;

-- name: count_sent
UPDATE page SET sent = sent + 1 WHERE id = :id;

-- name: add_sent
-- A reader's content is not the newest: it adds to the history of the page.
UPDATE page SET visits = visits + 1, versions = versions + 1, sent = sent + 1, first_seen = min(first_seen, :time)
WHERE id = :id;

-- name: show_sent
-- A reader's content becomes the newest. What the crawler knows stays: validators, features, schedule.
UPDATE page SET version = :version, private = :private, last_change = :time, mime = :mime, title = :title,
  language = :language, visits = visits + 1, versions = versions + 1, sent = sent + 1
WHERE id = :id;

-- name: count_sent_host
INSERT INTO host_tally VALUES (:host, :pages, :stored, 1, 0, 0, 0, 0, :time, NULL, '')
ON CONFLICT (host) DO UPDATE SET pages = pages + excluded.pages, stored = stored + excluded.stored, visits = visits + 1;

-- name: uncount_sent_host
UPDATE host_tally SET pages = pages - :pages, stored = stored - :stored, visits = visits - 1 WHERE host = :page_host;

-- name: put_submission
INSERT INTO submission (
  id, url, user, received, taken, state, reason, private, tags, comment, version, content_score, comment_score,
  spam
) VALUES (
  :id, :url, :user, :received, :taken, :state, :reason, :private, :tags, :comment,
  (SELECT v.id FROM version AS v JOIN page AS p ON p.id = v.page
   WHERE p.url = :url AND v.origin = 'reader' AND v.private = :private AND v.digest = :digest
   ORDER BY v.id DESC LIMIT 1),
  :content_score, :comment_score, :spam
) ON CONFLICT DO NOTHING;

-- name: submission
SELECT id, url, user, received, taken, state, reason, private, tags, comment, version, content_score, comment_score, spam
FROM submission WHERE id = :id;

-- name: submissions_of_user
SELECT id, url, user, received, taken, state, reason, private, tags, comment, version, content_score, comment_score, spam
FROM submission WHERE user = :user AND received < :before ORDER BY received DESC, id LIMIT :n;

-- name: submissions_of_url
SELECT id, url, user, received, taken, state, reason, private, tags, comment, version, content_score, comment_score, spam
FROM submission WHERE url = :url ORDER BY received DESC, id LIMIT :n;

-- name: submissions_before
SELECT id FROM submission WHERE received < :before ORDER BY received LIMIT :n;

-- name: count_submissions
SELECT count(*) FROM submission WHERE user = :user;

-- name: senders
-- Who sent each version of a page.
SELECT s.version, s.user FROM submission AS s JOIN version AS v ON v.id = s.version WHERE v.page = :page;

-- name: count_reader_visits
SELECT count(*) FROM reader_visit WHERE reader = (SELECT id FROM reader WHERE user = :user);

-- name: visits_of_reader
SELECT u.url, v.time FROM reader_visit AS v JOIN visited_url AS u ON u.id = v.url
WHERE v.reader = (SELECT id FROM reader WHERE user = :user) ORDER BY v.time;

-- name: erase_reader_visits
DELETE FROM reader_visit WHERE reader = (SELECT id FROM reader WHERE user = :user);

-- name: expire_reader_visits
DELETE FROM reader_visit WHERE time < :before;

-- name: drop_unvisited_urls
DELETE FROM visited_url WHERE NOT EXISTS (SELECT 1 FROM reader_visit WHERE url = visited_url.id);

-- name: drop_readers
DELETE FROM reader WHERE id NOT IN (SELECT reader FROM reader_visit);

-- name: erase_submission
DELETE FROM submission WHERE id = :id;

-- name: shared_version
-- Whether another submission has the same content.
SELECT 1 FROM submission WHERE version = :version LIMIT 1;

-- name: version_record
-- The record of a version: its file, its place with the request record, its page, time and host.
SELECT v.file, v."offset", v.length + coalesce(x.request, 0), v.page, v.time, p.host
FROM version AS v JOIN page AS p ON p.id = v.page LEFT JOIN visit AS x ON x.page = v.page AND x.time = v.time WHERE v.id = :id AND v.origin = 'reader';

-- name: add_erased_record
INSERT INTO erased_record VALUES (:file, :offset, :length) ON CONFLICT DO NOTHING;

-- name: erased_records
SELECT e.file, f.name, e."offset", e.length FROM erased_record AS e JOIN file AS f ON f.id = e.file;

-- name: drop_erased_record
DELETE FROM erased_record WHERE file = :file AND "offset" = :offset;

-- name: erase_version
DELETE FROM version WHERE id = :id;

-- name: erase_version_visit
DELETE FROM visit WHERE page = :page AND time = :time AND known_by = 'reader';

-- name: newest_left
-- What is left of a page without an erased version.
SELECT id, private FROM version WHERE page = :page ORDER BY private, time DESC, id DESC LIMIT 1;

-- name: page_without
-- Forget what an erased version says of its page.
UPDATE page SET version = :version, private = :private, versions = versions - 1, sent = sent - 1, visits = visits - 1,
  title = iif(version IS :erased, '', title), language = iif(version IS :erased, '', language)
WHERE id = :page;

-- name: erase_page
-- A page that nobody but readers ever showed to the archive.
DELETE FROM page WHERE id = :page AND visits <= 0 AND versions <= 0;

-- name: erase_fingerprint
DELETE FROM fingerprint WHERE page = :page;

-- name: erase_bands
DELETE FROM band WHERE page = :page;
