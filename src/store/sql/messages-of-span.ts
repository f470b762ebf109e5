// What was said in a span of time, oldest first. A function of the database's, as `searchMessages` is.

/**
 * $1 agent, $2 from, $3 before, $4 the turn left out, $5 whether messages on no thread are found
 * too, $6 rows to skip, $7 page size. As `searchMessages` otherwise.
 */
export const messagesOfSpan = `
select * from messages_of_span($1::uuid, $2::timestamptz, $3::timestamptz, $4::uuid, $5::boolean, $6::int, $7::int)`;
