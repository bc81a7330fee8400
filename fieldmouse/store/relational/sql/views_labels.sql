-- Views on labels and classes of pages, for the queries of users.

-- view: labels
-- One row for each label of a page: the answers of persons where there are any, else those of the labeller.
SELECT
  l.classes AS classes, -- TEXT list of classes
  p.url AS url, -- TEXT canonical URL
  h.name AS host, -- TEXT host
  l.class AS class, -- TEXT class
  'machine' AS source, -- TEXT machine or person
  l.probability AS probability, -- REAL estimated probability that the label is right; 1 for a person
  l.evidence AS evidence, -- TEXT keywords that speak for it, a line for each field
  iso(l.time) AS time -- TIME when it was given
FROM label AS l JOIN page AS p ON p.id = l.page JOIN host AS h ON h.id = p.host
WHERE l.chosen AND NOT EXISTS (
  SELECT 1 FROM label_answer AS a WHERE a.classes = l.classes AND a.page = l.page)
UNION ALL
SELECT a.classes, p.url, h.name, a.class, 'person', 1.0, '', iso(a.time)
FROM label_answer AS a JOIN page AS p ON p.id = a.page JOIN host AS h ON h.id = p.host WHERE a.class <> '';

-- view: page_classes
-- One row for each class of a page by the classifier of `train classes`.
SELECT
  c.classes AS classes, -- TEXT list of classes
  p.url AS url, -- TEXT canonical URL
  h.name AS host, -- TEXT host
  c.class AS class, -- TEXT class
  c.probability AS probability, -- REAL calibrated probability
  iso(c.time) AS time -- TIME when it was classified
FROM page_class AS c JOIN page AS p ON p.id = c.page JOIN host AS h ON h.id = p.host WHERE c.class <> '';
