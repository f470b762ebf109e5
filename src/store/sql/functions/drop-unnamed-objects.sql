-- Trigger function. After attachments were deleted, even by a cascade: deletes the objects that no other attachment of the user
-- names, or records in object_deletions that they must be deleted outside of the database.
-- Runs as the owner of the tables, because a cascade also deletes what other users have with an agent.
-- Takes the lock that a transaction takes before it names an object, so each statement here sees the committed attachments.
CREATE FUNCTION drop_unnamed_objects() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER
SET search_path FROM CURRENT
AS $$
BEGIN
  PERFORM pg_advisory_xact_lock(hashtextextended(named.key, 0))
  FROM (SELECT DISTINCT g.user_id || ' ' || g.object_key AS key FROM gone g ORDER BY 1) named;
  INSERT INTO object_deletions (user_id, place, object_key)
  SELECT DISTINCT g.user_id, g.place, g.object_key
  FROM gone g
  WHERE g.place <> 'database'
    AND NOT EXISTS (SELECT FROM attachments a WHERE a.user_id = g.user_id AND a.object_key = g.object_key)
  ON CONFLICT DO NOTHING;
  DELETE FROM object_parts p
  USING (SELECT DISTINCT g.user_id, g.object_key FROM gone g WHERE g.place = 'database') d
  WHERE p.user_id = d.user_id AND p.key = d.object_key
    AND NOT EXISTS (SELECT FROM attachments a WHERE a.user_id = d.user_id AND a.object_key = d.object_key);
  RETURN NULL;
END
$$;
