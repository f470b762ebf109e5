-- Trigger function. After passages were deleted, even by a cascade: the passages that a deleted one had replaced get its
-- replacement, or are current again if it had none. The update repeats, because several passages of one chain may be deleted.
-- No foreign key does this, because it would also update passages that are deleted together with their archive.
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
