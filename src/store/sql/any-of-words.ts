// A text-search query that any of a text's words satisfies.

/**
 * SQL for the query, null when `text` holds no words but stop words. The lexemes come from PostgreSQL's own parser, which
 * quotes them; only the operators between them are replaced, so no text can become an operator.
 */
export function anyOfWords(text: string): string {
  return `nullif(regexp_replace(plainto_tsquery('english'::regconfig, ${text})::text, ''' (&|<->|<[0-9]+>) ''', ''' | ''', 'g'), '')::tsquery`;
}
