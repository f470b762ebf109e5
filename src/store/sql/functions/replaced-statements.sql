-- The messages of the user from which lines of a module came that an edit replaced. `replaced` is a JSON array: `line`, and
-- `words`, those of its words that tell what it came from, folded. A message is returned only if it has one of these, perhaps with
-- another ending: a line that was only reworded later came from another message.
-- Revisions that undo others bring lines back, which came from before.
CREATE FUNCTION replaced_statements(me text, edited uuid, edited_revision int, replaced jsonb) RETURNS SETOF uuid LANGUAGE plpgsql STABLE
SET search_path FROM CURRENT
SET enable_seqscan = off
AS $$
DECLARE
  gone record;
  reply uuid;
BEGIN
  FOR gone IN SELECT * FROM jsonb_to_recordset(replaced) AS g (line text, words jsonb) LOOP
    SELECT r.message_id INTO reply FROM revisions r
    WHERE r.user_id = me AND r.module_id = edited AND r.revision < edited_revision AND r.undoes IS NULL
      AND gone.line = ANY (string_to_array(r.after, E'\n')) AND gone.line <> ALL (string_to_array(r.before, E'\n'))
    ORDER BY r.revision DESC LIMIT 1;
    RETURN QUERY SELECT m.id FROM said_before(me, reply) m
    WHERE EXISTS (SELECT FROM jsonb_array_elements_text(gone.words) w (word) WHERE strpos(m.search_text, left(w.word, greatest(length(w.word) - 1, 3))) > 0);
  END LOOP;
END
$$;
