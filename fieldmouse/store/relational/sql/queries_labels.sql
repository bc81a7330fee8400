-- name: label_lists
SELECT classes, sum(chosen) FROM label GROUP BY classes ORDER BY max(time) DESC, classes;

-- name: drop_labels
DELETE FROM label WHERE classes = :classes;

-- name: put_label
INSERT INTO label (classes, page, class, probability, chosen, evidence, time) VALUES (?, ?, ?, ?, ?, ?, ?)
ON CONFLICT (classes, page, class) DO NOTHING;

-- name: labels
SELECT l.page, p.url, l.class, l.probability, l.chosen, l.evidence, l.time
FROM label AS l JOIN page AS p ON p.id = l.page
WHERE l.classes = :classes ORDER BY l.page, l.probability DESC, l.class;

-- name: uncertain_labels
-- The best class of a page, the least certain first, in the order of an index.
SELECT l.page, p.url, l.class, l.probability, l.chosen, l.evidence, l.time
FROM label AS l INDEXED BY label_certainty CROSS JOIN page AS p ON p.id = l.page
WHERE l.classes = :classes AND NOT EXISTS (
  SELECT 1 FROM label AS o WHERE o.classes = l.classes AND o.page = l.page
  AND (o.probability, o.class) > (l.probability, l.class)
) AND NOT EXISTS (SELECT 1 FROM label_answer AS a WHERE a.classes = l.classes AND a.page = l.page)
ORDER BY abs(l.probability - 0.5), l.page LIMIT :most;

-- name: drawn_labels
-- The best class of labelled pages, in an order by a hash of the page.
SELECT l.page, p.url, l.class, l.probability, l.chosen, l.evidence, l.time
FROM label AS l JOIN page AS p ON p.id = l.page
WHERE l.classes = :classes AND l.chosen = 1 AND NOT EXISTS (
  SELECT 1 FROM label AS o WHERE o.classes = l.classes AND o.page = l.page
  AND (o.probability, o.class) > (l.probability, l.class)
) AND NOT EXISTS (SELECT 1 FROM label_answer AS a WHERE a.classes = l.classes AND a.page = l.page)
ORDER BY (l.page % 1000003) * 2654435761 % 4294967296, l.page LIMIT :most;

-- name: label_answers
SELECT page, class FROM label_answer WHERE classes = :classes ORDER BY page, class;

-- name: drop_label_answer
DELETE FROM label_answer WHERE classes = :classes AND page = :page;

-- name: put_label_answer
INSERT INTO label_answer (classes, page, class, time) VALUES (?, ?, ?, ?);

-- name: drop_page_classes
DELETE FROM page_class WHERE page = ? AND classes = ?;

-- name: put_page_class
INSERT INTO page_class (page, classes, class, probability, time) VALUES (?, ?, ?, ?, ?);

-- name: page_classes
SELECT classes, class, probability FROM page_class WHERE page = :page
ORDER BY classes, probability DESC, class;

-- name: class_counts
SELECT class, count(*) FROM page_class WHERE classes = :classes GROUP BY class ORDER BY 2 DESC, 1;

-- name: class_names
SELECT class FROM page_class WHERE class <> '' UNION SELECT class FROM label WHERE class <> '' ORDER BY 1;

-- name: pages_of_class
SELECT p.url FROM page_class AS c JOIN page AS p ON p.id = c.page
WHERE c.classes = :classes AND c.class = :class ORDER BY p.id;
