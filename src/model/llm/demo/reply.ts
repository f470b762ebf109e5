// Writes the text of a reply: a report of the memory edits in this turn, and the answers to the message's questions.
// Invariant: a fact is reported as stored only if its tool call succeeded.
import { parseObject } from "../../../base/json-values.ts";
import { fileLabel } from "../../../base/message/file-part.ts";
import { abilities, answerFromCore, answerFromSearch, demoDisclaimer, selfIntroduction } from "./answer-question.ts";
import { clip, factValue, type Intent, quote } from "./intents.ts";
import { writesFor } from "./plan-calls.ts";
import { type DoneCall, type Turn } from "./read-turn.ts";

/** Returns the reply that ends a turn. */
export function replyText(intents: readonly Intent[], turn: Turn): string {
  const files = turn.files.map(fileLabel).join(" ");
  const parts = [
    ...(files === "" ? [] : [`You sent ${files}. I am a ${demoDisclaimer}, and cannot see files.`]),
    ...(intents.length === 0 && files === "" ? [smallTalk(turn)] : []),
    ...reportWrites(intents, turn),
    ...intents.flatMap((intent) => answer(intent, turn)),
  ];
  return parts.join(parts.some((part) => part.includes("\n")) ? "\n" : " ");
}

function smallTalk(turn: Turn): string {
  const user = factValue(turn.core.get("human") ?? "", "Name");
  if (/^$|^(?:hi|hello|hey|good (?:morning|evening))\b/i.test(turn.input))
    return `Hello${user === undefined ? "" : `, ${user}`}! ${selfIntroduction(turn)} ${abilities}`;
  if (/^(?:thanks|thank you|great|good|ok|okay)\b/i.test(turn.input)) return "You are welcome.";
  return `I have no rule for that, but the conversation history keeps it. I am a ${demoDisclaimer}. ${abilities}`;
}

function answer(intent: Intent, turn: Turn): readonly string[] {
  if (intent.kind === "question") return [answerFromCore(intent.text, turn) ?? answerFromSearch(intent.text, turn)];
  if (intent.kind !== "call") return [];
  if (parseObject(intent.json) === undefined) return [`I cannot read ${clip(intent.json)} as a JSON object.`];
  const call = turn.done.find(({ name }) => name === intent.name);
  if (call === undefined)
    return [`I have no tool named ${clip(intent.name)}. My tools: ${[...turn.tools].join(", ")}.`];
  return [`${call.name} ${call.failed ? "failed" : "returned"}: ${clip(call.result)}`];
}

function reportWrites(intents: readonly Intent[], turn: Turn): readonly string[] {
  if (!intents.some(({ kind }) => kind === "fact" || kind === "note" || kind === "forget")) return [];
  const reports = turn.done.flatMap(reportWrite);
  const kept = turn.done.filter(({ name, failed }) => name.startsWith("core_memory_") && !failed);
  const appended = kept.filter(({ name }) => name === "core_memory_append").map(writtenText);
  const user = kept.find(({ input }) => input["name"] === "human" && /^Name: ./.test(writtenText({ input })));
  if (appended.length > 0) reports.unshift(`I wrote into my core memory: ${appended.join("; ")}.`);
  if (user !== undefined) reports.unshift(`Nice to meet you, ${writtenText(user).slice("Name: ".length)}.`);
  if (reports.length > 0) return reports;
  if (writesFor(intents, turn).length > 0)
    return ["I have no tool that could write that down; only the conversation history has it."];
  const known = intents.flatMap((intent) => (intent.kind === "fact" ? [clip(intent.fact.value)] : []));
  return [
    known.length === 0 ? "There is nothing to change in my core memory." : `I know that already: ${known.join("; ")}.`,
  ];
}

function reportWrite(call: DoneCall): string[] {
  if (!/^core_memory_|^archival_memory_insert$/.test(call.name)) return [];
  if (call.failed) return [`${call.name} failed, so that is not kept: ${clip(call.result)}`];
  if (call.name === "archival_memory_insert") return [`I saved to archival memory: ${quote(writtenText(call))}.`];
  if (call.name === "core_memory_append") return [];
  const [old, text] = [quote(String(call.input["old_content"])), writtenText(call)];
  return [text === "" ? `I removed ${old} from my core memory.` : `I changed ${old} to "${text}" in my core memory.`];
}

function writtenText({ input }: Pick<DoneCall, "input">): string {
  const text = input["content"] ?? input["new_content"];
  return typeof text === "string" ? clip(text) : "";
}
