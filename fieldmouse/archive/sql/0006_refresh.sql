-- What refreshing learned to ask for: how sure a rate is, and how good forecasts of changes were.

ALTER TABLE page ADD COLUMN shape REAL;  -- of the Gamma distribution of its rate; NULL: nobody said

-- By day and host: visits that could tell, the changes expected of them, those seen, and the variance expected.
CREATE TABLE forecast (
  day INTEGER NOT NULL, host TEXT NOT NULL, visits INTEGER NOT NULL, expected REAL NOT NULL,
  seen INTEGER NOT NULL, variance REAL NOT NULL, PRIMARY KEY (day, host)
) WITHOUT ROWID;
