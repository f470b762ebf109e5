// Finds the messages of a span of time, oldest or newest first, through a database function like `searchMessages`.

/**
 * $1 agent, $2 from, $3 before, $4 the speaker, $5 whether the newest is first, $6 the turn to exclude, $7 whether messages on
 * no thread are included, $8 rows to skip, $9 page size. Otherwise like `searchMessages`.
 */
export const messagesOfSpan = `
select * from messages_of_span($1::uuid, $2::timestamptz, $3::timestamptz, $4::text, $5::boolean, $6::uuid, $7::boolean,
  $8::int, $9::int)`;
