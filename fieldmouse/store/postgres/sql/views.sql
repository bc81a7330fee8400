-- Views of whole tables, made anew after each migration: here a view keeps the columns of the day it was made.

CREATE OR REPLACE VIEW public_page AS SELECT * FROM page WHERE private = 0;
CREATE OR REPLACE VIEW public_version AS
SELECT v.* FROM version AS v JOIN page AS p ON p.id = v.page WHERE v.private = 0 AND p.private = 0;
CREATE OR REPLACE VIEW public_visit AS
SELECT v.* FROM visit AS v JOIN page AS p ON p.id = v.page
WHERE p.private = 0 AND NOT EXISTS (
  SELECT 1 FROM version AS n WHERE n.page = v.page AND n.private <> 0 AND n.digest = v.digest);
