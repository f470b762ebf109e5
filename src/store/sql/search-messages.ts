// Searches what was said. The statement itself is a function of the database's (drizzle/): under a policy, PostgreSQL does
// not use an index for text. It keeps to the transaction's user and finds nothing without one.
// Invariant: `total` counts all that match, of which the page is a part; an empty page still comes with it.

/**
 * $1 agent, $2 pattern, $3 words, $4 other terms (text of a tsquery, or null), $5 from, $6 before, $7 the turn left out,
 * $8 whether messages on no thread are found too, $9 rows to skip, $10 page size. No row at all for an agent that the user may not use.
 */
export const searchMessages = `
select * from search_messages($1::uuid, $2::text, $3::text, $4::text, $5::timestamptz, $6::timestamptz, $7::uuid, $8::boolean,
  $9::int, $10::int)`;
