
-- The last commit of each session: after a commit whose answer was lost, this tells whether it happened.
CREATE TABLE commit_mark (
  session text PRIMARY KEY,
  mark bigint NOT NULL DEFAULT 0,
  at timestamptz NOT NULL DEFAULT now()
) WITH (fillfactor = 50);
