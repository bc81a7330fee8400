-- Labels of pages by lists of classes, what persons say of them, and classes by a trained classifier.

CREATE TABLE label (
  classes TEXT NOT NULL,            -- the list of classes
  page INTEGER NOT NULL,
  class TEXT NOT NULL,
  probability REAL NOT NULL,        -- that the label is right
  chosen INTEGER NOT NULL,          -- 0: the best class of the page, but not sure enough for a label
  evidence TEXT NOT NULL,           -- a line for each field with keywords
  time REAL NOT NULL,
  PRIMARY KEY (classes, page, class)
) WITHOUT ROWID;

-- A person's answers. A page without any class has a row with an empty one.
CREATE TABLE label_answer (
  classes TEXT NOT NULL, page INTEGER NOT NULL, class TEXT NOT NULL, time REAL NOT NULL,
  PRIMARY KEY (classes, page, class)
) WITHOUT ROWID;

-- Every class of a page with a probability of a half or more, or an empty class if there is none.
CREATE TABLE page_class (
  page INTEGER NOT NULL, classes TEXT NOT NULL, class TEXT NOT NULL, probability REAL NOT NULL,
  time REAL NOT NULL, PRIMARY KEY (page, classes, class)
) WITHOUT ROWID;
CREATE INDEX page_class_class ON page_class (classes, class);
