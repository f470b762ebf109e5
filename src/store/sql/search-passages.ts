// Searches archival memory by words and by meaning. A function of the database's, as `searchMessages` is.
// Invariant: the candidates depend on the query alone, not on the page, so pages do not overlap and `total` is theirs.

/**
 * $1 agent, $2 pattern, $3 words, $4 fragments, $5 vector or null, $6 embedder or null, $7 tags (JSON array or null),
 * $8 from, $9 before, $10 rows to skip, $11 page size, $12 how many by meaning, $13 least similarity, $14 weight of meaning,
 * $15 what a literal match adds.
 */
export const searchPassages = `
select * from search_passages($1::uuid, $2::text, $3::text, $4::text, $5::text, $6::text, $7::text, $8::timestamptz,
  $9::timestamptz, $10::int, $11::int, $12::int, $13::float8, $14::float8, $15::float8)`;
