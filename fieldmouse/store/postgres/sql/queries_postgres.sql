-- Queries that PostgreSQL needs in a form of its own.

-- name: add_hosts
INSERT INTO host (name, state, priority, pending, in_hosts, in_links, sketch, entries, seed, ip, ready_at,
                  fetched, turns, first_seen, closed_at, reason, domain)
VALUES (?, ?, 0, 0, 0, 0, x'', 0, 0, '', 0, 0, 0, ?, 0, ?, ?) ON CONFLICT DO NOTHING;

-- name: adopt_host
INSERT INTO host (name, state, priority, pending, in_hosts, in_links, sketch, entries, seed, ip, ready_at,
                  fetched, turns, first_seen, closed_at, reason, domain)
VALUES (:name, 'complete', 0, 0, 0, 0, x'', 0, 0, '', 0, 0, 0, :now, :now, :reason, :domain)
ON CONFLICT DO NOTHING;

-- name: candidates
-- What another worker is just taking is passed over: nobody waits for anybody.
SELECT id, name, epoch + 1, seed, fetched, coalesce((SELECT data FROM host_noise AS n WHERE n.host = host.name), x'') FROM host
WHERE state = 'waiting' AND paused_at IS NULL AND priority >= :least
  AND (ip = '' OR NOT EXISTS (SELECT 1 FROM lease WHERE lease.ip = host.ip AND lease.worker <> :worker))
ORDER BY priority DESC LIMIT :n FOR UPDATE OF host SKIP LOCKED;

-- name: candidates_in_region
SELECT id, name, epoch + 1, seed, fetched, coalesce((SELECT data FROM host_noise AS n WHERE n.host = host.name), x'') FROM host
WHERE state = 'waiting' AND paused_at IS NULL AND priority >= :least
  AND (ip = '' OR NOT EXISTS (SELECT 1 FROM lease WHERE lease.ip = host.ip AND lease.worker <> :worker))
  AND EXISTS (SELECT 1 FROM host_home AS o JOIN region AS r ON r.name = o.region
              WHERE o.host = host.id AND (o.region = :region OR r.state = 'lost'))
ORDER BY priority DESC LIMIT :n FOR UPDATE OF host SKIP LOCKED;

-- name: wake_hosts
UPDATE host SET state = 'waiting' WHERE id IN (
  SELECT id FROM host WHERE state IN ('resting', 'given_up', 'parked') AND ready_at <= :now
  FOR UPDATE SKIP LOCKED);

-- name: lock_hosts
-- In the order of ids, as everybody does who changes several hosts: so nobody waits in a circle.
SELECT id FROM host WHERE id IN (SELECT CAST(value AS INTEGER) FROM json_each(:hosts)) ORDER BY id FOR UPDATE;

-- name: hosts_by_name
-- They are changed next; another worker may just be leasing one of them.
SELECT name, id, state, in_hosts, in_links, sketch, entries, seed, pending, priority, score, named
FROM host WHERE name IN (SELECT value FROM json_each(:names)) ORDER BY id FOR UPDATE;

-- name: host_rows
-- Of those that nobody else is just leasing.
SELECT id, name, epoch + 1, seed, fetched, coalesce((SELECT data FROM host_noise AS n WHERE n.host = host.name), x'')
FROM host WHERE id IN (SELECT CAST(value AS INTEGER) FROM json_each(:hosts)) AND state NOT IN ('open', 'parked', 'redirect_spam')
FOR UPDATE OF host SKIP LOCKED;

-- name: expired_leases
-- Whose worker is just committing, and so renewing them, is passed over.
SELECT host FROM lease WHERE expires_at <= :clock AND worker <> :alive FOR UPDATE SKIP LOCKED;

-- name: leases_of
SELECT host FROM lease WHERE worker = :worker FOR UPDATE;

-- name: left_leases
-- Workers of other machines live on.
SELECT host FROM lease WHERE worker ~ '^w[0-9]+$' FOR UPDATE;

