// Applies facts and "forget …" to a text of core memory, and returns the tool calls that make this edit.
// Invariant: a known fact causes no call; only text that the user named is removed.
import { diffLines } from "../../../base/line-diff.ts";
import { type Fact, factValue } from "./facts.ts";
import type { Call } from "./read-turn.ts";
import { contentWords, countMentions } from "./words.ts";

/** Returns the text with a fact added. A liked item is removed from the disliked ones, and vice versa. */
export function learn(text: string, { label, value, isList }: Fact): string {
  const opposite = { Likes: "Dislikes", Dislikes: "Likes" }[label];
  const rest = opposite === undefined ? text : changeItems(text, opposite, (items) => items.filter(isOther(value)));
  return changeItems(rest, label, (items) => {
    if (isList) return items.some((item) => !isOther(value)(item)) ? items : [...items, value];
    return isOther(value)(items.join(", ")) ? [value] : items;
  });
}

/** Returns the text without the lines, or items of a list, that contain the words of "forget TOPIC". */
export function forget(text: string, topic: string): string {
  if (/^everything\b|^me$/i.test(topic)) return "";
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

/** Returns the calls that change the module's text from `before` to `after`. */
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

/** Changes the items on the line with a label; a line without items is removed, and a new line is appended. */
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
