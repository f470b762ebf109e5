-- Rolls back the statement that calls it unless a condition holds: for a write whose parts must all be made. The SQLSTATE
-- is that of `isRefusedWrite`.
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
