// Determines what a model knows of the agent's state. The model reads it in the snapshot (core memory in the prompt) and in
// state entries (texts of the runtime between the messages, about what has changed since). Decides which entry is due next.
// Invariant: pure; snapshot and entries, read in their order, show the current value of each module; known state is not
// repeated, and no other text can imitate an entry.
import { lowestTrust, type Trust } from "../../base/message/message.ts";
import { formatDay } from "../../base/calendar.ts";
import { escapeFrames, stateTag } from "../../base/message/reserved-tags.ts";
import type { WindowLayout } from "../../store/port/context-report.ts";
import type { FoundTexts, MemorySnapshot, StateEntry, StoredMessage } from "../../store/port/records.ts";
import { factLines, type StateFacts } from "./state-facts.ts";

/** The parts of a BaseMemory that state entries need. */
export interface RenderedMemory {
  readonly modules: readonly { readonly label: string; readonly value: string }[];
  render(labels?: readonly string[]): string;
}

/** Core memory, and the snapshot of it that a conversation's prompt contains. */
export interface ShownMemory {
  /** A number for each module's current text, by label. It changes with the text, and when another module gets the label. */
  readonly revisions: ReadonlyMap<string, number>;
  readonly trust: ReadonlyMap<string, Trust>;
  readonly memory: RenderedMemory;
  readonly snapshot: MemorySnapshot | null;
  readonly layout: WindowLayout;
}

const entriesOf = new WeakMap<readonly StoredMessage[], readonly StateEntry[]>();

/** Returns the entries of the messages, oldest first. The array must not be changed later: its entries are cached. */
export function entriesIn(messages: readonly StoredMessage[]): readonly StateEntry[] {
  let entries = entriesOf.get(messages);
  if (entries === undefined) {
    entries = messages.map(({ stated }) => stated).filter((stated) => stated !== undefined);
    entriesOf.set(messages, entries);
  }
  return entries;
}

/** Returns core memory for the system prompt. Escapes the runtime's tags, which a memory class may have rendered. */
export function promptMemory({
  memory,
  snapshot,
  layout,
}: Pick<ShownMemory, "memory" | "snapshot" | "layout">): string {
  return escapeFrames(layout === "inline" || snapshot === null ? memory.render() : snapshot.text);
}

/** Returns the changes of core memory that the model does not know; null if there are none. */
function unknownChanges(
  { memory, revisions, trust, snapshot, layout }: ShownMemory,
  messages: readonly StoredMessage[],
): Required<Pick<StateEntry, "text" | "shown" | "trust">> | null {
  if (snapshot === null) return null;
  const values = valuesIn({ snapshot, layout });
  const known = knownRevisions(messages);
  const changed = memory.modules
    .filter(({ label, value }) => !isKnown({ label, value, revision: revisions.get(label) ?? 0 }, { known, values }))
    .map(({ label }) => label);
  const there = new Set(memory.modules.map(({ label }) => label));
  const gone = [...new Set([...Object.keys(values ?? {}), ...known.keys()])].filter(
    (label) => !there.has(label) && known.get(label) !== null,
  );
  if (changed.length + gone.length === 0) return null;
  const shown = [...changed.map((label) => [label, revisions.get(label) ?? 0]), ...gone.map((label) => [label, null])];
  const lines = [
    ...(changed.length === 0 ? [] : [changedText, escapeFrames(memory.render(changed))]),
    ...(gone.length === 0 ? [] : [`No longer in core memory: ${gone.join(", ")}`]),
  ];
  return {
    text: lines.join("\n"),
    shown: Object.fromEntries(shown) as StateEntry["shown"] & object,
    trust: lowestTrust(changed.map((label) => trust.get(label) ?? "user")),
  };
}

interface ModuleText {
  readonly label: string;
  readonly value: string;
  readonly revision: number;
}

/** Whether the model knows this text of a module, from the prompt or from messages. */
export function knowsModule(
  module: ModuleText,
  { messages, ...shown }: Pick<ShownMemory, "snapshot" | "layout"> & Pick<StatedSoFar, "messages">,
): boolean {
  return isKnown(module, { known: knownRevisions(messages), values: valuesIn(shown) });
}

/** Whether the model knows a module's text. `values`: the texts in the prompt, by label; null if the prompt is up to date. */
function isKnown(
  { label, value, revision }: ModuleText,
  { known, values }: { readonly known: KnownRevisions; readonly values: MemorySnapshot["values"] | null },
): boolean {
  return known.has(label) ? known.get(label) === revision : values === null || values[label] === value;
}

function valuesIn({ snapshot, layout }: Pick<ShownMemory, "snapshot" | "layout">): MemorySnapshot["values"] | null {
  return layout === "inline" || snapshot === null ? null : snapshot.values;
}

const changedText = "Core memory has changed. These sections replace what was said of them before:";

type KnownRevisions = ReadonlyMap<string, number | null>;

/** Returns the newest revision of each module that the messages show; null for a module that they report as removed. */
function knownRevisions(messages: readonly StoredMessage[]): KnownRevisions {
  const known = new Map<string, number | null>();
  for (const entry of entriesIn(messages))
    for (const shown of [entry.reported, entry.shown])
      for (const [label, revision] of Object.entries(shown ?? {})) known.set(label, revision);
  return known;
}

