-- Queries of repairs, by name.

-- name: visit_records
-- Every record of a visit, in the order of the files.
SELECT f.id, f.name, f.kind, v."offset", v.length, coalesce(v.request, 0), v.page, v.time, p.url
FROM visit AS v JOIN page AS p ON p.id = v.page JOIN file AS f ON f.id = v.file
ORDER BY f.id, v."offset";

-- name: put_damage
INSERT OR REPLACE INTO damage VALUES (:file, :offset, :length, :now, :reason, :copy);

-- name: damage
SELECT f.kind, f.name, d."offset", d.length FROM damage AS d JOIN file AS f ON f.id = d.file ORDER BY d.file, d."offset";

-- name: is_damaged_file
SELECT 1 FROM damage WHERE file = :file LIMIT 1;

-- name: mark_version
UPDATE version SET damaged = :reason WHERE page = :page AND file = :file AND "offset" = :offset;

-- name: unlink_record
UPDATE visit SET file = NULL, "offset" = NULL, length = NULL, request = NULL,
  note = note || iif(note = '', '', '; ') || :note
WHERE page = :page AND time = :time;

-- name: unlink_request
UPDATE visit SET request = NULL WHERE page = :page AND time = :time;

-- name: step_back
-- The page as it is known without a damaged version: its newest whole one. It is fetched whole at the next visit.
UPDATE page SET
  version = (SELECT id FROM version WHERE page = :page AND damaged = '' ORDER BY time DESC, id DESC LIMIT 1),
  etag = '', last_modified = '', due = iif(due IS NULL, NULL, min(due, :now))
WHERE id = :page AND version IN (SELECT id FROM version WHERE page = :page AND damaged <> '')
RETURNING version;

-- name: tagged_versions
SELECT v.id, p.url, f.name, v."offset", v.length, t.name, v.tag_offset, v.tag_length
FROM version AS v JOIN page AS p ON p.id = v.page JOIN file AS f ON f.id = v.file JOIN file AS t ON t.id = v.tag_file
WHERE v.damaged = '' ORDER BY v.tag_file, v.tag_offset;

-- name: set_tags
UPDATE version SET tag_file = :file, tag_offset = :offset, tag_length = :length WHERE id = :id;

-- name: shorten_file
-- Nothing is appended to a WARC file that lost its end; a worker's tag and log files go on.
UPDATE file SET size = :size, open = iif(kind = 'warc', 0, open) WHERE id = :id;

-- name: rebuilt_hosts
-- Hosts whose pages were read from files: complete, unless pages are pending.
UPDATE host SET
  state = iif(id IN (SELECT host FROM site) OR id IN (SELECT host FROM entry), 'waiting', 'complete'),
  pending = (SELECT count(*) FROM site WHERE site.host = host.id),
  priority = (SELECT count(*) FROM site WHERE site.host = host.id) + :seed * seed,
  closed_at = :now, reason = 'rebuilt from the files'
WHERE id IN (SELECT host FROM page);

-- name: drop_visited_entries
DELETE FROM entry WHERE url IN (SELECT url FROM page);
