-- Trigger function. After conversations were deleted: deletes their node memories. A node memory names its conversation as text,
-- without a foreign key, because an application may use its own conversation ids.
CREATE FUNCTION drop_nodes_of_conversations() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER
SET search_path FROM CURRENT
AS $$
BEGIN
  DELETE FROM node_memories m USING gone g WHERE m.user_id = g.user_id AND m.conversation = g.id::text;
  RETURN NULL;
END
$$;
