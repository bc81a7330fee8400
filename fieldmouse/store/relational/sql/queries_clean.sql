-- What cleaning reads and writes: hosts not cleaned yet, templates, copies.

-- name: put_uncleaned_host
INSERT INTO uncleaned_host (host, version) VALUES (?, ?)
ON CONFLICT (host) DO UPDATE SET version = max(version, excluded.version), tries = 0;

-- name: uncleaned_hosts
-- Hosts whose download has ended, or (:any) all of them; those that failed again and again wait for new content.
SELECT n.host, h.name, n.version, n.tries FROM uncleaned_host AS n JOIN host AS h ON h.id = n.host
WHERE n.host > :after AND (:any OR (h.state IN ('complete', 'given_up') AND n.tries < :tries)) ORDER BY n.host LIMIT :n;

-- name: uncleaned_host
SELECT n.host, h.name, n.version, n.tries FROM uncleaned_host AS n JOIN host AS h ON h.id = n.host WHERE h.name = :name;

-- name: count_uncleaned
SELECT count(*) FROM uncleaned_host;

-- name: count_cleaning_try
UPDATE uncleaned_host SET tries = tries + 1 WHERE host = :host;

-- name: uncount_cleaning_try
UPDATE uncleaned_host SET tries = max(tries - 1, 0) WHERE host = :host;

-- name: drop_uncleaned_host
-- Content that came while the host was being cleaned keeps it in the table.
DELETE FROM uncleaned_host WHERE host = :host AND version <= :version;

-- name: unseen
-- Pages whose newest content cleaning has not looked at, or whose text is not stored. A private page is nobody's copy,
-- and its words are not indexed.
SELECT p.id, p.url, p.version, p.title, p.text_bytes FROM page AS p
LEFT JOIN fingerprint AS k ON k.page = p.id LEFT JOIN document AS d ON d.page = p.id
WHERE p.host = :host AND p.id > :after AND p.version IS NOT NULL AND p.private = 0
  AND (k.version IS NULL OR k.version <> p.version OR d.version IS NULL OR d.version <> p.version)
ORDER BY p.id LIMIT :n;

-- name: marked_versions
-- The newest content of each page of a host that has tags.
SELECT v.id, v.size FROM page AS p JOIN version AS v ON v.id = p.version
WHERE p.host = :host AND v.tag_file IS NOT NULL ORDER BY p.id;

-- name: cleaned
SELECT time, version, fits, trouble FROM cleaned_host WHERE host = :host;

-- name: put_cleaned
INSERT OR REPLACE INTO cleaned_host VALUES (:host, :time, :version, :fits, :trouble);

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
FROM template AS t JOIN host AS h ON h.id = t.host LEFT JOIN cleaned_host AS c ON c.host = t.host
WHERE (:host = '' OR h.name = :host)
  AND (:host <> '' OR t.version = (SELECT max(version) FROM template AS n WHERE n.host = t.host))
ORDER BY t.pages DESC, h.name, t.version;

-- name: templated_hosts
SELECT count(DISTINCT host) FROM template;

-- name: clean_troubles
SELECT h.name, c.trouble FROM cleaned_host AS c JOIN host AS h ON h.id = c.host WHERE c.trouble <> '' ORDER BY h.name;

-- name: fingerprint_of
SELECT k.page, p.url, k.said, k.sketch, k.canonical, k.copy_group FROM fingerprint AS k JOIN page AS p ON p.id = k.page
WHERE k.page = :page;

-- name: fingerprint_at
SELECT k.page, p.url, k.said, k.sketch, k.canonical, k.copy_group FROM page AS p JOIN fingerprint AS k ON k.page = p.id
WHERE p.url = :url;

-- name: fingerprint_like
SELECT k.page, p.url, k.said, k.sketch, k.canonical, k.copy_group FROM fingerprint AS k JOIN page AS p ON p.id = k.page
WHERE k.said = :said AND k.page <> :page LIMIT 1;

-- name: fingerprints_naming
-- The index has only pages that name one: without the second term it cannot be used.
SELECT k.page, p.url, k.said, k.sketch, k.canonical, k.copy_group FROM fingerprint AS k JOIN page AS p ON p.id = k.page
WHERE k.canonical = :url AND k.canonical <> '' AND k.page <> :page LIMIT :n;

