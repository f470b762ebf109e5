// Shows in one line what a turn used: models, calls, tokens, the time from its first to its last message, and the cost.
import { dollarsOf } from "../../../base/message/message.ts";
import { sumsByModel } from "../costs/usage-days.ts";
import { countText, dollarText, numberText } from "../parts/number-text.ts";
import { PlainText } from "../parts/plain-text.tsx";
import type { ModelCalls } from "./use-model-calls.ts";
import type { Thread } from "./use-thread.ts";

interface TurnUseProps extends ModelCalls {
  readonly thread: Thread;
  /** The id of the turn. */
  readonly turn: string;
}

/**
 * Shows nothing for a turn without a known model call, or if its beginning is possibly not loaded. Leaves out tokens that the
 * provider did not report, and the cost if a model has no price.
 */
export function TurnUse({ thread, turn, calls, prices }: TurnUseProps) {
  const messages = thread.messages.filter(({ turnId }) => turnId === turn);
  const [first] = messages;
  const made = messages.flatMap(({ id }) => calls.get(id) ?? []);
  const isCut = thread.hasOlder && first === thread.messages[0] && first?.role !== "user";
  if (isCut || made.length === 0) return null;
  const sums = sumsByModel(made);
  const ms = Date.parse(messages.at(-1)?.at ?? "") - Date.parse(first?.at ?? "");
  const figures = [
    countText(made.length, "model call"),
    ...tokenTexts(sums),
    durationText(ms),
    ...costTexts(sums, prices),
  ];
  return (
    <p class="note turn-use">
      <PlainText text={sums.map(({ model }) => model).join(", ")} length={200} isInline />, {figures.join(", ")}
    </p>
  );
}

type Sums = ReturnType<typeof sumsByModel>;

function tokenTexts(sums: Sums): readonly string[] {
  const input = sums.reduce((sum, { inputTokens }) => sum + inputTokens, 0);
  const output = sums.reduce((sum, { outputTokens }) => sum + outputTokens, 0);
  return input + output === 0 ? [] : [`${numberText(input)} tokens in`, `${numberText(output)} tokens out`];
}

function costTexts(sums: Sums, prices: ModelCalls["prices"]): readonly string[] {
  const dollars = sums.reduce((total, sum) => {
    const price = prices.get(sum.model) ?? null;
    return price === null ? Number.NaN : total + dollarsOf(sum, price);
  }, 0);
  return dollars > 0 ? [dollarText(dollars)] : [];
}

function durationText(ms: number): string {
  return ms < 100_000 ? `${(ms / 1000).toFixed(1)} s` : `${Math.round(ms / 60_000)} min`;
}
