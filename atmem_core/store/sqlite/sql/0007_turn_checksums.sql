-- What was said must not rot unseen. Turns of older files get theirs when the file is brought up to date: from then on a
-- change is found.

ALTER TABLE turns ADD COLUMN checksum BLOB;
