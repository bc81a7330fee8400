-- What cleaning asks the database: news, templates, copies.

-- name: put_news
INSERT INTO news (host, version) VALUES (?, ?)
ON CONFLICT (host) DO UPDATE SET version = max(version, excluded.version), tries = 0;

-- name: hosts_with_news
-- Hosts whose download has ended, or (:any) all of them; those that failed again and again wait for new content.
SELECT n.host, h.name, n.version, n.tries FROM news AS n JOIN host AS h ON h.id = n.host
WHERE n.host > :after AND (:any OR (h.state IN ('complete', 'given_up') AND n.tries < :tries)) ORDER BY n.host LIMIT :n;

-- name: host_with_news
SELECT n.host, h.name, n.version, n.tries FROM news AS n JOIN host AS h ON h.id = n.host WHERE h.name = :name;

-- name: news_count
SELECT count(*) FROM news;

-- name: try_news
UPDATE news SET tries = tries + 1 WHERE host = :host;

-- name: untry_news
UPDATE news SET tries = max(tries - 1, 0) WHERE host = :host;

-- name: drop_news
-- Content that came while the host was being cleaned stays news.
DELETE FROM news WHERE host = :host AND version <= :version;

-- name: unseen
-- Pages whose newest content cleaning has not looked at, or whose text is not stored. A private page is nobody's copy,
-- and its words are not indexed.
SELECT p.id, p.url, p.version, p.title, p.text_bytes FROM page AS p
LEFT JOIN print AS k ON k.page = p.id LEFT JOIN document AS d ON d.page = p.id
WHERE p.host = :host AND p.id > :after AND p.version IS NOT NULL AND p.private = 0
  AND (k.version IS NULL OR k.version <> p.version OR d.version IS NULL OR d.version <> p.version)
ORDER BY p.id LIMIT :n;

-- name: marked_versions
-- The newest content of each page of a host that has tags.
SELECT v.id, v.size FROM page AS p JOIN version AS v ON v.id = p.version
WHERE p.host = :host AND v.tag_file IS NOT NULL ORDER BY p.id;

-- name: cleaned
SELECT time, version, fits, trouble FROM cleaned WHERE host = :host;

-- name: put_cleaned
INSERT OR REPLACE INTO cleaned VALUES (:host, :time, :version, :fits, :trouble);

-- name: put_template
INSERT INTO template VALUES (:host, :version, :time, :reason, :pages, :templates, :template_bytes, :looked, :templated,
  :page_bytes, :shared_bytes, :packed_bytes, :dictionary_bytes, :dictionary, :data);

-- name: put_dictionary
INSERT OR IGNORE INTO dictionary VALUES (:digest, :host, :data);

-- name: dictionary
SELECT data FROM dictionary WHERE digest = :digest;

-- name: newest_template
SELECT version, pages FROM template WHERE host = :host ORDER BY version DESC LIMIT 1;

-- name: template_data
-- The newest first.
SELECT t.data FROM template AS t JOIN host AS h ON h.id = t.host
WHERE h.name = :host ORDER BY t.version DESC LIMIT :n;

-- name: template_figures
SELECT h.name, t.version, t.time, t.reason, t.pages, t.templates, t.template_bytes, t.looked, t.templated, t.page_bytes,
       t.shared_bytes, t.packed_bytes, t.dictionary_bytes, t.dictionary, coalesce(c.trouble, '')
FROM template AS t JOIN host AS h ON h.id = t.host LEFT JOIN cleaned AS c ON c.host = t.host
WHERE (:host = '' OR h.name = :host)
  AND (:host <> '' OR t.version = (SELECT max(version) FROM template AS n WHERE n.host = t.host))
ORDER BY t.pages DESC, h.name, t.version;

-- name: templated_hosts
SELECT count(DISTINCT host) FROM template;

-- name: clean_troubles
SELECT h.name, c.trouble FROM cleaned AS c JOIN host AS h ON h.id = c.host WHERE c.trouble <> '' ORDER BY h.name;

-- name: print_of
SELECT k.page, p.url, k.said, k.sketch, k.canonical, k.kin FROM print AS k JOIN page AS p ON p.id = k.page
WHERE k.page = :page;

