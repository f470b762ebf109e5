-- Trigger function. After users were deleted: removes them as editors of other users' modules. No foreign key does this,
-- because it would also update revisions that are deleted together with their own user.
CREATE FUNCTION forget_editors() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER
SET search_path FROM CURRENT
AS $$
BEGIN
  UPDATE revisions r SET editor_id = NULL FROM gone g WHERE r.editor_id = g.user_id AND r.user_id <> g.user_id;
  RETURN NULL;
END
$$;
