-- Returns the user's messages from which the model wrote the module lines that an edit replaced. `replaced` is a JSON array of
-- each `line` and the folded `words` that identify its source. Omits a message that contains none of these words in any ending,
-- because its turn only reworded the line. Skips revisions that undo others, because they restore lines from earlier messages.
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
