-- What the tables of the schema need in SQLite.

CREATE TRIGGER log_change AFTER INSERT ON visit WHEN NEW.changed AND NEW.known_by <> 'first' BEGIN
  INSERT INTO change_log (page, time) SELECT NEW.page, NEW.time
  WHERE NOT EXISTS (SELECT 1 FROM change_log WHERE page = NEW.page AND time = NEW.time);
END;

-- The index of the full-text search.
-- `searchable` is a function of this program: the text with its words separated, see search_text.py.
CREATE VIEW search_source AS
SELECT d.page AS page, searchable(d.title) AS title, searchable(unpacked(t.data)) AS content
FROM document AS d JOIN page_text AS t ON t.page = d.page;

CREATE VIRTUAL TABLE search USING fts5(
  title, content, content = 'search_source', content_rowid = 'page',
  tokenize = "unicode61 remove_diacritics 2 categories 'L* N* Co Mn Mc'"
);

-- Words that are indexed in memory before they are written, in bytes, and parts of the index of one size before they
-- are merged: texts come in batches, and each part that is written is merged several times.
INSERT INTO search (search, rank) VALUES ('hashsize', 8388608);
INSERT INTO search (search, rank) VALUES ('automerge', 8);
