// Reads the counted and the reported tokens of requests to one model.
// Invariant: it reads at most the user's newest 200 steps, by the primary key (ids are ordered by time).

/** SQL: at most `limit` samples of user $1 for a model, newest first; both parameters are SQL expressions. */
export function usageSamplesOf(model: string, limit: string): string {
  return `
select estimated, reported
from (
  select id, model, input_tokens as reported,
    case when jsonb_typeof(report -> 'counted') = 'number' then (report ->> 'counted')::float8 end as estimated
  from steps where user_id = $1
  order by id desc
  limit 200
) as newest
where model = ${model} and reported > 0 and estimated > 0
order by id desc
limit ${limit}`;
}

/** $1 user, $2 model, $3 maximum rows. Newest first. */
export const usageSamples = usageSamplesOf("$2", "$3::int");
