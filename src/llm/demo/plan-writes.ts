// What a message makes the stand-in write: edits of core memory, passages for archival memory, a tool that was asked for.
// Invariant: only tools that the request offers are called, and what could not be kept in core memory is archived once.
import { moduleValue } from "./core-memory-view.ts";
import { editsForFacts } from "./fact-edits.ts";
import { editsForForgetting } from "./forget-edits.ts";
import type { EditedText, MemoryEdit } from "./memory-edits.ts";
import { editsForNaming } from "./persona-edits.ts";
import type { PlannedCall } from "./planned-call.ts";
import { type DoneCall, hasTool, type Turn } from "./turn.ts";
import type { Wishes } from "./wishes.ts";

/** How a fact reads in archival memory, where no label says whom it is about. */
export const archivedFactOpening = "About the user: ";

/** The writes that a turn starts with. */
export function planWrites(wishes: Wishes, turn: Turn): readonly PlannedCall[] {
  const { toolRequest } = wishes;
  if (toolRequest !== undefined)
    return toolRequest.kind === "call" ? [{ name: toolRequest.name, input: toolRequest.input }] : [];
  return [...planCoreEdits(wishes, turn), ...wishes.notes.flatMap((note) => planNote(note, turn))];
}

/** What follows from writes that failed: a lost race is tried once more, a fact that did not fit is archived. */
export function planAfterFailures(wishes: Wishes, turn: Turn): readonly PlannedCall[] {
  const edits = turn.done.filter(isCoreEdit);
  const isFirstRound = edits.every((call) => call.round === 0);
  if (isFirstRound && edits.some((call) => call.failed && isLostRace(call))) return planCoreEdits(wishes, turn);
  if (!hasTool(turn, "archival_memory_insert")) return [];
  return edits
    .filter((call) => call.failed && isOverLimit(call) && call.input["name"] === "human")
    .map((call) => archivedFact(writtenText(call)))
    .filter(
      (content, index, all) =>
        all.indexOf(content) === index && !turn.done.some((call) => call.input["content"] === content),
    )
    .map((content) => ({ name: "archival_memory_insert", input: { content } }));
}

/** Whether the call edits core memory. */
export function isCoreEdit(call: DoneCall): boolean {
  return call.name === "core_memory_append" || call.name === "core_memory_replace";
}

/** Whether an edit failed because the module is full. */
export function isOverLimit(call: DoneCall): boolean {
  return /\blimit\b/i.test(call.result);
}

/** The text that an edit writes. */
export function writtenText(call: DoneCall): string {
  const text = call.name === "core_memory_append" ? call.input["content"] : call.input["new_content"];
  return typeof text === "string" ? text.trim() : "";
}

/** A fact as it is archived. */
export function archivedFact(line: string): string {
  return `${archivedFactOpening}${line}`;
}

/** The edits of core memory that the wishes ask for, on the text that the prompt shows. */
export function coreEdits(wishes: Wishes, turn: Turn): readonly MemoryEdit[] {
  const human: EditedText = { label: "human", value: moduleValue(turn.modules, "human") ?? "", edits: [] };
  const shorter = wishes.forgotten.reduce(editsForForgetting, human);
  const { edits } = editsForFacts(shorter, wishes.facts);
  const persona: EditedText = { label: "persona", value: moduleValue(turn.modules, "persona") ?? "", edits: [] };
  return wishes.naming === undefined ? edits : [...edits, ...editsForNaming(persona, wishes.naming).edits];
}

function planCoreEdits(wishes: Wishes, turn: Turn): readonly PlannedCall[] {
  return coreEdits(wishes, turn).flatMap((edit) => planEdit(edit, turn));
}

function planEdit(edit: MemoryEdit, turn: Turn): readonly PlannedCall[] {
  const isKnownModule = moduleValue(turn.modules, edit.label) !== undefined;
  if (isKnownModule && edit.before !== "" && hasTool(turn, "core_memory_replace")) {
    return [
      { name: "core_memory_replace", input: { name: edit.label, old_content: edit.before, new_content: edit.after } },
    ];
  }
  const line = edit.after.trim();
  if (line === "") return [];
  if (isKnownModule && hasTool(turn, "core_memory_append")) {
    return [{ name: "core_memory_append", input: { name: edit.label, content: line } }];
  }
  const canArchive = edit.label === "human" && hasTool(turn, "archival_memory_insert");
  return canArchive ? [{ name: "archival_memory_insert", input: { content: archivedFact(line) } }] : [];
}

function planNote(note: string, turn: Turn): readonly PlannedCall[] {
  if (hasTool(turn, "archival_memory_insert")) return [{ name: "archival_memory_insert", input: { content: note } }];
  const canAppend = hasTool(turn, "core_memory_append") && moduleValue(turn.modules, "human") !== undefined;
  return canAppend ? [{ name: "core_memory_append", input: { name: "human", content: `Note: ${note}` } }] : [];
}

function isLostRace(call: DoneCall): boolean {
  return !isOverLimit(call) && /\bchanged (?:by|since|mean)|\brevision\b|\btry again\b/i.test(call.result);
}
