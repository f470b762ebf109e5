-- Offers a module to another user, or changes that user's access. Creates the recipient's row if necessary, so that the owner
-- does not learn whether the user existed. Returns false if the user of the transaction does not own the module.
CREATE FUNCTION share_module(shared uuid, recipient text, allowed text) RETURNS boolean LANGUAGE plpgsql SECURITY DEFINER
SET search_path FROM CURRENT
AS $$
DECLARE
  me text := nullif(current_setting('palimpsest.user_id', true), '');
BEGIN
  IF NOT EXISTS (SELECT FROM modules m WHERE m.user_id = me AND m.id = shared) OR recipient = me THEN
    RETURN false;
  END IF;
  INSERT INTO users (user_id) VALUES (recipient) ON CONFLICT DO NOTHING;
  INSERT INTO module_grants (user_id, owner_id, module_id, label, access)
  SELECT recipient, m.user_id, m.id, m.label, allowed FROM modules m WHERE m.user_id = me AND m.id = shared
  ON CONFLICT (user_id, owner_id, module_id) DO UPDATE SET access = excluded.access;
  RETURN true;
END
$$;
