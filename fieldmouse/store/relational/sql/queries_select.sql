-- Pages by a filter (`page_filter.py`), and runs of the program.

-- name: where_stored
p.version IS NOT NULL

-- name: where_original
NOT EXISTS (SELECT 1 FROM fingerprint AS k JOIN copy_group AS g ON g.id = k.copy_group WHERE k.page = p.id AND g.best <> p.id)

-- name: where_no_spam
p.host NOT IN (SELECT id FROM host WHERE state IN ('parked', 'redirect_spam'))
AND NOT EXISTS (SELECT 1 FROM document AS s INDEXED BY document_spam WHERE s.page = p.id AND s.spam = 1)
AND NOT EXISTS (SELECT 1 FROM submission AS q INDEXED BY submission_spam WHERE q.version = p.version AND q.spam = 1)

-- name: where_host
p.host = (SELECT id FROM host WHERE name = :host)

-- name: where_domain
p.host IN (SELECT id FROM host WHERE domain_of(name) = :domain)

-- name: where_language
-- en also means en-GB.
lower(p.language) = lower(:language)
OR substr(lower(p.language), 1, length(:language) + 1) = lower(:language) || '-'

-- name: where_topic
EXISTS (SELECT 1 FROM judgement AS j WHERE j.topic = :topic AND j.page = p.id AND j.score > 0.5)

-- name: where_in_class
EXISTS (SELECT 1 FROM page_class AS c WHERE c.page = p.id AND c.class = :in_class)

-- name: where_since
p.first_seen >= :since

-- name: where_changed_since
p.last_change >= :changed_since

-- name: where_changed_before
p.last_change < :changed_before

-- name: exported_visits
-- Visits that left a record, by a filter of their pages, in the order of the files.
SELECT p.url, v.time, v.status, coalesce(n.mime, p.mime), v.digest,
       n.id IS NULL AND v.known_by IN ('304', 'digest'), f.name, v."offset", v.length, coalesce(v.request, 0)
FROM {visits} AS v JOIN {pages} AS p ON p.id = v.page JOIN file AS f ON f.id = v.file
LEFT JOIN version AS n ON n.page = v.page AND n.file = v.file AND n."offset" = v."offset"
WHERE v.file IS NOT NULL AND {filter}
ORDER BY f.id, v."offset";

-- name: page_states
SELECT p.id, h.name, strftime('%Y-%m', p.last_change, 'unixepoch'), p.version,
       coalesce((SELECT d.version FROM document AS d WHERE d.page = p.id), 0),
       coalesce((SELECT c.best FROM copy AS c WHERE c.page = p.id), 0),
       coalesce((SELECT CAST(json_group_object(j.topic, j.score) AS TEXT) FROM judgement AS j WHERE j.page = p.id), '')
         || coalesce((SELECT CAST(json_group_object(c.class, c.probability) AS TEXT) FROM page_class AS c WHERE c.page = p.id), '')
FROM {pages} AS p JOIN host AS h ON h.id = p.host
WHERE {filter} ORDER BY p.host, 3, p.id;

-- name: selected_pages
-- Pages by a filter, in the order of their first visits.
SELECT p.id, p.url, h.name, p.first_seen, p.last_visit, p.last_change, p.status, p.trouble, p.mime, p.title,
       p.language, p.etag, p.last_modified, p.depth, p.via, p.trail, p.visits, p.versions, p.private,
       p.links, p.emails, p.images, p.text_bytes, p.has_last_modified, p.directory_level, p.version,
       v.time, v.status, v.mime, v.charset, v.digest, v.text_digest, v.size,
       f.name, v."offset", v.length, t.name, v.tag_offset, v.tag_length, v.damaged, v.private
FROM {pages} AS p JOIN host AS h ON h.id = p.host LEFT JOIN version AS v ON v.id = p.version
LEFT JOIN file AS f ON f.id = v.file LEFT JOIN file AS t ON t.id = v.tag_file
WHERE p.id > :after AND {filter}
ORDER BY p.id LIMIT :n;

-- name: count_pages
SELECT count(*) FROM {pages} AS p WHERE {filter};

-- name: begin_run
INSERT INTO run (kind, began, result, visits, pages, changes, failures, bytes)
VALUES (:kind, :began, 'running', :visits, :pages, :changes, :failures, :bytes) RETURNING id;

-- name: end_runs
-- The counts become those of the run.
UPDATE run SET ended = :ended, result = :result, visits = :visits - visits, pages = :pages - pages,
  changes = :changes - changes, failures = :failures - failures, bytes = :bytes - bytes
WHERE result = 'running';
