-- Trigger function. After users were deleted: revisions of other users' modules no longer name them. No foreign key does this,
-- because it would update revisions that the deletion of their own user deletes.
CREATE FUNCTION forget_editors() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER
SET search_path FROM CURRENT
AS $$
BEGIN
  UPDATE revisions r SET editor_id = NULL FROM gone g WHERE r.editor_id = g.user_id AND r.user_id <> g.user_id;
  RETURN NULL;
END
$$;
