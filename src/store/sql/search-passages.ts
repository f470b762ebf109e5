// Searches archival memory by words and by meaning. The statement itself is a function of the database
// (functions/search-passages.sql): under a policy, PostgreSQL does not use an index for text. It filters by the transaction's
// user and finds nothing without a user.
// Invariant: the candidates depend on the query alone, not on the page, so pages do not overlap and `total` is the number of
// candidates.

/** $1 agent, $2 the query as JSON, $3 rows to skip, $4 page size. Returns no row for an agent that the user may not use. */
export const searchPassages = "select * from search_passages($1::uuid, $2::text::jsonb, $3::int, $4::int)";
