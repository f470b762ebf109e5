-- Sets how PostgreSQL stores large values, where its default is not the best.
-- Objects are stored out of line and not compressed, because most attachments are compressed already.
ALTER TABLE object_parts ALTER COLUMN data SET STORAGE EXTERNAL;
