-- The text of pages, what they say about themselves, and the index of the full-text search. Cleaning fills them.

CREATE TABLE document (
  page bigint PRIMARY KEY,
  version bigint NOT NULL,
  title text COLLATE "C" NOT NULL,
  length bigint NOT NULL,
  published text COLLATE "C",
  modified text COLLATE "C",
  author text COLLATE "C",
  type text COLLATE "C",
  data text COLLATE "C"
);

-- The main text; the server compresses it.
CREATE TABLE page_text (page bigint PRIMARY KEY, data text COLLATE "C" NOT NULL);

-- The words of a page with their places; those of the title have the weight A.
CREATE TABLE search (page bigint PRIMARY KEY, words tsvector NOT NULL);
CREATE INDEX search_words ON search USING gin (words);
