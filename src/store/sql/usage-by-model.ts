// Sums the tokens of a user's model calls since a moment, by model.
// Invariant: it reads only rows since then, by the primary keys (ids are ordered by time).

/**
 * $1 user, $2 the smallest id of the moment. Replies and summaries. If the provider reported no usage, the counts of the
 * request and the reply are used instead.
 */
export const usageByModel = `
select model, sum(input)::float8 as "inputTokens", sum(output)::float8 as "outputTokens",
  sum(cached)::float8 as "cachedInputTokens"
from (
  select s.model,
    case when s.input_tokens > 0 then s.input_tokens
      when jsonb_typeof(s.report -> 'total') = 'number' then (s.report ->> 'total')::float8 else 0 end as input,
    case when s.input_tokens > 0 then s.output_tokens else coalesce(m.tokens, 0) end as output,
    s.cached_input_tokens as cached
  from steps s
  left join messages m on m.user_id = s.user_id and m.id = s.message_id
  where s.user_id = $1 and s.id >= $2::uuid
  union all
  select model, input_tokens, output_tokens, cached_input_tokens
  from compactions where user_id = $1 and id >= $2::uuid and model is not null
) as calls
group by model
order by model`;
