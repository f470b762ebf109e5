// "Forget …": which lines of the human module are meant, and the edits that take them out.
// Invariant: nothing is taken out that the person did not name.
import { findFactLine, readFactLine, tellingLines } from "./core-memory-view.ts";
import { editsForFacts, labelsFor, removeItems } from "./fact-edits.ts";
import { readFacts } from "./facts.ts";
import { type EditedText, replaceLine, replaceSpan } from "./memory-edits.ts";
import { contentWords, countMentions } from "./words.ts";

const topics: readonly (readonly [RegExp, readonly string[]])[] = [
  [/^(?:my )?(?:job|work|profession|occupation|what i do)\b/i, ["Job", "Works at"]],
  [/^(?:my )?name$|^who i am/i, ["Name"]],
  [/^(?:my )?(?:home|address|city|place|location)$|^where i live/i, ["Lives in"]],
  [/^(?:my )?(?:likes|hobbies|interests|tastes)$|^what i (?:like|love|enjoy)/i, ["Likes"]],
  [/^(?:my )?dislikes$|^what i (?:dislike|hate|don't like)/i, ["Dislikes"]],
  [/^(?:my )?birthday$|^when i was born/i, ["Birthday", "Born"]],
  [/^(?:my )?age$|^how old i am/i, ["Age"]],
];

/** The edits for "forget `target`". None if nothing that is known fits. */
export function editsForForgetting(text: EditedText, target: string): EditedText {
  if (/^(?:everything|all)\b.*\b(?:me|know|remember)\b|^everything$|^me$/i.test(target)) return forgetEverything(text);
  const labels =
    topics.find(([pattern]) => pattern.test(target))?.[1] ?? (/^(?:my )?plans?$/i.test(target) ? ["Plan"] : undefined);
  if (labels !== undefined) return labels.reduce(forgetLabel, text);
  const stated = readFacts(target).map((fact) => ({ ...fact, mode: "drop" as const }));
  const dropped = editsForFacts(text, stated);
  return dropped.edits.length > text.edits.length ? dropped : forgetMentions(text, target);
}

function forgetEverything(text: EditedText): EditedText {
  return tellingLines(text.value).length === 0 ? text : replaceSpan(text, text.value, "");
}

function forgetLabel(text: EditedText, label: string): EditedText {
  const line = findFactLine(text.value, labelsFor(label));
  if (line === undefined) return text;
  const shorter = replaceLine(text, line.line, "");
  return shorter.value.length < text.value.length ? forgetLabel(shorter, label) : shorter;
}

function forgetMentions(text: EditedText, target: string): EditedText {
  const words = contentWords(target).filter((word) => !/^(?:like|love|enjoy|hate|live|work)s?$/.test(word));
  if (words.length === 0) return text;
  const meant = (part: string): boolean => countMentions(part, words) === words.length;
  return text.value
    .split("\n")
    .filter(meant)
    .reduce((shorter, line) => forgetLine(shorter, line, meant), text);
}

function forgetLine(text: EditedText, line: string, meant: (part: string) => boolean): EditedText {
  const isList = readFactLine(line)?.value.includes(",") === true;
  const shorter = isList ? removeItems(text, line, meant) : text;
  return shorter === text ? replaceLine(text, line, "") : shorter;
}
