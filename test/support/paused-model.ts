// A model whose replies end when a test lets them.
// Invariant: none ends before, except by its signal.
import type { Model } from "../../src/model/llm/model.ts";
import { noUsage } from "../../src/base/message/message.ts";

export interface PausedModel extends Model {
  /** Lets all its replies end. */
  go(): void;
}

/** Says "Hello", waits until it may go on, and says the rest. */
export function createPausedModel(): PausedModel {
  let go: () => void = () => undefined;
  const gone = new Promise<void>((resolve) => {
    go = resolve;
  });
  return {
    name: "paused",
    contextWindow: 100_000,
    go: () => go(),
    async *stream(_request, { signal }) {
      yield { type: "text-delta", text: "Hello" };
      const aborted = new Promise<never>((_resolve, reject) => {
        signal?.addEventListener("abort", () => reject(signal.reason as Error), { once: true });
      });
      await Promise.race([gone, aborted]);
      yield { type: "text-delta", text: " and goodbye." };
      yield { type: "end", stopReason: "end", usage: noUsage };
    },
  };
}