-- name: queue_state
-- Without paused hosts. Links that are not merged yet may lead to hosts that wait.
SELECT
  (SELECT count(*) FROM host WHERE state = 'waiting' AND paused_at IS NULL) + CAST(EXISTS (SELECT 1 FROM unmerged_link) AS integer),
  (SELECT count(*) FROM lease),
  (SELECT count(*) FROM host WHERE state = 'resting' AND paused_at IS NULL),
  (SELECT min(ready_at) FROM host WHERE state = 'resting' AND paused_at IS NULL);

-- name: put_redirect
INSERT INTO redirect AS r (source, target, kind, delay, certain, time, source_domain, target_domain)
VALUES (?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (md5(source || ' ' || target), kind) DO UPDATE
SET delay = excluded.delay, certain = excluded.certain, time = greatest(r.time, excluded.time);

-- name: linked
SELECT l.source, l.target FROM jsonb_array_elements(CAST(:pairs AS jsonb)) AS p(value)
JOIN host_link AS l ON l.source = CAST(p.value ->> 0 AS INTEGER) AND l.target = CAST(p.value ->> 1 AS INTEGER);

-- name: named_at
SELECT n.host, n.author, n.time FROM jsonb_array_elements(CAST(:pairs AS jsonb)) AS p(value)
JOIN named_by AS n ON n.host = CAST(p.value ->> 0 AS INTEGER) AND n.author = p.value ->> 1;

-- name: page_states
SELECT p.id, h.name, substr(iso(p.last_change), 1, 7), p.version,
       coalesce((SELECT d.version FROM document AS d WHERE d.page = p.id), 0),
       coalesce((SELECT c.best FROM copy AS c WHERE c.page = p.id), 0),
       coalesce((SELECT string_agg(concat(j.topic, j.score), ',' ORDER BY j.topic) FROM judgement AS j WHERE j.page = p.id), '')
         || coalesce((SELECT string_agg(concat(c.class, c.probability), ',' ORDER BY c.class) FROM page_class AS c WHERE c.page = p.id), '')
FROM {pages} AS p JOIN host AS h ON h.id = p.host
WHERE {filter} ORDER BY p.host, 3, p.id;

-- name: table_columns
SELECT table_name, column_name FROM information_schema.columns
WHERE table_schema = current_schema() OR table_schema LIKE 'pg\_temp\_%';

-- name: index_page
INSERT INTO search (page, words) VALUES (:page, CAST(:words AS tsvector))
ON CONFLICT (page) DO UPDATE SET words = excluded.words;

-- name: unindex_page
DELETE FROM search WHERE page = :page;

-- name: drop_words
DELETE FROM search;

-- name: indexed_texts
SELECT d.page, d.title, t.data FROM document AS d JOIN page_text AS t ON t.page = d.page ORDER BY d.page;

-- name: index_bytes
SELECT pg_total_relation_size('search');

-- name: search_hits
-- The newest pages that match, with their scores: the less, the better. With :newest the score is the last change.
SELECT s.page, CASE WHEN :newest = 1 THEN -p.last_change
  ELSE -ts_rank(CAST(ARRAY[0.2, 0.2, 0.2, 1.0] AS real[]), s.words, CAST(:match AS tsquery), 1) END
FROM search AS s JOIN {pages} AS p ON p.id = s.page
WHERE s.words @@ CAST(:match AS tsquery) AND {filter} ORDER BY s.page DESC LIMIT :cap;

-- name: search_hit
SELECT p.url, h.name, coalesce(nullif(p.title, ''), d.title, ''), p.language, p.first_seen, p.last_change, p.private, t.data
FROM page AS p JOIN host AS h ON h.id = p.host JOIN page_text AS t ON t.page = p.id LEFT JOIN document AS d ON d.page = p.id
WHERE p.id = :page;

-- name: in_bands
SELECT CAST((SELECT json_agg(page) FROM (SELECT page FROM band WHERE band = CAST(value AS INTEGER) ORDER BY page DESC LIMIT :n) AS b) AS text)
FROM json_each(:bands) WHERE EXISTS (SELECT 1 FROM band WHERE band = CAST(value AS INTEGER) AND page <> :page);

-- name: other_tables
-- Whether another program has tables where those of an archive are to be made.
SELECT 1 FROM pg_tables WHERE schemaname = current_schema() AND tablename <> 'schema_version' LIMIT 1;
