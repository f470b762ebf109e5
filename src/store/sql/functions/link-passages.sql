-- Trigger function. After a passage's replacement has changed: links the user's message that led to the passage to the one that
-- led to the replacement, if any. Runs as the owner of the tables, like relink_replaced, which makes some of these changes.
CREATE FUNCTION link_passages() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER
SET search_path FROM CURRENT
SET enable_seqscan = off
AS $$
BEGIN
  DELETE FROM later_statements l WHERE l.user_id = NEW.user_id AND l.passage_id = NEW.id;
  INSERT INTO later_statements (user_id, earlier_id, later_id, passage_id)
  SELECT NEW.user_id, earlier.id, later.id, NEW.id
  FROM passages p
  CROSS JOIN LATERAL said_before(NEW.user_id, NEW.message_id) earlier
  CROSS JOIN LATERAL said_before(NEW.user_id, p.message_id) later
  WHERE p.user_id = NEW.user_id AND p.id = NEW.replaced_by AND earlier.id <> later.id;
  RETURN NULL;
END
$$;