/** The setting `stateBlock`. `full`: entries also state time and number of messages, and warn when the window fills up. */
export type StateBlockContent = "full" | "changes";

export interface StatedSoFar extends ShownMemory {
  readonly messages: readonly StoredMessage[];
  readonly facts: StateFacts;
  readonly content: StateBlockContent;
  /** The open files and retrieved items that are not in the request yet; null if there are none. */
  readonly found: FoundTexts | null;
  /** Names of the tools that the request offers, and of the tools that must not be called now. */
  readonly tools: { readonly names: readonly string[]; readonly forbidden: readonly string[] };
}

/** Returns the state entry to add after the last message, before the next model call; null if none is due. */
export function entryDue({ messages, facts, content, found, tools, ...memory }: StatedSoFar): StateEntry | null {
  const changes = unknownChanges(memory, messages);
  const due = content === "full" ? dueFacts(facts, messages) : null;
  const limit = limitText(tools);
  const said = [changes?.text, due?.text, limit].filter((text) => typeof text === "string");
  if (said.length === 0 && found === null) return null;
  const before = messages.at(-1)?.stated;
  return {
    ...before,
    ...withText(before, said),
    ...(changes === null ? {} : withChanges(before, changes)),
    ...(due === null ? {} : { facts: due.facts }),
    ...(found === null ? {} : { found: withFound(before?.found, found) }),
  };
}

function withText(before: StateEntry | undefined, said: readonly string[]): Pick<StateEntry, "text"> {
  if (said.length === 0) return {};
  return { text: [...(before?.text === undefined ? [] : [before.text]), ...said].join("\n") };
}

function withFound(before: FoundTexts | undefined, found: FoundTexts): FoundTexts {
  if (before === undefined) return found;
  const files = { ...before.files, ...found.files };
  return { text: `${before.text}\n${found.text}`, parts: [...before.parts, ...found.parts], files };
}

function withChanges(
  before: StateEntry | undefined,
  { shown, trust }: Required<Pick<StateEntry, "shown" | "trust">>,
): Pick<StateEntry, "shown" | "trust"> {
  return { shown: { ...before?.shown, ...shown }, trust: lowestTrust([before?.trust ?? "user", trust]) };
}

/** Returns a text that says which tools the next reply may call; null if it may call all. */
function limitText({ names, forbidden }: StatedSoFar["tools"]): string | null {
  const allowed = names.filter((name) => !forbidden.includes(name));
  if (allowed.length === names.length) return null;
  if (allowed.length === 0) return "Your next reply can call no tool.";
  return allowed.length < forbidden.length
    ? `Your next reply can call only: ${allowed.join(", ")}`
    : `Your next reply cannot call: ${names.filter((name) => forbidden.includes(name)).join(", ")}`;
}

/** Milliseconds after which a stated time is out of date. */
const knownTimeMs = 3_600_000;

/** Whether an entry in these messages warns that older messages will leave the window. */
export function isWarned(messages: readonly StoredMessage[]): boolean {
  return entriesIn(messages).some(({ facts }) => facts?.warns === true);
}

/** Returns the text of an entry about time, number of messages and fill of the window; null if the model needs none now. */
function dueFacts(
  facts: StateFacts,
  messages: readonly StoredMessage[],
): Required<Pick<StateEntry, "text" | "facts">> | null {
  if (!areFactsDue(facts, messages)) return null;
  const isNew = facts.isFilling && !isWarned(messages);
  const warns = isNew || messages.at(-1)?.stated?.facts?.warns === true;
  return {
    text: factLines(facts, { warns: isNew }).join("\n"),
    facts: { at: facts.now.toISOString(), filled: facts.filled, ...(warns ? { warns } : {}) },
  };
}

/** Whether an entry must state time and fill: no message states them, the last statement is old, or the window fills up. */
function areFactsDue({ now, timeZone, isFilling }: StateFacts, messages: readonly StoredMessage[]): boolean {
  const last = entriesIn(messages).findLast((entry) => entry.facts !== undefined)?.facts;
  if (last === undefined) return true;
  const at = new Date(last.at);
  const isOld = now.getTime() - at.getTime() >= knownTimeMs || formatDay(at, timeZone) !== formatDay(now, timeZone);
  return isOld || (isFilling && !isWarned(messages));
}

/** Returns an entry's text in a tag with a secret key, without which no other text can imitate an entry. */
export function taggedEntry(key: string, text: string): string {
  return `<${stateTag} key="${key}">\n${text}\n</${stateTag}>`;
}

/** Whether a search can find the message: it has text that the user wrote to the agent, or the agent to the user. */
export function isSearchable({ role, kind, text }: Pick<StoredMessage, "role" | "kind" | "text">): boolean {
  return kind === "message" && role !== "tool" && text.trim() !== "";
}

/** Returns the prompt's explanation of state entries: what they contain, and by which tag and key the model recognizes them. */
export function stateNote(text: string, key: string): string {
  return `${text.replace("{TAG}", stateTag).replace("{KEY}", () => key)}\n`;
}
