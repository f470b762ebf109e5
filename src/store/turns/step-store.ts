// Reads the log of model calls.
// Invariant: read-only; a step is written with its reply, in the turn's own commit.
import { storableText } from "../../base/code-points.ts";
import { firstIdAt } from "../../base/ids.ts";
import type { ContextReport } from "../port/context-report.ts";
import type { LoggedStep, ModelUsage, StepStore } from "../port/step-store.ts";
import type { Usage, UsageSample } from "../../base/message/message.ts";
import { requireConversation } from "../conversations/conversation-faults.ts";
import { usageByModel } from "../sql/usage-by-model.ts";
import { usageSamples } from "../sql/usage-samples.ts";
import type { Transaction } from "../connection/transaction.ts";
import type { UserContext } from "../connection/database.ts";
import { timeOf } from "../stored-times.ts";

export function createStepStore({ userId, repeatable, statement }: UserContext): StepStore {
  return {
    list: (conversationId, limit) =>
      repeatable((tx) => steps(tx, userId, { conversationId, tail: "order by id desc limit $3::int", number: limit })),
    find: (conversationId, ordinal) =>
      repeatable(async (tx) => {
        const tail = "where ordinal = $3::int";
        const [found] = await steps(tx, userId, { conversationId, tail, number: ordinal });
        return found ?? null;
      }),
    async usageSamples(model, limit) {
      const rows = await statement<UsageSample>(usageSamples, [userId, storableText(model), limit]);
      return rows.toReversed();
    },
    usageSince: (moment) => statement<ModelUsage>(usageByModel, [userId, firstIdAt(moment)]),
  };
}

interface StepRow {
  readonly id: string;
  readonly ordinal: number;
  readonly turn_id: string;
  readonly number: number;
  readonly model: string;
  readonly finish: string;
  readonly input_tokens: number;
  readonly output_tokens: number;
  readonly cached_input_tokens: number;
  /** With what else the provider told of the call. */
  readonly report: ContextReport & { readonly sending?: Pick<Usage, "droppedThoughts" | "cacheMiss"> };
  readonly created_at: string;
}

interface StepsWanted {
  readonly conversationId: string;
  readonly tail: string;
  readonly number: number;
}

async function steps(
  tx: Transaction,
  userId: string,
  { conversationId, tail, number }: StepsWanted,
): Promise<readonly LoggedStep[]> {
  await requireConversation(tx, userId, conversationId);
  const rows = await tx.run<StepRow>(
    `select * from (
       select s.*, row_number() over (order by id)::int as ordinal
       from steps s where user_id = $1 and conversation_id = $2::uuid
     ) s ${tail}`,
    [userId, conversationId, number],
  );
  return rows.map(({ report: { sending, ...report }, ...row }) => ({
    id: row.id,
    ordinal: row.ordinal,
    turnId: row.turn_id,
    number: row.number,
    model: row.model,
    finish: row.finish,
    usage: {
      inputTokens: row.input_tokens,
      outputTokens: row.output_tokens,
      cachedInputTokens: row.cached_input_tokens,
      ...sending,
    },
    report,
    at: timeOf(row.created_at),
  }));
}
