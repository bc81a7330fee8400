-- Views for the queries of users that PostgreSQL needs in a form of its own.

-- view: changes
SELECT p.url AS url, h.name AS host, p.title AS title, iso(v.time) AS time, iso(v.time - v.gap) AS unchanged_at,
  v.change_size AS size, v.kinds AS kinds,
  (SELECT coalesce(json_agg(json_build_object(
      'place', coalesce(nullif(d.value ->> 'label', ''), nullif(regexp_replace(split_part(d.value ->> 'place', ' (', 1), '^.*>', ''), ''), 'page'),
      'path', d.value ->> 'place', 'before', d.value ->> 'old', 'after', d.value ->> 'new', 'kind', d.value ->> 'kind', 'rule', d.value ->> 'rule')), '[]')
   FROM json_array_elements(CAST(iif(v.diff = '', '[]', v.diff) AS json)) AS d(value)
   WHERE d.value ->> 'kind' IS NOT NULL) AS diff,
  v.note AS note, p.private AS private, p.id AS page
FROM visit AS v JOIN page AS p ON p.id = v.page JOIN host AS h ON h.id = p.host
WHERE v.changed;
