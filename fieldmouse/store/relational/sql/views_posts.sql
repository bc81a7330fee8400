-- Views on posts that named addresses, for the queries of users. See views_pages.sql.

-- view: mentions
-- One row for each address that a post named.
SELECT
  l.url AS url, -- TEXT canonical URL, fetched or not
  iso(p.time) AS time, -- TIME when it was posted, or imported if that is not known
  p.author AS author, -- TEXT who wrote it: a salted hash; empty if unknown
  l.words AS words, -- TEXT anchor and words around the address
  p.source AS source, -- TEXT file it came from
  p.id AS post -- INTEGER number of the post
FROM post_link AS l JOIN post AS p ON p.id = l.post;
