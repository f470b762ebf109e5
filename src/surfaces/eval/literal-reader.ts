// A model without intelligence, for evaluations without a key. It searches for the question and repeats the tool's result; if
// its instructions have the rule that the newer of two statements counts, it states the rule first. A wrong order of hits, a
// hit without its date or a missing rule therefore changes the result.
// Invariant: deterministic; it uses only the request.
import type { Model, ModelEvent, ModelRequest } from "../../model/llm/model.ts";
import { noUsage } from "../../base/message/message.ts";
import { hasRule } from "./reader-rules.ts";
import { saidIn } from "./request-lines.ts";

export const literalReaderName = "eval/literal-reader";

/** The first line of the reply, if the instructions have the rule that the newer statement counts. */
export const newerCounts = "The newer statement counts.";

export function createLiteralReader(): Model {
  return {
    name: literalReaderName,
    contextWindow: 100_000,
    async *stream(request): AsyncIterable<ModelEvent> {
      const found = resultOf(request);
      if (found === null) {
        const query = JSON.stringify({ query: saidIn(request.messages.at(-1)?.content ?? []) });
        yield {
          type: "tool-call",
          callId: `search-${request.messages.length}`,
          name: "conversation_search",
          arguments: query,
        };
        yield { type: "end", stopReason: "tool-calls", usage: noUsage };
      } else {
        yield { type: "text-delta", text: `${hasRule(request, "newer") ? `${newerCounts}\n` : ""}${found}` };
        yield { type: "end", stopReason: "end", usage: noUsage };
      }
    },
  };
}

/** Returns the text of the last message's tool results; null if it has none. */
function resultOf({ messages }: ModelRequest): string | null {
  const parts = messages.at(-1)?.content ?? [];
  const results = parts.flatMap((part) => (part.type === "tool-result" ? [part.text] : []));
  return results.length === 0 ? null : results.join("\n");
}
