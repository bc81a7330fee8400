-- Forecasts, change rates and announcements.

-- name: add_forecast
INSERT INTO forecast VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT (day, host) DO UPDATE SET
  visits = visits + excluded.visits, expected = expected + excluded.expected, seen = seen + excluded.seen,
  variance = variance + excluded.variance;

-- name: forget_forecasts
DELETE FROM forecast WHERE day < :day;

-- name: forecasts
SELECT day, expected, seen, variance, host FROM forecast WHERE day >= :day;

-- name: was_visited
-- Whether a page was visited more than once.
SELECT 1 FROM page WHERE id = :id AND visits > 1 AND version IS NOT NULL;

-- name: forecast_pages_count
SELECT count(*) FROM (SELECT 1 FROM page WHERE rate IS NOT NULL AND version IS NOT NULL LIMIT :n);

-- name: forecast_pages
-- The forecast learns from every page that ever had a plan, also from those that are gone.
SELECT id, url, first_seen, last_visit FROM page WHERE rate IS NOT NULL AND version IS NOT NULL ORDER BY id LIMIT :n;

-- name: set_rates
UPDATE page SET rate = ?, shape = ? WHERE id = ?;

-- name: visit_outcomes
-- Visits that showed whether a copy had changed. Only pages visited since are looked up.
SELECT v.page, v.time, v.gap, v.changed FROM page AS p CROSS JOIN visit AS v ON v.page = p.id
WHERE p.last_visit > :since AND p.rate IS NOT NULL AND p.version IS NOT NULL
  AND v.time > :since AND v.time <= :until AND v.known_by IN ('digest', '304') AND v.gap > 0
ORDER BY v.time, v.page;

-- name: announce
-- The site itself says that a page was modified after our last visit; one that was gone may be back.
INSERT INTO announcement
SELECT id, :source, :now, :modified, :made_due FROM page
WHERE url = :url AND last_visit < :modified AND (due IS NOT NULL OR status IN (404, 410))
ON CONFLICT (page) DO UPDATE SET modified = excluded.modified, made_due = max(made_due, excluded.made_due);

-- name: announcements
SELECT page, source, made_due FROM announcement WHERE page IN (SELECT CAST(value AS INTEGER) FROM json_each(:pages));

-- name: drop_announcement
DELETE FROM announcement WHERE page = ?;

-- name: announcer
SELECT agreed, misled FROM announcer WHERE host = :host AND source = :source;

-- name: announcers
SELECT source, agreed, misled FROM announcer WHERE host = :host ORDER BY source;

-- name: validator
SELECT agreed, misled FROM validator WHERE host = :host;

-- name: add_announcer
INSERT INTO announcer VALUES (?, ?, ?, ?) ON CONFLICT (host, source) DO UPDATE SET
  agreed = agreed + excluded.agreed, misled = misled + excluded.misled;

-- name: ignore_announcements
-- Pages that a host made due by false announcements are scheduled like all others again.
UPDATE announcement SET made_due = 0
WHERE source = :source AND page IN (SELECT id FROM page WHERE host = (SELECT id FROM host WHERE name = :host));

-- name: put_feed
INSERT OR IGNORE INTO feed VALUES (?, ?);

-- name: feeds_of
SELECT host, url FROM feed WHERE host IN (SELECT CAST(value AS INTEGER) FROM json_each(:hosts)) ORDER BY host, url;
