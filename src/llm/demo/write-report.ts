// What a reply says of this turn's writes: what was kept and where, and what failed and why.
// Invariant: nothing is called kept unless its tool said so.
import { isCoreEdit, isOverLimit, archivedFact, archivedFactOpening, coreEdits, writtenText } from "./plan-writes.ts";
import { clip, quote } from "./quote.ts";
import { type DoneCall, hasTool, type Turn } from "./turn.ts";
import type { Wishes } from "./wishes.ts";

/** Sentences about the writes of this turn; none if it had nothing to write. */
export function reportWrites(wishes: Wishes, turn: Turn): readonly string[] {
  if (wishes.toolRequest !== undefined) return [reportTool(wishes.toolRequest.name, turn)];
  const writes = turn.done.filter((call) => isCoreEdit(call) || call.name === "archival_memory_insert");
  const greeting = writes.flatMap((call) => greetingFor(call));
  const reports = [...greeting, ...reportAppends(writes), ...writes.flatMap((call) => reportWrite(call, writes))];
  return reports.length > 0 ? [...reports, ...historyNote(wishes, writes)] : reportNothingWritten(wishes, turn);
}

function greetingFor(call: DoneCall): readonly string[] {
  const name = call.failed || !isCoreEdit(call) ? undefined : /^(?:First )?name: (.+)$/i.exec(writtenText(call))?.[1];
  return name === undefined ? [] : [`Nice to meet you, ${name}.`];
}

function reportAppends(writes: readonly DoneCall[]): readonly string[] {
  const lines = writes.filter((call) => call.name === "core_memory_append" && !call.failed).map(writtenText);
  return lines.length === 0 ? [] : [`I wrote into my core memory: ${lines.map(clip).join("; ").replace(/\.$/, "")}.`];
}

function reportWrite(call: DoneCall, writes: readonly DoneCall[]): readonly string[] {
  if (call.failed) return reportFailure(call, writes);
  if (call.name === "core_memory_replace") return [reportReplaced(call)];
  if (call.name !== "archival_memory_insert") return [];
  const content = textOf(call, "content");
  const isOverflow = writes.some(
    (edit) => edit.failed && isCoreEdit(edit) && archivedFact(writtenText(edit)) === content,
  );
  if (isOverflow)
    return [
      `My core memory is full, so I saved this to archival memory instead: ${quote(content.slice(archivedFactOpening.length))}.`,
    ];
  return [`I saved to archival memory: ${quote(content)}.`];
}

function reportReplaced(call: DoneCall): string {
  const old = textOf(call, "old_content").trim();
  const written = writtenText(call);
  return written === ""
    ? `I removed ${quote(old)} from my core memory.`
    : `I changed ${quote(old)} to ${quote(written)} in my core memory.`;
}

function reportFailure(call: DoneCall, writes: readonly DoneCall[]): readonly string[] {
  const content = archivedFact(writtenText(call));
  const isArchived = isOverLimit(call) && writes.some((write) => !write.failed && textOf(write, "content") === content);
  const wasRetried = writes.some((write) => write.round > call.round && write.name === call.name && !write.failed);
  return isArchived || wasRetried ? [] : [`${call.name} failed, so that is not kept: ${clip(call.result)}`];
}

function historyNote(wishes: Wishes, writes: readonly DoneCall[]): readonly string[] {
  const hasRemoved =
    wishes.forgotten.length > 0 && writes.some((call) => call.name === "core_memory_replace" && !call.failed);
  return hasRemoved ? ["The conversation history still has what was said."] : [];
}

function reportNothingWritten(wishes: Wishes, turn: Turn): readonly string[] {
  const edits = coreEdits(wishes, turn);
  const reports: string[] = [];
  if (edits.length > 0 || (wishes.notes.length > 0 && !hasTool(turn, "archival_memory_insert"))) {
    reports.push("I have no tool that could write that down; it stands only in the conversation history.");
  } else if (wishes.facts.some((fact) => fact.mode !== "drop")) {
    const known = wishes.facts.filter((fact) => fact.mode !== "drop").map((fact) => `${fact.label}: ${fact.value}`);
    reports.push(`My core memory has that already: ${known.join("; ")}.`);
  }
  if (edits.length === 0 && wishes.facts.length > 0 && wishes.facts.every((fact) => fact.mode === "drop")) {
    reports.push("My core memory held nothing of that, so there was nothing to take back.");
  }
  if (edits.length === 0) {
    reports.push(
      ...wishes.forgotten.map(
        (target) => `My core memory holds nothing about ${quote(target)}, so there is nothing to forget.`,
      ),
    );
    if (wishes.naming !== undefined) reports.push(`My name is ${wishes.naming} already.`);
  }
  return reports;
}

function reportTool(name: string, turn: Turn): string {
  const call = turn.done.findLast((done) => done.name === name);
  if (call === undefined) {
    const names = turn.tools.map((tool) => tool.name).join(", ");
    return `I have no tool named ${clip(name)}. My tools: ${names === "" ? "none" : names}.`;
  }
  if (call.failed) return `${name} failed: ${clip(call.result)}`;
  return call.result.trim() === "" || call.result === "None"
    ? `${name} is done.`
    : `${name} returned: ${clip(call.result)}`;
}

function textOf(call: DoneCall, key: string): string {
  const text = call.input[key];
  return typeof text === "string" ? text : "";
}
