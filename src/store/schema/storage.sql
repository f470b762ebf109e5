-- How PostgreSQL stores large values, where its default is not the best.
-- Out of line and not compressed: most attachments are compressed already.
ALTER TABLE object_parts ALTER COLUMN data SET STORAGE EXTERNAL;
