-- The text of pages. Each engine has its own index of words.

-- name: put_document
INSERT OR REPLACE INTO document (
  page, version, title, length, published, modified, author, type, data, spam_score, spam, spam_words
) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?);

-- name: documents_there
-- Those of some pages that have one.
SELECT d.page FROM json_each(:pages) AS i CROSS JOIN document AS d ON d.page = CAST(i.value AS INTEGER);

-- name: content_spam
SELECT spam_score, spam, spam_words FROM document WHERE page = :page AND spam_score IS NOT NULL;

-- name: page_metadata
SELECT published, modified, author, type, unpacked(data) FROM document WHERE page = :page;

-- name: spam_domains
-- Domains with enough scored pages, nearly all of them spam. Copies and short pages are no evidence.
SELECT domain_of(h.name) AS domain, count(*), sum(d.spam) FROM document AS d
JOIN page AS p ON p.id = d.page JOIN host AS h ON h.id = p.host
WHERE d.spam_score IS NOT NULL GROUP BY domain HAVING count(*) >= :least AND sum(d.spam) >= :share * count(*);

-- name: put_page_text
INSERT OR REPLACE INTO page_text (page, data, facts) VALUES (:page, :data, :facts);

-- name: drop_document
DELETE FROM document WHERE page = :page;

-- name: drop_page_text
DELETE FROM page_text WHERE page = :page;

-- name: add_text_bytes
INSERT INTO tally VALUES ('text_bytes', :n) ON CONFLICT (name) DO UPDATE SET value = value + excluded.value;

-- name: text_size
SELECT coalesce((SELECT length(t.data) FROM page_text AS t JOIN document AS d ON d.page = t.page
  WHERE t.page = :page AND (CAST(:version AS INTEGER) IS NULL OR d.version = :version)), 0);

-- name: page_text
SELECT unpacked(data) FROM page_text WHERE page = :page;

-- name: cleaned_pages
-- What cleaning found of some pages.
SELECT CAST(i.value AS INTEGER),
       coalesce((SELECT c.copy_of FROM copy AS c WHERE c.page = CAST(i.value AS INTEGER)), ''),
       d.spam_score, d.published, d.modified, d.author, d.type, unpacked(d.data)
FROM json_each(:pages) AS i LEFT JOIN document AS d ON d.page = CAST(i.value AS INTEGER);

-- name: main_texts
-- Those of some pages, and their facts, unless they are of an older version, empty (they may not have been stored) or cut.
SELECT p.id, unpacked(t.data), unpacked(t.facts)
FROM json_each(:pages) AS i CROSS JOIN page AS p ON p.id = CAST(i.value AS INTEGER)
JOIN document AS d ON d.page = p.id AND d.version = p.version JOIN page_text AS t ON t.page = p.id
WHERE d.length BETWEEN 1 AND :longest - 1;

-- name: facet_hosts
SELECT count(DISTINCT p.host) FROM json_each(:pages) AS i CROSS JOIN page AS p ON p.id = CAST(i.value AS INTEGER);

-- name: facet_languages
SELECT p.language, count(*) FROM json_each(:pages) AS i CROSS JOIN page AS p ON p.id = CAST(i.value AS INTEGER)
WHERE p.language <> '' GROUP BY 1 ORDER BY 2 DESC, 1 LIMIT :n;

-- name: facet_topics
SELECT j.topic, count(*) FROM json_each(:pages) AS i CROSS JOIN judgement AS j ON j.page = CAST(i.value AS INTEGER)
WHERE j.score > 0.5 GROUP BY 1 ORDER BY 2 DESC, 1 LIMIT :n;

-- name: facet_classes
SELECT c.class, count(*) FROM json_each(:pages) AS i CROSS JOIN page_class AS c ON c.page = CAST(i.value AS INTEGER)
WHERE c.class <> '' GROUP BY 1 ORDER BY 2 DESC, 1 LIMIT :n;
