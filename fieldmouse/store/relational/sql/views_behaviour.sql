-- Views on what readers do, and what the schedule decided by it. See views_pages.sql.

-- view: reader_pages
-- One row for each page of the archive that readers visited.
SELECT
  p.url AS url, -- TEXT canonical URL
  (SELECT count(*) FROM reader_visit AS v WHERE v.url = u.id) AS visits, -- INTEGER visits of readers that are kept
  (SELECT count(DISTINCT v.reader) FROM reader_visit AS v WHERE v.url = u.id) AS readers, -- INTEGER readers who visited it
  (SELECT count(*) FROM reader_visit AS v WHERE v.url = u.id AND v.time > p.last_visit) AS visits_since_check, -- INTEGER visits since the last fetch
  iso((SELECT max(v.time) FROM reader_visit AS v WHERE v.url = u.id)) AS last_read, -- TIME last visit of a reader
  iso(p.last_visit) AS last_checked, -- TIME last fetch
  p.id AS id -- INTEGER number of the page in this archive
FROM visited_url AS u JOIN page AS p ON p.url = u.url;

-- view: behaviour_decisions
-- One row for each decision that the schedule made by what readers did (behaviour.mode).
SELECT
  p.url AS url, -- TEXT canonical URL
  iso(d.time) AS time, -- TIME of the decision
  d.mode AS mode, -- TEXT veto or index
  d.action AS action, -- TEXT passed, skipped, explored (fetched by chance although it would be skipped), forced (skipped too often, or too old), forward, back
  d.probability AS probability, -- REAL probability that the page had changed since its last fetch
  CASE WHEN d.probability > 0.5 THEN d.probability ELSE 1.0 - d.probability END AS confidence, -- REAL confidence of the document: of the likelier outcome, 0.5 to 1
  d.expected AS expected_changes, -- REAL changes that the forecast expected without readers
  d.chance AS chance, -- REAL probability that this decision was made; a page explored stands for 1 / chance like it
  d.skips AS skips, -- INTEGER skips in a row, this one counted
  iso(nullif(d.until, 0)) AS until, -- TIME when it may be proposed again after a skip
  (SELECT v.changed FROM visit AS v WHERE v.page = d.page AND v.time > d.time AND v.known_by IN ('digest', '304')
   ORDER BY v.time LIMIT 1) AS changed, -- BOOLEAN whether the next fetch found a change; missing until then
  p.id AS id -- INTEGER number of the page in this archive
FROM behaviour_decision AS d JOIN page AS p ON p.id = d.page;
