-- Regions and the homes of hosts. :clock is the time of the engine.

-- name: put_region
INSERT OR IGNORE INTO region (name, state, epoch, since) VALUES (:name, 'up', 1, :clock);

-- name: silent_regions
-- Regions without a sign of life of any worker for so long.
SELECT r.name FROM region AS r WHERE r.state = 'up'
  AND coalesce((SELECT max(w.seen) FROM worker AS w WHERE w.region = r.name), r.since) < :clock - :seconds
  AND r.since < :clock - :seconds;

-- name: region_state
SELECT state FROM region WHERE name = :name;

-- name: set_region_state
UPDATE region SET state = :state, epoch = epoch + 1, since = :clock WHERE name = :name AND state <> :state;

-- name: put_region_decision
INSERT INTO region_decision (time, host, before, region, reason) VALUES (:clock, :host, :before, :region, :reason);

-- name: regions
SELECT r.name, r.state, r.epoch, :clock - r.since, (SELECT count(*) FROM host_home AS o WHERE o.region = r.name),
       (SELECT count(*) FROM worker AS w WHERE w.region = r.name AND w.state <> 'ended' AND w.seen > :clock - :seconds)
FROM region AS r ORDER BY r.name;

-- name: homeless_hosts
-- Hosts without a home at the head of the queue, the best first.
SELECT h.id, h.name FROM (
  SELECT id, name, priority FROM host WHERE state = 'waiting' ORDER BY priority DESC LIMIT 2000
) AS h
WHERE NOT EXISTS (SELECT 1 FROM host_home AS o WHERE o.host = h.id)
ORDER BY h.priority DESC LIMIT :n;

-- name: domain_homes
SELECT domain, region, count(*) FROM host_home WHERE domain IN (SELECT value FROM json_each(:domains)) GROUP BY domain, region;

-- name: linked_homes
-- Links between hosts without a home and the hosts of each region, in both directions.
SELECT l.target, o.region, sum(l.links) FROM host_link AS l JOIN host_home AS o ON o.host = l.source
WHERE l.target IN (SELECT CAST(value AS INTEGER) FROM json_each(:ids)) GROUP BY l.target, o.region
UNION ALL
SELECT l.source, o.region, sum(l.links) FROM host_link AS l JOIN host_home AS o ON o.host = l.target
WHERE l.source IN (SELECT CAST(value AS INTEGER) FROM json_each(:ids)) GROUP BY l.source, o.region;

-- name: home_counts
SELECT r.name, (SELECT count(*) FROM host_home AS o WHERE o.region = r.name) FROM region AS r WHERE r.state = 'up';

-- name: put_host_homes
INSERT OR IGNORE INTO host_home (host, region, domain, epoch, since, reason) VALUES (?, ?, ?, 1, ?, ?);

-- name: move_host_home
UPDATE host_home SET region = :region, epoch = epoch + 1, since = :clock, reason = :reason
WHERE host = :host AND region = :before;

-- name: host_home
SELECT o.region, o.epoch, o.reason FROM host_home AS o JOIN host AS h ON h.id = o.host WHERE h.name = :name;

-- name: measured_connect
INSERT INTO connect_time (host, region, seconds, measured) SELECT id, :region, :seconds, 1 FROM host WHERE name = :name
ON CONFLICT (host, region) DO UPDATE SET seconds = min(seconds, excluded.seconds), measured = measured + 1;

-- name: unmeasured_hosts
-- Hosts whose connect time was not measured from a region.
SELECT h.name FROM host_home AS o JOIN host AS h ON h.id = o.host
WHERE h.ip <> ''
  AND NOT EXISTS (SELECT 1 FROM connect_time AS t WHERE t.host = o.host AND t.region = :region)
ORDER BY o.since DESC LIMIT :n;

-- name: nearer_regions
-- Hosts that another region which is up reaches in a clearly shorter time than their home.
SELECT o.host, o.region, other.region, mine.seconds, other.seconds
FROM host_home AS o
JOIN connect_time AS mine ON mine.host = o.host AND mine.region = o.region
JOIN connect_time AS other ON other.host = o.host AND other.region <> o.region
JOIN region AS r ON r.name = other.region AND r.state = 'up'
WHERE other.seconds < mine.seconds * :share AND mine.seconds - other.seconds > :least AND o.since < :clock - :rest
ORDER BY mine.seconds - other.seconds DESC LIMIT :n;

-- name: region_decisions
SELECT d.time, coalesce(h.name, ''), d.before, d.region, d.reason FROM region_decision AS d
LEFT JOIN host AS h ON h.id = d.host ORDER BY d.id DESC LIMIT :n;

-- name: home_links
-- Links between hosts, with the domains and the homes of both; those of hosts without a home are not counted.
SELECT s.name, t.name, a.region, b.region, l.links
FROM host_link AS l JOIN host_home AS a ON a.host = l.source JOIN host_home AS b ON b.host = l.target
JOIN host AS s ON s.id = l.source JOIN host AS t ON t.id = l.target;

-- name: link_bytes
SELECT coalesce(avg(length(url)), 0.0) FROM (SELECT url FROM entry LIMIT 10000) AS few;

-- name: placements
SELECT region, workers, placer, CASE WHEN placer <> '' THEN :clock - seen END FROM placement ORDER BY region;

-- name: set_placement
INSERT INTO placement (region, workers, placer, seen) VALUES (:region, :workers, '', 0)
ON CONFLICT (region) DO UPDATE SET workers = excluded.workers;

-- name: lower_placement
UPDATE placement SET workers = max(0, workers - 1) WHERE region = :region;

-- name: keep_placements
UPDATE placement SET placer = :placer, seen = :clock WHERE placer = '' OR placer = :placer OR seen < :clock - :seconds;

-- name: leave_placements
UPDATE placement SET placer = '' WHERE placer = :placer;

-- name: drop_reservation
DELETE FROM reservation WHERE worker = :worker;

-- name: reserved
SELECT coalesce(sum(pages), 0) FROM reservation WHERE worker <> :worker AND expires_at > :clock;

-- name: put_reservation
INSERT OR REPLACE INTO reservation (worker, pages, expires_at) VALUES (:worker, :pages, :clock + :seconds);
