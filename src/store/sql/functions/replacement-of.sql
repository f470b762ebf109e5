-- Returns as JSON the passage at the end of the chain of replacements that begins with a passage; null without a passage.
-- Not granted to the runtime's role, because it trusts the user id that its caller passes.
CREATE FUNCTION replacement_of(me text, replacing uuid) RETURNS jsonb LANGUAGE sql STABLE STRICT
SET search_path FROM CURRENT
AS $$
  SELECT jsonb_build_object('id', p.id, 'text', p.content, 'trust', p.trust, 'origin', p.origin, 'tags', p.tags, 'at', p.created_at)
  FROM passages p WHERE p.user_id = me AND p.id = current_passage(me, replacing)
$$;
