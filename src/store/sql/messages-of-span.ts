// Finds the messages of a span of time, oldest first, through a database function like `searchMessages`.

/**
 * $1 agent, $2 from, $3 before, $4 the excluded turn, $5 whether messages on no thread are included, $6 rows to skip,
 * $7 page size. Otherwise like `searchMessages`.
 */
export const messagesOfSpan = `
select * from messages_of_span($1::uuid, $2::timestamptz, $3::timestamptz, $4::uuid, $5::boolean, $6::int, $7::int)`;
