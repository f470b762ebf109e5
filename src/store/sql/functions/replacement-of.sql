-- What searches show of the passage at the end of a chain of replacements, which begins with the given one; null for null.
-- Not for the runtime's role: it trusts its caller about the user.
CREATE FUNCTION replacement_of(me text, replacing uuid) RETURNS jsonb LANGUAGE sql STABLE STRICT
SET search_path FROM CURRENT
AS $$
  SELECT jsonb_build_object('id', p.id, 'text', p.content, 'trust', p.trust, 'origin', p.origin, 'tags', p.tags, 'at', p.created_at)
  FROM passages p WHERE p.user_id = me AND p.id = current_passage(me, replacing)
$$;
