// Reads the running turn from a request: the user's last message, the calls since then, and core memory in the prompt.
// Invariant: only this file depends on the format of the prompt, events and results; a turn begins with the user's last
// message.
import { codePointLength } from "../../../base/code-points.ts";
import { parseObject } from "../../../base/json-values.ts";
import type { FilePart } from "../../../base/message/file-part.ts";
import { filesOf, type Message, textOf, toolCallsOf } from "../../../base/message/message.ts";
import type { ModelRequest } from "../model.ts";

/** A tool call that the demo model makes. */
export interface Call {
  readonly name: string;
  readonly input: Readonly<Record<string, unknown>>;
}

/** A call of this turn with its result. */
export interface DoneCall extends Call {
  readonly failed: boolean;
  readonly result: string;
}

/** The running turn, as the rules of the demo model read it. */
export interface Turn {
  readonly protocol: "native" | "heartbeat";
  /** The beginning of the user's last message; empty at a login. */
  readonly input: string;
  readonly files: readonly FilePart[];
  readonly done: readonly DoneCall[];
  /** Values of the modules of core memory, by label. */
  readonly core: ReadonlyMap<string, string>;
  readonly tools: ReadonlySet<string>;
  /** Whether an earlier reply in the window has explained what the demo model understands. */
  readonly hasExplained: boolean;
}

/** A search hit: a message of the user, or a passage of archival memory. */
export interface Found {
  readonly at: string;
  readonly source: "you said" | "archival memory";
  readonly text: string;
}

/** Maximum characters of a message that the rules read. */
const maxTextLength = 4000;
const moduleText = /<([A-Za-z_][\w-]*) characters="\d+\/\d+"[^>\n]*>\n([\s\S]*?)\n?<\/\1>/g;
/** Matches the result of an edit: the length of the edited module, and the lines that were added or removed. */
const editedLines =
  /"([A-Za-z_][\w-]*)" now has (\d+) of \d+ characters\..*? (?:Lines? (\d+)(?: to \d+)? now:\n([\s\S]*)|Removed: lines? (\d+).*)$/;
const emptyText = /"([A-Za-z_][\w-]*)" is empty now\./g;
/** Matches a search hit, which is a user's message or a passage: its time, its origin and its text. */
const foundItem =
  /^ *(?:\[\d+\] (?:(?:said|saved) earlier: )?|said later, \[\d+\]: )\w{3} (\d{4}-\d{2}-\d{2} \d{2}:\d{2})(.*?): (.*)$/gm;
