-- Makes the calling statement fail unless a condition holds, for a write that must be complete or not happen at all.
-- `isRefusedWrite` recognizes the SQLSTATE.
CREATE FUNCTION refuse_unless(is_whole boolean) RETURNS integer LANGUAGE plpgsql
SET search_path FROM CURRENT
AS $$
BEGIN
  IF NOT is_whole THEN
    RAISE EXCEPTION 'a part of the write was refused' USING ERRCODE = 'PM001';
  END IF;
  RETURN 1;
END
$$;
