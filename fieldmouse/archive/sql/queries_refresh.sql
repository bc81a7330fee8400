-- Questions about forecasts, experience and announcements.

-- name: add_forecast
INSERT INTO forecast VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT (day, host) DO UPDATE SET
  visits = visits + excluded.visits, expected = expected + excluded.expected, seen = seen + excluded.seen,
  variance = variance + excluded.variance;

-- name: forget_forecasts
DELETE FROM forecast WHERE day < :day;

-- name: forecasts
SELECT expected, seen, variance FROM forecast WHERE day >= :day;

-- name: some_visited
-- A sample of pages that were visited more than once, spread over all ids.
SELECT id FROM page WHERE id % :step = :rest AND visits > 1 AND version IS NOT NULL;
