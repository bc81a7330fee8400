-- The facts of a page's newest content that was cleaned: JSON, pairs of label and value, as a zstd frame. NULL: not stored.
ALTER TABLE page_text ADD COLUMN facts TEXT;
