// Reads the log of model calls.
// Invariant: read-only; a step is written with its reply, in the turn's own commit. Usage samples are taken from at most the
// user's newest 200 steps, read by the primary key (ids are ordered by time).
import { firstIdAt } from "../../base/ids.ts";
import type { UsageSample } from "../../base/message/message.ts";
import type { UserContext } from "../connection/database.ts";
import type { Transaction } from "../connection/transaction.ts";
import { requireConversation } from "../conversations/conversation-faults.ts";
import { recordColumns, usageColumn, usageFields } from "../own-rows.ts";
import type { LoggedStep, ModelUsage, StepStore, UserUsage } from "../port/step-store.ts";
import { steps } from "../schema.ts";

export function createStepStore({ userId, repeatable, statement }: UserContext): StepStore {
  const stepsOf = (conversationId: string, tail: string, number: number): Promise<readonly LoggedStep[]> =>
    repeatable(async (tx) => {
      await requireConversation(tx, userId, conversationId);
      const rows = await tx.run<StepRow>(`${stepsOfConversation} ${tail}`, [userId, conversationId, number]);
      return rows.map(({ report: { sending, ...report }, usage, ...row }) => ({
        ...row,
        usage: { ...usage, ...sending },
        report,
      }));
    });
  return {
    list: (conversationId, limit) => stepsOf(conversationId, "order by id desc limit $3::int", limit),
    find: async (conversationId, ordinal) =>
      (await stepsOf(conversationId, "where ordinal = $3::int", ordinal))[0] ?? null,
    async usageSamples(model, limit) {
      const rows = await statement<UsageSample>(usageSamples, [userId, model, limit]);
      return rows.toReversed();
    },
    usageSince: (moment) => statement<ModelUsage>(usageByModel("$1", "$2"), [userId, firstIdAt(moment)]),
  };
}

interface StepRow extends Omit<LoggedStep, "report"> {
  /** The report as stored: its field `sending` has data of the provider that belong to `usage`. */
  readonly report: LoggedStep["report"] & {
    readonly sending?: Pick<LoggedStep["usage"], "droppedThoughts" | "cacheMiss">;
  };
}

/** Returns the steps of a conversation, each with its number. $1 user, $2 conversation. */
const stepsOfConversation = `
select * from (
  select ${recordColumns(steps, "s", `agentId conversationId messageId ${usageFields}`)}, ${usageColumn("s")},
    row_number() over (order by id)::int as ordinal
  from steps s where user_id = $1 and conversation_id = $2::uuid
) s`;

/** Returns the users with calls since a moment, and the tokens of these calls by user and model. Needs the tables' owner. */
export async function usageOfUsers(tx: Transaction, moment: Date): Promise<readonly UserUsage[]> {
  return tx.run<UserUsage>(usageByUser, [firstIdAt(moment)]);
}

/**
 * SQL: the tokens of replies, summaries and consolidations since a moment, by model. `user`: SQL of the user's id; `first`: SQL
 * of the smallest id that a row of this moment can have. Only later rows are read, by the primary keys, because ids are
 * ordered by time. If the provider reported no usage, the counts of the request and the reply are used instead.
 */
function usageByModel(user: string, first: string): string {
  return `
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
  where s.user_id = ${user} and s.id >= ${first}::uuid
  union all
  select model, input_tokens, output_tokens, cached_input_tokens
  from compactions where user_id = ${user} and id >= ${first}::uuid and model is not null
  union all
  select model, (usage ->> 'inputTokens')::float8, (usage ->> 'outputTokens')::float8,
    coalesce((usage ->> 'cachedInputTokens')::float8, 0)
  from consolidations where user_id = ${user} and id >= ${first}::uuid
) as calls
group by model
order by model`;
}

const usageByUser = `
select u.user_id as "userId", used.*
from users u cross join lateral (${usageByModel("u.user_id", "$1")}) used
order by u.user_id, used.model`;

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

/** Returns usage samples, newest first. $1 user, $2 model, $3 maximum rows. */
const usageSamples = usageSamplesOf("$2", "$3::int");