-- name: fingerprints_of_group
SELECT k.page, p.url, k.said, k.sketch, k.canonical, k.copy_group FROM fingerprint AS k JOIN page AS p ON p.id = k.page
WHERE k.copy_group = :group LIMIT :n;

-- name: times_named
-- By the pages that name it: a group may have very many pages.
SELECT count(*) FROM (SELECT 1 FROM fingerprint WHERE canonical = :url AND canonical <> '' AND +copy_group = :group LIMIT 1000);

-- name: put_fingerprint
INSERT INTO fingerprint (page, version, said, sketch, canonical) VALUES (?, ?, ?, ?, ?);

-- name: drop_fingerprint
DELETE FROM fingerprint WHERE page = :page;

-- name: put_band
INSERT OR IGNORE INTO band VALUES (?, ?);

-- name: drop_band
DELETE FROM band WHERE band = ? AND page = ?;

-- name: in_bands
-- The newest pages of each band. Most bands of most pages are theirs alone: only the others are looked into.
SELECT (SELECT json_group_array(page) FROM (SELECT page FROM band WHERE band = CAST(value AS INTEGER) ORDER BY page DESC LIMIT :n))
FROM json_each(:bands) WHERE EXISTS (SELECT 1 FROM band WHERE band = CAST(value AS INTEGER) AND page <> :page);

-- name: fingerprints_of_pages
SELECT k.page, p.url, k.said, k.sketch, k.canonical, k.copy_group FROM fingerprint AS k JOIN page AS p ON p.id = k.page
WHERE k.page IN (SELECT CAST(value AS INTEGER) FROM json_each(:values));

-- name: known_fingerprints
SELECT page FROM fingerprint WHERE page IN (SELECT CAST(value AS INTEGER) FROM json_each(:values));

-- name: known_bands
SELECT CAST(value AS INTEGER) FROM json_each(:values)
WHERE EXISTS (SELECT 1 FROM band WHERE band = CAST(value AS INTEGER));

-- name: known_texts
-- Digests are compared as bytes, but a list of JSON has only texts.
SELECT value FROM json_each(:values) WHERE EXISTS (SELECT 1 FROM fingerprint WHERE said = unhex(value));

-- name: known_targets
SELECT p.url FROM page AS p JOIN fingerprint AS k ON k.page = p.id WHERE p.url IN (SELECT value FROM json_each(:values));

-- name: known_canonicals
SELECT value FROM json_each(:values)
WHERE EXISTS (SELECT 1 FROM fingerprint WHERE canonical = value AND canonical <> '');

-- name: add_copy_group
INSERT INTO copy_group (best, size) VALUES (:best, :size) RETURNING id;

-- name: copy_group
SELECT best, size FROM copy_group WHERE id = :id;

-- name: set_copy_group
UPDATE copy_group SET best = :best, size = :size WHERE id = :id;

-- name: drop_copy_group
DELETE FROM copy_group WHERE id = :id;

-- name: join_copy_group
UPDATE fingerprint SET copy_group = :group WHERE page = :page;

-- name: merge_copy_group
UPDATE fingerprint SET copy_group = :into WHERE copy_group = :group;

-- name: copy_of
SELECT c.copy_of, c.how, c.best FROM copy AS c WHERE c.page = :page;

-- name: copies_of
SELECT p.url FROM fingerprint AS one JOIN copy_group AS k ON k.id = one.copy_group JOIN fingerprint AS r ON r.copy_group = k.id JOIN page AS p ON p.id = r.page
WHERE one.page = :page AND k.best = :page AND r.page <> :page LIMIT :n;

-- name: copy_counts
SELECT count(*), coalesce(sum(size) - count(*), 0) FROM copy_group;

-- name: groups
-- All pages that belong to groups of copies, group by group, the one that stands for all first.
SELECT k.id, p.url FROM copy_group AS k JOIN fingerprint AS r ON r.copy_group = k.id JOIN page AS p ON p.id = r.page
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

-- name: clear_fingerprints
UPDATE fingerprint SET version = 0 WHERE page IN (SELECT id FROM page WHERE host = :host);
