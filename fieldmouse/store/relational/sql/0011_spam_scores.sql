-- Spam scores of main texts. Cleaning fills them if `spam.score_pages` is set.

ALTER TABLE document ADD COLUMN spam_score INTEGER;            -- 0 to 99 (spam); NULL: not scored
ALTER TABLE document ADD COLUMN spam INTEGER NOT NULL DEFAULT 0; -- 1: above the threshold when it was scored
ALTER TABLE document ADD COLUMN spam_words TEXT NOT NULL DEFAULT ''; -- the words that say so most
