-- Questions about parked names and redirects.

-- name: domain_dns
SELECT domain, time, expires, name_servers, addresses, aliases, look_until FROM domain_dns WHERE domain = :domain;

-- name: all_domain_dns
SELECT domain, time, expires, name_servers, addresses, aliases, look_until FROM domain_dns;

-- name: put_domain_dns
INSERT INTO domain_dns VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT (domain) DO UPDATE SET
  time = excluded.time, expires = excluded.expires, name_servers = excluded.name_servers,
  addresses = excluded.addresses, aliases = excluded.aliases, look_until = max(look_until, excluded.look_until);

-- name: look_again
UPDATE domain_dns SET look_until = :until WHERE domain = :domain;

-- name: new_home_pages
-- Front doors whose content is new since version :after.
SELECT h.name, p.url, v.id, v.time FROM version AS v
JOIN page AS p ON p.id = v.page AND p.version = v.id JOIN host AS h ON h.id = p.host
WHERE v.id > :after AND p.url IN ('http://' || h.name || '/', 'https://' || h.name || '/')
ORDER BY v.id;

-- name: new_moved_homes
-- Front doors that only send elsewhere.
SELECT h.name, r.source, r.target, r.time FROM redirect AS r
JOIN page AS p ON p.url = r.source JOIN host AS h ON h.id = p.host
WHERE r.id > :after AND r.kind = 'http' AND r.target_domain <> ''
  AND r.source IN ('http://' || h.name || '/', 'https://' || h.name || '/')
ORDER BY r.id;

-- name: last_redirect
SELECT coalesce(max(id), 0) FROM redirect;

-- name: put_home
-- A front door nobody has read yet; one with content is worth more than one that sends elsewhere.
INSERT INTO home VALUES (?, ?, ?, ?, ?, NULL, 0, '', 0, 0, '') ON CONFLICT (domain) DO UPDATE SET
  url = excluded.url, version = excluded.version, moved_to = excluded.moved_to, time = excluded.time,
  shape = NULL, score = 0, cues = '', empty = 0, words = 0, target = ''
WHERE excluded.version IS NOT NULL OR home.version IS NULL;

-- name: read_home
UPDATE home SET shape = ?, score = ?, cues = ?, empty = ?, words = ?, target = ? WHERE domain = ?;

-- name: homes
-- Shapes are long, and few are needed at a time: an empty one says that it was read.
SELECT domain, url, version, moved_to, time, CASE WHEN shape IS NULL THEN NULL ELSE x'' END,
       score, cues, empty, words, target FROM home;

-- name: home
SELECT domain, url, version, moved_to, time, shape, score, cues, empty, words, target FROM home WHERE domain = :domain;

-- name: parking
SELECT kind, value, state, source, score, why, checked FROM parking ORDER BY kind, value;

-- name: put_parking
INSERT OR REPLACE INTO parking VALUES (?, ?, ?, ?, ?, ?, ?);

-- name: turn_away
INSERT OR REPLACE INTO turned_away VALUES (?, ?, ?, ?, ?);

-- name: turned_away_counts
SELECT t.kind, t.value, count(*) FROM turned_away AS t JOIN host AS h ON h.id = t.host
WHERE h.state = 'parked' GROUP BY t.kind, t.value;

-- name: turned_away
-- Also those whose front door was seen as a sample, and that are complete for us.
SELECT t.host, h.name, t.domain, t.kind, t.value, h.fetched > 0 FROM turned_away AS t JOIN host AS h ON h.id = t.host
WHERE h.state IN ('complete', 'parked') ORDER BY t.host;

-- name: forgive
DELETE FROM turned_away WHERE host = :host;

-- name: let_in
UPDATE host SET state = 'waiting', ready_at = 0, pending = max(pending, 1), reason = :reason WHERE id = :host AND state IN ('complete', 'parked', 'redirect_spam');

-- name: see_again
-- What was seen of a host as a sample is visited again, for its links were not followed.
INSERT OR IGNORE INTO site (host, url, depth, hops, via, trail, score, etag, last_modified)
SELECT host, url, 0, 0, via, trail, 0.0, '', '' FROM page WHERE host = :host AND version IS NOT NULL;

-- name: put_redirect
INSERT INTO redirect (source, target, kind, delay, certain, time, source_domain, target_domain)
VALUES (?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (source, target, kind) DO UPDATE SET
  delay = excluded.delay, certain = excluded.certain, time = max(time, excluded.time);

-- name: redirects_of
SELECT source, target, kind, delay, certain, time FROM redirect WHERE source = :url ORDER BY id;

-- name: redirecting_domains
SELECT count(DISTINCT source_domain) FROM redirect WHERE target_domain <> '' AND certain;

-- name: crossing
SELECT source, target FROM redirect WHERE target_domain <> '' AND certain ORDER BY id;

-- name: onward
SELECT target FROM redirect WHERE source = :url AND certain ORDER BY time DESC, id LIMIT 1;

-- name: leading_to
SELECT DISTINCT source FROM redirect WHERE target = :url ORDER BY source LIMIT 100;

-- name: linking_hosts
SELECT DISTINCT t.name, s.name FROM host_link AS l
JOIN host AS s ON s.id = l.source JOIN host AS t ON t.id = l.target
WHERE l.target IN (SELECT CAST(value AS INTEGER) FROM json_each(:targets));

-- name: host_names
SELECT id, name, seed, state FROM host WHERE name > :after ORDER BY name LIMIT :n;

-- name: redirect_farms
SELECT domain, score, reasons, time FROM redirect_farm ORDER BY domain;

-- name: redirect_farm
SELECT domain, score, reasons, time FROM redirect_farm WHERE domain = :domain;

-- name: put_redirect_farm
INSERT OR REPLACE INTO redirect_farm VALUES (?, ?, ?, ?);

-- name: drop_redirect_farm
DELETE FROM redirect_farm WHERE domain = :domain;

-- name: shun
UPDATE host SET state = 'redirect_spam', reason = :reason, closed_at = :now WHERE id = :host AND seed = 0 AND state IN ('waiting', 'resting', 'complete', 'given_up');
