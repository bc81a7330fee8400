-- Changes in the order in which they were committed, how far readers have looked, and what is to be sent.

-- A visit may be committed after a later one, so times are no order to go on from.
CREATE TABLE change_log (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  page INTEGER NOT NULL,
  time REAL NOT NULL,               -- of the visit
  UNIQUE (page, time)
);
CREATE INDEX change_log_time ON change_log (time);
INSERT INTO change_log (page, time) SELECT page, time FROM visit WHERE changed ORDER BY time;
CREATE TRIGGER log_change AFTER INSERT ON visit WHEN NEW.changed AND NEW.known_by <> 'first' BEGIN
  INSERT INTO change_log (page, time) SELECT NEW.page, NEW.time
  WHERE NOT EXISTS (SELECT 1 FROM change_log WHERE page = NEW.page AND time = NEW.time);
END;

CREATE TABLE change_cursor (
  name TEXT PRIMARY KEY,            -- reader NAME, webhook URL, or mail
  seq INTEGER NOT NULL,             -- the last change that was shown, or is in the outbox
  time REAL NOT NULL                -- when that was
) WITHOUT ROWID;

-- The outbox. A row stays until its receiver has taken it.
CREATE TABLE delivery (
  id TEXT PRIMARY KEY,
  channel TEXT NOT NULL,            -- webhook, mail
  target TEXT NOT NULL,             -- a URL, or addresses
  body TEXT NOT NULL,               -- JSON, or a whole message
  created REAL NOT NULL,
  due REAL NOT NULL,                -- not before this time
  attempts INTEGER NOT NULL,
  error TEXT NOT NULL               -- of the last attempt
) WITHOUT ROWID;
CREATE INDEX delivery_due ON delivery (due);
