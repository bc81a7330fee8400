-- The text of pages and the search in it. Deleting from the index needs the words that were put there.

-- name: unindex_page
INSERT INTO search (search, rowid, title, content)
SELECT 'delete', page, title, content FROM search_source WHERE page = :page;

-- name: index_page
INSERT INTO search (rowid, title, content)
SELECT page, title, content FROM search_source WHERE page = :page;

-- name: put_document
INSERT OR REPLACE INTO document (
  page, version, title, length, published, modified, author, type, data, spam_score, spam, spam_words
) VALUES (
  :page, :version, :title, :length, :published, :modified, :author, :type, :data, :spam_score, :spam, :spam_words
);

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
INSERT OR REPLACE INTO page_text VALUES (:page, :data);

-- name: drop_document
DELETE FROM document WHERE page = :page;

-- name: drop_page_text
DELETE FROM page_text WHERE page = :page;

-- name: add_text_bytes
INSERT INTO tally VALUES ('text_bytes', :n) ON CONFLICT (name) DO UPDATE SET value = value + excluded.value;

-- name: text_size
SELECT coalesce((SELECT length(t.data) FROM page_text AS t JOIN document AS d ON d.page = t.page
  WHERE t.page = :page AND (:version IS NULL OR d.version = :version)), 0);

-- name: page_text
SELECT unpacked(data) FROM page_text WHERE page = :page;

-- name: index_bytes
SELECT coalesce(sum(length(block)), 0) FROM search_data;

-- name: rebuild_index
INSERT INTO search (search) VALUES ('rebuild');

-- name: search_hits
-- The best pages, or with :newest those that changed last, among the first :cap that match, newest first; and how
-- many match, up to :cap.
SELECT h.page, h.score, count(*) OVER () FROM (
  SELECT s.rowid AS page, bm25(search, 5.0, 1.0) AS score, p.last_change AS changed
  FROM search AS s JOIN {pages} AS p ON p.id = s.rowid
  WHERE search MATCH :match AND {filter} ORDER BY s.rowid DESC LIMIT :cap
) AS h ORDER BY CASE WHEN :newest = 1 THEN -h.changed ELSE h.score END, h.page LIMIT :n OFFSET :offset;

-- name: search_matches
-- The newest pages that match.
SELECT s.rowid FROM search AS s JOIN {pages} AS p ON p.id = s.rowid
WHERE search MATCH :match AND {filter} ORDER BY s.rowid DESC LIMIT :cap;

-- name: facet_hosts
SELECT count(DISTINCT p.host) FROM json_each(:pages) AS i CROSS JOIN page AS p ON p.id = i.value;

-- name: facet_languages
SELECT p.language, count(*) FROM json_each(:pages) AS i CROSS JOIN page AS p ON p.id = i.value
WHERE p.language <> '' GROUP BY 1 ORDER BY 2 DESC, 1 LIMIT :n;

-- name: facet_topics
SELECT j.topic, count(*) FROM json_each(:pages) AS i CROSS JOIN judgement AS j ON j.page = i.value
WHERE j.score > 0.5 GROUP BY 1 ORDER BY 2 DESC, 1 LIMIT :n;

-- name: facet_classes
SELECT c.class, count(*) FROM json_each(:pages) AS i CROSS JOIN page_class AS c ON c.page = i.value
WHERE c.class <> '' GROUP BY 1 ORDER BY 2 DESC, 1 LIMIT :n;

-- name: search_hit
SELECT p.url, h.name, coalesce(nullif(p.title, ''), (SELECT d.title FROM document AS d WHERE d.page = p.id), ''), p.language, p.first_seen, p.last_change, p.private,
       snippet(search, 1, char(2), char(3), '…', :tokens)
FROM search AS s JOIN page AS p ON p.id = s.rowid JOIN host AS h ON h.id = p.host
WHERE search MATCH :match AND s.rowid = :page;
