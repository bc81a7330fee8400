-- The text of pages, what they say about themselves, and the index of the full-text search. Cleaning fills them.

-- What is known of the newest content that was cleaned.
CREATE TABLE document (
  page INTEGER PRIMARY KEY,
  version INTEGER NOT NULL,         -- the content it was read from
  title TEXT NOT NULL,              -- as it is in the index
  length INTEGER NOT NULL,          -- characters of the main text
  published TEXT,                   -- ISO 8601, as exact as the page says it
  modified TEXT,
  author TEXT,
  type TEXT,                        -- what the page is about: Article, Product, ...
  data TEXT                         -- JSON-LD, microdata, OpenGraph and meta tags: JSON as a zstd frame
);

-- The main text, as a zstd frame of UTF-8.
CREATE TABLE page_text (page INTEGER PRIMARY KEY, data BLOB NOT NULL);

-- `searchable` is a function of this program: the text with its words separated, see search_text.py.
CREATE VIEW search_source AS
SELECT d.page AS page, searchable(d.title) AS title, searchable(unpacked(t.data)) AS content
FROM document AS d JOIN page_text AS t ON t.page = d.page;

CREATE VIRTUAL TABLE search USING fts5(
  title, content, content = 'search_source', content_rowid = 'page',
  tokenize = "unicode61 remove_diacritics 2 categories 'L* N* Co Mn Mc'"
);

-- Pages that were cleaned before there was a place for their text.
INSERT INTO news (host, version) SELECT host, max(version) FROM page WHERE version IS NOT NULL GROUP BY host
ON CONFLICT (host) DO UPDATE SET tries = 0;