const ownOrigin = /, you(?:, external)?$/;
const passageOrigin = /^, (?:saved by |imported|from |filed under )/;
/** The beginnings of a user message and of the runtime's own messages in the native protocol. */
const timeMark = /^\[\w{3} \d{4}-\d{2}-\d{2} \d{2}:\d{2}(?:, [^\]]*)?\] ?/;
const runtimeNote = /^(?:Note: prior messages |\[System alert:)/;

export function readTurn({ system, messages, tools }: ModelRequest): Turn {
  const names = new Set(tools.map(({ name }) => name));
  const protocol = names.has("send_message") ? "heartbeat" : "native";
  const texts = messages.map((message) => (message.role === "user" ? userText(textOf(message), protocol) : undefined));
  const start = texts.findLastIndex((text) => text !== undefined);
  return {
    protocol,
    input: (texts[start] ?? "")
      .slice(0, maxTextLength)
      .toWellFormed()
      .replace(/[\u2018\u2019]/g, "'")
      .trim(),
    files: start < 0 ? [] : filesOf(messages[start]!),
    done: doneCalls(messages.slice(start + 1), protocol),
    core: readCore(system.memory, messages),
    tools: names,
    hasExplained: messages.slice(0, Math.max(0, start)).some(hasExplanation),
  };
}

function hasExplanation(message: Message): boolean {
  if (message.role !== "assistant") return false;
  const sent = toolCallsOf(message).map(({ arguments: text }) => text);
  return [textOf(message), ...sent].some((text) => text.includes("You can tell me facts ("));
}

/** Returns core memory: the sections in the prompt, updated by state entries and results of edits. */
function readCore(prompt: string, messages: readonly Message[]): ReadonlyMap<string, string> {
  const core = new Map<string, string>();
  const readModules = (text: string): void => {
    for (const [, label, value = ""] of text.matchAll(moduleText)) core.set(label!, value);
  };
  readModules(prompt);
  for (const part of messages.flatMap(({ content }) => content)) {
    if (part.type === "state") readModules(part.text);
    if (part.type === "tool-result") readEdit(shownResult(part.text), core);
  }
  return core;
}

/** Applies an edit to core memory, as the result of the edit describes it. */
function readEdit(result: string, core: Map<string, string>): void {
  for (const [, label] of result.matchAll(emptyText)) core.set(label!, "");
  const [, label, length, first, text, removed] = editedLines.exec(result) ?? [];
  if (label === undefined) return;
  const at = Number(first ?? removed) - 1;
  core.set(label, editedText(core.get(label) ?? "", { at, lines: text?.split("\n") ?? [], length: Number(length) }));
}

interface ReportedEdit {
  readonly at: number;
  readonly lines: readonly string[];
  /** Length of the whole text after the edit, in code points. */
  readonly length: number;
}

/** Returns the text with the reported lines; unchanged if it already contains them. */
function editedText(old: string, { at, lines, length }: ReportedEdit): string {
  const before = old === "" ? [] : old.split("\n");
  const isLong = (text: string): boolean => codePointLength(text) === length;
  if (isLong(old) && lines.every((line, index) => before[at + index] === line)) return old;
  // The result does not say how many lines were replaced, so the candidate with the reported length is chosen.
  const candidates = Array.from({ length: Math.max(0, before.length - at) + 1 }, (_, count) =>
    [...before.slice(0, at), ...lines, ...before.slice(at + count)].join("\n"),
  );
  return candidates.find(isLong) ?? old;
}

/** Returns the text of a result, without the envelope of the heartbeat protocol. */
function shownResult(text: string): string {
  const shown = parseObject(text)?.["message"];
  return typeof shown === "string" ? shown : text;
}

/** Returns the user's text in a user message; undefined if the runtime wrote the message. */
function userText(text: string, protocol: Turn["protocol"]): string | undefined {
  const envelope = protocol === "heartbeat" ? parseObject(text) : undefined;
  if (envelope === undefined) {
    const said = text.replace(timeMark, "");
    return runtimeNote.test(said) ? undefined : said;
  }
  if (envelope["type"] === "login") return "";
  if (envelope["type"] === "heartbeat" || envelope["type"] === "system_alert") return undefined;
  return typeof envelope["message"] === "string" ? envelope["message"] : text;
}

function doneCalls(messages: readonly Message[], protocol: Turn["protocol"]): readonly DoneCall[] {
  const results = messages.flatMap(({ content }) => content.filter((part) => part.type === "tool-result"));
  return messages.flatMap(toolCallsOf).map(({ callId, name, arguments: text }) => {
    const result = results.find((one) => one.callId === callId);
    const envelope = protocol === "heartbeat" ? parseObject(result?.text ?? "") : undefined;
    const shown = envelope === undefined ? result?.text : envelope["message"];
    return {
      name,
      input: parseObject(text) ?? {},
      failed: result?.status !== "ok" || envelope?.["status"] === "Failed",
      result: typeof shown === "string" ? shown : JSON.stringify(shown ?? "None"),
    };
  });
}

/** Returns the hits of a page of search results, without the demo model's own messages. */
export function readFound({ failed, result }: DoneCall): readonly Found[] {
  return [...(failed ? "" : result).matchAll(foundItem)].flatMap(([, at = "", origin = "", text = ""]) => {
    if (ownOrigin.test(origin)) return [];
    return [{ at, source: passageOrigin.test(origin) ? "archival memory" : "you said", text: text.trim() }];
  });
}

/** Whether two calls have the same name and arguments. */
export function isSameCall(one: Call, other: Call): boolean {
  return one.name === other.name && Object.entries(other.input).every(([key, value]) => one.input[key] === value);
}
