-- Queries that only SQLite has.

-- name: integrity
PRAGMA integrity_check;

-- The full-text search. Deleting from the index needs the words that were put there.

-- name: unindex_page
INSERT INTO search (search, rowid, title, content)
SELECT 'delete', page, title, content FROM search_source WHERE page = :page;

-- name: index_page
-- The same as the row of search_source. An INSERT with a SELECT would open a savepoint, at which FTS5 writes its index.
INSERT INTO search (rowid, title, content) VALUES (:page, :title, :content);

-- name: index_bytes
-- Row 10 says which pages the parts of the index have. To add up their sizes would read them all.
SELECT coalesce(max(index_pages(block)), 0) * coalesce((SELECT v FROM search_config WHERE k = 'pgsz'), 4050)
FROM search_data WHERE id = 10;

-- name: rebuild_index
INSERT INTO search (search) VALUES ('rebuild');

-- name: search_hits
-- The newest pages that match, with their scores: the less, the better. With :newest the score is the last change.
SELECT s.rowid, CASE WHEN :newest = 1 THEN -p.last_change ELSE bm25(search, 5.0, 1.0) END
FROM search AS s JOIN {pages} AS p ON p.id = s.rowid
WHERE search MATCH :match AND {filter} ORDER BY s.rowid DESC LIMIT :cap;

-- name: search_hits_of_host
-- The same of one host: its pages are read first, so a word of most pages is not looked up in each of them.
SELECT s.rowid, CASE WHEN :newest = 1 THEN -p.last_change ELSE bm25(search, 5.0, 1.0) END
FROM search AS s JOIN {pages} AS p ON p.id = s.rowid
WHERE search MATCH :match AND +s.rowid IN (SELECT id FROM page WHERE host = (SELECT id FROM host WHERE name = :host))
  AND {filter} ORDER BY s.rowid DESC LIMIT :cap;

-- name: search_hit
SELECT p.url, h.name, coalesce(nullif(p.title, ''), (SELECT d.title FROM document AS d WHERE d.page = p.id), ''), p.language, p.first_seen, p.last_change, p.private,
       snippet(search, 1, char(2), char(3), '…', :tokens)
FROM search AS s JOIN page AS p ON p.id = s.rowid JOIN host AS h ON h.id = p.host
WHERE search MATCH :match AND s.rowid = :page;

-- name: table_columns
SELECT m.name, c.name FROM main.sqlite_master AS m, pragma_table_info(m.name) AS c WHERE m.type = 'table';
