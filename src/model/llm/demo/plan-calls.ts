// Decides which tools are called next: first the writes for the message's facts, then the searches for its questions.
// Invariant: every turn ends, because writes are planned once and no search is repeated; a known fact causes no call, and only
// text that the user named is removed.
import { parseObject } from "../../../base/json-values.ts";
import { diffLines } from "../../../base/line-diff.ts";
import { answerFromCore, searchesFor } from "./answer-question.ts";
import { contentWords, countMentions, type Fact, factValue, type Intent, isGuidance } from "./intents.ts";
import { type Call, isSameCall, type Turn } from "./read-turn.ts";

/** Returns the calls of the next step; empty if the model replies now. Only tools of the request are called. */
export function nextCalls(intents: readonly Intent[], turn: Turn): readonly Call[] {
  const writes = turn.done.length === 0 ? writesFor(intents, turn) : overflowOf(turn);
  const calls = writes.length > 0 ? writes : searchesOf(intents, turn);
  return calls.filter(({ name }) => turn.tools.has(name));
}

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
    const input = intent.kind === "call" ? parseObject(intent.json) : undefined;
    return intent.kind === "call" && input !== undefined ? [{ name: intent.name, input }] : [];
  });
  return [...edits, ...others];
}

function applyTo(module: string, text: string, intent: Intent): string {
  if (intent.kind === "fact") return intent.fact.module === module ? learn(text, intent.fact) : text;
  return intent.kind === "forget" && module === "human" ? forget(text, intent.text) : text;
}

/** Returns calls that archive the facts for which core memory had no room; none if they were archived in this turn. */
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

/** Returns the text with a fact added. A liked item is removed from the disliked ones, and vice versa. */
export function learn(text: string, { label, value, isList }: Fact): string {
  const opposite = { Likes: "Dislikes", Dislikes: "Likes" }[label];
  const rest = opposite === undefined ? text : changeItems(text, opposite, (items) => items.filter(isOther(value)));
  return changeItems(rest, label, (items) => {
    if (isList) return items.some((item) => !isOther(value)(item)) ? items : [...items, value];
    return isOther(value)(items.join(", ")) ? [value] : items;
  });
}

/**
 * Returns the text without the lines, or items of a list, that contain the words of "forget TOPIC". "forget everything"
 * keeps only the guidance of the starter text.
 */
export function forget(text: string, topic: string): string {
  if (/^everything\b|^me$/i.test(topic)) return text.split("\n").filter(isGuidance).join("\n");
  const words = contentWords(topic);
  const containsAllWords = (part: string): boolean => words.length > 0 && countMentions(part, words) === words.length;
  const lines = text.split("\n").map((line) => {
    const [, label, value = ""] = /^([^:]{1,60}): (.+, .+)$/.exec(line) ?? [];
    const left = value.split(", ").filter((item) => !containsAllWords(item));
    if (label !== undefined && left.length > 0 && left.join(", ") !== value) return `${label}: ${left.join(", ")}`;
    return containsAllWords(line) ? undefined : line;
  });
  return lines.filter((line) => line !== undefined).join("\n");
}

export function editCalls(module: string, before: string, after: string): readonly Call[] {
  const replace = (old: string, fresh: string): Call => ({
    name: "core_memory_replace",
    input: { name: module, old_content: old, new_content: fresh },
  });
  if (after === "" && before !== "") return [replace(before, "")];
  const changes = diffLines(before, after);
  return changes.flatMap(({ sign, text }, index) => {
    if (sign === "-") {
      const next = changes[index + 1];
      if (next?.sign === "+") return [replace(text, next.text)];
      return [replace(before.includes(`${text}\n`) ? `${text}\n` : `\n${text}`, "")];
    }
    if (changes[index - 1]?.sign === "-") return [];
    return [{ name: "core_memory_append", input: { name: module, content: text } }];
  });
}

/** Returns the text with the items of a label changed; a line without items is removed, and a new line is appended. */
function changeItems(text: string, label: string, change: (items: readonly string[]) => readonly string[]): string {
  const value = factValue(text, label);
  const items = change(value === undefined ? [] : value.split(", "));
  const fresh = items.length === 0 ? [] : [`${label}: ${items.join(", ")}`];
  const lines = text === "" ? [] : text.split("\n");
  const at = lines.findIndex((line) => line.toLowerCase().startsWith(`${label.toLowerCase()}: `));
  return (at < 0 ? [...lines, ...fresh] : [...lines.slice(0, at), ...fresh, ...lines.slice(at + 1)]).join("\n");
}

function isOther(value: string): (item: string) => boolean {
  return (item) => item.trim().toLowerCase() !== value.toLowerCase();
}