-- name: print_at
SELECT k.page, p.url, k.said, k.sketch, k.canonical, k.kin FROM page AS p JOIN print AS k ON k.page = p.id
WHERE p.url = :url;

-- name: print_like
SELECT k.page, p.url, k.said, k.sketch, k.canonical, k.kin FROM print AS k JOIN page AS p ON p.id = k.page
WHERE k.said = :said AND k.page <> :page LIMIT 1;

-- name: prints_naming
-- The index has only pages that name one: without the second term it cannot be used.
SELECT k.page, p.url, k.said, k.sketch, k.canonical, k.kin FROM print AS k JOIN page AS p ON p.id = k.page
WHERE k.canonical = :url AND k.canonical <> '' AND k.page <> :page LIMIT :n;

-- name: prints_of_kin
SELECT k.page, p.url, k.said, k.sketch, k.canonical, k.kin FROM print AS k JOIN page AS p ON p.id = k.page
WHERE k.kin = :kin LIMIT :n;

-- name: times_named
-- By the pages that name it: a group may have very many pages.
SELECT count(*) FROM (SELECT 1 FROM print WHERE canonical = :url AND canonical <> '' AND +kin = :kin LIMIT 1000);

-- name: put_print
INSERT INTO print VALUES (:page, :version, :said, :sketch, :canonical, NULL);

-- name: drop_print
DELETE FROM print WHERE page = :page;

-- name: put_band
INSERT OR IGNORE INTO band VALUES (?, ?);

-- name: drop_band
DELETE FROM band WHERE band = ? AND page = ?;

-- name: shared_bands
-- Most bands of most pages are theirs alone: only the others are looked into.
SELECT CAST(value AS INTEGER) FROM json_each(:bands)
WHERE EXISTS (SELECT 1 FROM band WHERE band = CAST(value AS INTEGER) AND page <> :page);

-- name: in_band
SELECT page FROM band WHERE band = :band ORDER BY page DESC LIMIT :n;

-- name: add_kin
INSERT INTO kin (best, size) VALUES (:best, :size) RETURNING id;

-- name: kin
SELECT best, size FROM kin WHERE id = :id;

-- name: set_kin
UPDATE kin SET best = :best, size = :size WHERE id = :id;

-- name: drop_kin
DELETE FROM kin WHERE id = :id;

-- name: join_kin
UPDATE print SET kin = :kin WHERE page = :page;

-- name: merge_kin
UPDATE print SET kin = :into WHERE kin = :kin;

-- name: copy_of
SELECT c.copy_of, c.how, c.best FROM copy AS c WHERE c.page = :page;

-- name: copies_of
SELECT p.url FROM print AS one JOIN kin AS k ON k.id = one.kin JOIN print AS r ON r.kin = k.id JOIN page AS p ON p.id = r.page
WHERE one.page = :page AND k.best = :page AND r.page <> :page LIMIT :n;

-- name: copy_counts
SELECT count(*), coalesce(sum(size) - count(*), 0) FROM kin;

-- name: groups
-- All pages that belong to groups of copies, group by group, the one that stands for all first.
SELECT k.id, p.url FROM kin AS k JOIN print AS r ON r.kin = k.id JOIN page AS p ON p.id = r.page
ORDER BY k.id, r.page <> k.best, p.id;

-- name: stored_pages
SELECT count(*) FROM page WHERE host = (SELECT id FROM host WHERE name = :host) AND version IS NOT NULL;

-- name: close_warcs
UPDATE file SET open = 0 WHERE kind = 'warc' AND worker NOT IN (SELECT value FROM json_each(:alive));

-- name: hosts_in_file
SELECT h.name, sum(v.size) FROM version AS v JOIN page AS p ON p.id = v.page JOIN host AS h ON h.id = p.host
WHERE v.file = :file GROUP BY h.id;

-- name: pack_file
UPDATE file SET name = :name, kind = :kind, size = :size, open = 0 WHERE id = :id;

-- name: forget_prints
UPDATE print SET version = 0 WHERE page IN (SELECT id FROM page WHERE host = :host);
