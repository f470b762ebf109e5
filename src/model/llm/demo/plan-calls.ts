// Decides which tools are called next: first the writes for the message's facts, then the searches for its questions.
// Invariant: every turn ends, because writes are planned once and no search is made twice.
import { answerFromCore, searchesFor } from "./answer-question.ts";
import { editCalls, forget, learn } from "./edit-core.ts";
import type { Intent } from "./intents.ts";
import { type Call, isSameCall, readObject, type Turn } from "./read-turn.ts";

/** Returns the calls of the next step; empty if the model replies now. Only tools of the request are called. */
export function nextCalls(intents: readonly Intent[], turn: Turn): readonly Call[] {
  const writes = turn.done.length === 0 ? writesFor(intents, turn) : overflowOf(turn);
  const calls = writes.length > 0 ? writes : searchesOf(intents, turn);
  return calls.filter(({ name }) => turn.tools.has(name));
}

/** Returns the calls that write the facts of the intents. */
export function writesFor(intents: readonly Intent[], turn: Turn): readonly Call[] {
  const edits = ["persona", "human"].flatMap((module) => {
    const known = turn.core.get(module) ?? "";
    return editCalls(
      module,
      known,
      intents.reduce((text, intent) => applyTo(module, text, intent), known),
    );
  });
  const others = intents.flatMap((intent): readonly Call[] => {
    if (intent.kind === "note") return [{ name: "archival_memory_insert", input: { content: intent.text } }];
    const input = intent.kind === "call" ? readObject(intent.json) : undefined;
    return intent.kind === "call" && input !== undefined ? [{ name: intent.name, input }] : [];
  });
  return [...edits, ...others];
}

function applyTo(module: string, text: string, intent: Intent): string {
  if (intent.kind === "fact") return intent.fact.module === module ? learn(text, intent.fact) : text;
  return intent.kind === "forget" && module === "human" ? forget(text, intent.text) : text;
}

/** Returns calls that archive the facts for which core memory had no room, once. */
function overflowOf({ done }: Turn): readonly Call[] {
  if (done.some(({ name }) => name === "archival_memory_insert")) return [];
  return done
    .filter(({ name, failed, result }) => name.startsWith("core_memory_") && failed && /\blimit\b/i.test(result))
    .map(({ input }) => ({
      name: "archival_memory_insert",
      input: { content: input["content"] ?? input["new_content"] },
    }));
}

function searchesOf(intents: readonly Intent[], turn: Turn): readonly Call[] {
  return intents
    .flatMap((intent) => (intent.kind === "question" ? [intent.text] : []))
    .filter((question) => answerFromCore(question, turn) === undefined)
    .flatMap(searchesFor)
    .filter((call) => !turn.done.some((one) => isSameCall(one, call)));
}
