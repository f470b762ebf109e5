-- Trigger function. After a node memory was moved to another object or deleted, even by a cascade: deletes its former object,
-- or records in object_deletions that the object must be deleted outside of the database. Each object belongs to one row, so no
-- other row can name it. Runs as the owner of the tables, like every cascade.
CREATE FUNCTION drop_node_objects() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER
SET search_path FROM CURRENT
AS $$
BEGIN
  INSERT INTO object_deletions (user_id, place, object_key)
  SELECT g.user_id, g.place, g.object_key
  FROM gone g
  WHERE g.place <> 'database' AND NOT EXISTS (
    SELECT FROM node_memories m
    WHERE m.user_id = g.user_id AND m.app = g.app AND m.conversation = g.conversation AND m.node = g.node
      AND m.object_key = g.object_key
  )
  ON CONFLICT DO NOTHING;
  DELETE FROM object_parts p
  USING gone g
  WHERE g.place = 'database' AND p.user_id = g.user_id AND p.key = g.object_key AND NOT EXISTS (
    SELECT FROM node_memories m
    WHERE m.user_id = g.user_id AND m.app = g.app AND m.conversation = g.conversation AND m.node = g.node
      AND m.object_key = g.object_key
  );
  RETURN NULL;
END
$$;
