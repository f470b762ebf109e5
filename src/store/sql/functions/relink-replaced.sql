-- Trigger function. After passages were deleted, by whatever cascade: what a deleted passage had replaced is now replaced by the one
-- that had replaced the deleted one, or is current again. It repeats, because several of one chain may be gone.
-- No foreign key does this, because it would update passages that the deletion of their archive deletes.
CREATE FUNCTION relink_replaced() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER
SET search_path FROM CURRENT
SET enable_seqscan = off
AS $$
BEGIN
  LOOP
    UPDATE passages p SET replaced_by = g.replaced_by FROM gone g WHERE p.user_id = g.user_id AND p.replaced_by = g.id;
    EXIT WHEN NOT FOUND;
  END LOOP;
  RETURN NULL;
END
$$;
