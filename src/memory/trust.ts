// Computes the trust class of a text: the lowest class of the texts that it was made from. Finds the external texts in a
// window, which lower the class of what the model writes and are recorded as its sources. Records the classes of what
// searches return. A module has a class for each line, so that what the user said keeps the user's class beside external
// text. Classes by source: docs/memory.md; reasons: ADR 10.
// Invariant: no text gets a higher class than the lowest that it was made from; everything in the window counts, whichever
// turn added it; no class is lowered without a source. Results of searches are returned unchanged, after their classes were
// recorded. A text has the lowest class of its lines; if the number of stored classes differs from the number of lines, each
// line has the lowest class.
import { appendAll } from "../base/lists.ts";
import { type ExternalSource, filesOf, lowestTrust, textOf, toolCallsOf, type Trust } from "../base/message/message.ts";
import type { CompactionRecord, RevisionRecord, StoredMessage } from "../store/port/records.ts";
import type { ArchivalDraft, RecallSearch, SearchPage, WorkingSearch } from "../tool/tool.ts";
import { saidIn } from "./facts/said-by-user.ts";
import { wordsIn } from "./facts/stated-facts.ts";

export interface ReplySources {
  /** Trust classes of the modules in the prompt. */
  readonly modules: readonly Trust[];
  /** Trust classes of everything else that the model was sent: messages and summaries of the window, and retrieved items. */
  readonly window: readonly Trust[];
}

/** Returns the class of a model's reply and of its calls' arguments. */
export function trustOfReply({ modules, window }: ReplySources): Trust {
  return lowestTrust(["model", ...modules, ...window]);
}

/**
 * Returns the class of a summary, from the messages and summaries that it was made from. An empty summary has the highest
 * class.
 */
export function trustOfSummary(summary: string, from: readonly { readonly trust: Trust }[]): Trust {
  return summary === "" ? "user" : lowestTrust(["model", ...from.map(({ trust }) => trust)]);
}

export interface CallSources {
  /** Trust class of the reply that contains the call. */
  readonly reply: Trust;
  /** Trust classes of the modules when the tool ran; an earlier call may have changed the modules. */
  readonly modules: readonly Trust[];
  /** Trust classes of what the tool found in recall and archival memory. */
  readonly recalled: readonly Trust[];
  /** Whether the tool belongs to the runtime, so that its result comes from memory only; undefined for an unknown tool. */
  readonly isOwn: boolean | undefined;
}

/** Returns the class of a tool's result, and of everything that the tool wrote. */
export function trustOfCall({ reply, modules, recalled, isOwn }: CallSources): Trust {
  return isOwn === false ? "external" : lowestTrust([reply, ...modules, ...recalled]);
}

export interface WindowContent {
  readonly messages: readonly StoredMessage[];
  readonly summaries: readonly Pick<CompactionRecord, "id" | "summary" | "trust">[];
  /** Trust classes of the modules, by label. */
  readonly modules: ReadonlyMap<string, Trust>;
  /** Trust class of core memory as the prompt shows it; null if the prompt shows none. */
  readonly prompt: Trust | null;
  readonly synopsis: Trust | null;
  /** The items that a search found for the messages (the lookup). */
  readonly retrieved: readonly { readonly id: string; readonly trust: Trust }[];
}

/** Returns the trust classes of the memory in the prompt and in state entries. */
export function memoryTrust({ modules, prompt, synopsis }: WindowContent): readonly Trust[] {
  return [...modules.values(), ...[prompt, synopsis].filter((trust) => trust !== null)];
}

/** Returns the trust classes of messages, summaries and retrieved items, each class once. */
export function windowTrust({ messages, summaries, retrieved }: WindowContent): readonly Trust[] {
  const classes = new Set<Trust>();
  for (const items of [summaries, retrieved]) {
    for (const { trust } of items) classes.add(trust);
  }
  for (const { trust, stated } of messages) {
    classes.add(trust);
    if (stated?.trust !== undefined) classes.add(stated.trust);
  }
  return [...classes];
}

/** Maximum number of recorded sources; only the newest are recorded. */
const maxSources = 16;

/** Returns the external sources in the window, oldest first. `isOwn`: whether a tool belongs to the runtime. */
export function externalSources(
  content: WindowContent,
  isOwn: (toolName: string) => boolean,
): readonly ExternalSource[] {
  const { summaries, modules, prompt, synopsis, retrieved } = content;
  const low = <Item extends { readonly trust: Trust }>(items: readonly Item[]) =>
    items.filter(({ trust }) => trust === "external");
  const { external, derived } = messageSources(content.messages, isOwn);
  const sources = [
    ...(prompt === "external" ? [{ kind: "prompt" as const, id: "" }] : []),
    ...[...modules].flatMap(([id, trust]) => (trust === "external" ? [{ kind: "module" as const, id }] : [])),
    ...(synopsis === "external" ? [{ kind: "synopsis" as const, id: "" }] : []),
    ...low(summaries).map(({ id }) => ({ kind: "summary" as const, id })),
    ...external,
    ...low(retrieved).map(({ id }) => ({ kind: "passage" as const, id })),
  ];
  return (sources.length === 0 ? derived : sources).slice(-maxSources);
}

/**
 * Returns the newest messages with external text (`external`), and the newest message that was only made from such text
 * (`derived`), which counts only if the window has no other external source. Reads backwards, because only the newest
 * sources are recorded.
 */
function messageSources(
  messages: readonly StoredMessage[],
  isOwn: (toolName: string) => boolean,
): Readonly<Record<"external" | "derived", readonly ExternalSource[]>> {
  const external: ExternalSource[] = [];
  let derived: ExternalSource | null = null;
  for (let at = messages.length - 1; at >= 0 && external.length < maxSources; at -= 1) {
    const message = messages[at] as StoredMessage;
    if (message.trust !== "external") continue;
    const source = sourceOf(message);
    const isDerived =
      message.role === "assistant" ||
      (source.kind === "tool" && isOwn(source.name ?? "") && trustOfCaller(messages, at) === "external");
    if (isDerived) derived ??= source;
    else external.unshift(source);
  }
  return { external, derived: derived === null ? [] : [derived] };
}

/** Returns the class of the reply before the message at the index `at`. */
function trustOfCaller(messages: readonly StoredMessage[], at: number): Trust {
  let before = at - 1;
  while (before >= 0 && messages[before]?.role !== "assistant") before -= 1;
  return messages[before]?.trust ?? "user";
}

function sourceOf(message: StoredMessage): ExternalSource {
  const { id, role, content } = message;
  const result = content.find((part) => part.type === "tool-result");
  if (result !== undefined) return { kind: "tool", id, name: result.name };
  return { kind: role === "user" && filesOf(message).length > 0 ? "file" : "message", id };
}

/** The memories that a tool call can search. */
export interface Searches {
  readonly archival: ArchivalDraft;
  readonly recall: RecallSearch;
  readonly working: WorkingSearch;
}

export interface FoundText {
  readonly id: string;
  readonly trust: Trust;
}

export interface WatchedSearches extends Searches {
  /** All results that these searches have returned so far. */
  readonly found: readonly FoundText[];
}

/** Wraps searches to record the trust classes of their results, for the texts that are made from them. */
export function watchRecalled({ archival, recall, working }: Searches): WatchedSearches {
  const found: FoundText[] = [];
  const noted = (page: SearchPage): SearchPage => {
    for (const { id, trust, neighbours, later, replacement } of page.hits) {
      const beside = [later, replacement].filter((one) => one !== undefined);
      appendAll(found, [{ id, trust }, ...(neighbours?.before ?? []), ...(neighbours?.after ?? []), ...beside]);
    }
    return page;
  };
  return {
    found,
    archival: {
      insert: (content, options) => archival.insert(content, options),
      search: async (query) => noted(await archival.search(query)),
    },
    recall: {
      search: async (query, page, options) => noted(await recall.search(query, page, options)),
      searchDate: async (start, end, page, options) => noted(await recall.searchDate(start, end, page, options)),
    },
    working: { search: async (query) => noted(await working.search(query)) },
  };
}

export interface TrustedText {
  readonly value: string;
  readonly trust: Trust;
  /** The trust class of each line, including blank ones; null if each line has the class of the text. */
  readonly lineTrust: readonly Trust[] | null;
}

/** Returns the trust class of a line that the text did not have before. */
export type ClassOfLine = (line: string) => Trust;

/** The texts that the author of a new text, a model or a program's tool, has seen. */
export interface SeenTexts {
  readonly window: SeenWindow;
  /** The texts of core memory. */
  readonly texts: readonly TrustedText[];
  /** Whether the author has also seen other texts, as the tool of a program may have. */
  readonly hasOthers: boolean;
}

type SeenWindow = Pick<WindowContent, "messages" | "summaries" | "synopsis">;

/** Returns a function that returns the class of a written line: `user` if the user said the line, otherwise `trust`. */
export function classOfWritten(trust: Trust, seen: SeenTexts): ClassOfLine {
  const isSaid = saidIn(() => {
    const { known, foreign } = linesByTrust(seen.texts);
    const messages = saidByUser(seen.window.messages);
    return {
      messages: messages.map(textOf),
      days: messages.map(({ at }) => at.toISOString().slice(0, 10)),
      known,
      foreign: hasUnread(seen) ? null : [...foreign, ...foreignTexts(seen.window)],
    };
  });
  return (text) => (isSaid(text) ? "user" : trust);
}

/**
 * Returns the messages that the user wrote, in the last turn also those whose class was lowered by their files. In
 * earlier turns, such messages are left out, because they may have been imported.
 */
function saidByUser(messages: readonly StoredMessage[]): readonly StoredMessage[] {
  const turnId = messages.at(-1)?.turnId;
  return messages.filter(isOfUser).filter((message) => message.trust === "user" || message.turnId === turnId);
}

/**
 * Returns whether the user wrote an input. A message without files and with a lower class than `user` does not count:
 * its sender has declared that its text comes from elsewhere.
 */
export function isOfUser(message: StoredMessage): boolean {
  const { role, kind, trust } = message;
  return role === "user" && kind === "message" && (trust === "user" || filesOf(message).length > 0);
}

/** Returns the lines of memory that the user said, and the lines from external sources. */
function linesByTrust(texts: readonly TrustedText[]): Readonly<Record<"known" | "foreign", readonly string[]>> {
  const lines = texts.flatMap((text) => {
    const classes = trustOfLines(text);
    return text.value.split("\n").map((line, at) => ({ line, trust: classes[at] }));
  });
  const of = (trust: Trust): readonly string[] => lines.filter((each) => each.trust === trust).map(({ line }) => line);
  return { known: of("user"), foreign: of("external") };
}

/** Returns whether the author saw texts that are not available here: the content of files, an external synopsis, or others. */
function hasUnread({ window: { messages, synopsis }, hasOthers }: SeenTexts): boolean {
  if (hasOthers || synopsis === "external") return true;
  return messages.some((message) => message.trust === "external" && filesOf(message).length > 0);
}

/**
 * Returns the texts of the class `external`: summaries, retrieved items, tool results (without words that were in the call's
 * arguments), user messages and the replies to them. Replies to other messages are left out, because they also repeat what
 * the user said.
 */
function foreignTexts({ messages, summaries }: SeenWindow): readonly string[] {
  const external = messages.filter(({ trust }) => trust === "external");
  const begunElsewhere = new Set(external.filter(({ role }) => role === "user").map(({ turnId }) => turnId));
  const asked = new Map(messages.flatMap(toolCallsOf).map((call) => [call.callId, JSON.stringify(call.arguments)]));
  return [
    ...summaries.filter(({ trust }) => trust === "external").map(({ summary }) => summary),
    ...messages.flatMap(({ stated }) => stated?.found?.text ?? []),
    ...external
      .flatMap((message) => message.content)
      .flatMap((part) => (part.type === "tool-result" ? [newIn(part.text, asked.get(part.callId) ?? "")] : [])),
    ...external.filter(({ role, turnId }) => role === "user" || begunElsewhere.has(turnId)).map(textOf),
  ];
}

/** Returns the words of a text that another text does not have. */
function newIn(text: string, other: string): string {
  const words = new Set(wordsIn(other));
  // Each word is put on its own line, because two numbers on one line, such as "12 300", would be read as one number.
  return wordsIn(text)
    .filter((word) => !words.has(word))
    .join("\n");
}

export function trustOfLines({ value, trust, lineTrust }: TrustedText): readonly Trust[] {
  const { length } = value.split("\n");
  if (lineTrust?.length === length && textTrust({ trust, lineTrust }) === trust) return lineTrust;
  const lowest = lowestTrust([trust, ...(lineTrust ?? [])]);
  return Array.from({ length }, () => lowest);
}

/** Returns the trust class of the text at a revision. A revision's field `trust` covers only the lines it wrote. */
export function textTrust({ trust, lineTrust }: Pick<TrustedText, "trust" | "lineTrust">): Trust {
  return lineTrust === null ? trust : lowestTrust(lineTrust);
}

/** Returns the class of a module's text before revision 1, from this revision: `user`, or `external` for an import. */
export function trustOfBeginning({ origin }: Pick<RevisionRecord, "origin">): Trust {
  return origin === "import" ? "external" : "user";
}

export interface EditTrust {
  /** The class of the new text. */
  readonly trust: Trust;
  readonly lineTrust: TrustedText["lineTrust"];
  /** The class of the lines that the edit wrote; if it only removed lines, the class of the edit. */
  readonly written: Trust;
}

/** Returns the trust classes after an edit: a line that the text already had keeps its class, wherever it is now. */
export function trustOfEdit(before: TrustedText, after: string, classOf: ClassOfLine): EditTrust {
  const known = knownLines(before);
  const written: Trust[] = [];
  const lines = after.split("\n");
  const classes = lines.map((line): Trust => {
    const kept = known.get(line.trim());
    if (kept !== undefined) return kept;
    const own = classOf(line);
    written.push(own);
    return own;
  });
  return {
    ...trustOfText(lines, classes),
    written: written.length === 0 ? classOf("") : lowestTrust(written),
  };
}

/** Returns the class of a text, and the classes of its lines, or null if they are all the same. Blank lines do not count. */
export function trustOfText(lines: readonly string[], classes: readonly Trust[]): Omit<EditTrust, "written"> {
  const trust = lowestTrust(classes);
  const isUniform = lines.every((line, at) => line.trim() === "" || classes[at] === trust);
  return { trust, lineTrust: isUniform ? null : classes };
}

function knownLines(text: TrustedText): ReadonlyMap<string, Trust> {
  const classes = trustOfLines(text);
  // A blank line has the user's class, because it says nothing.
  const known = new Map<string, Trust>();
  for (const [at, line] of text.value.split("\n").entries()) {
    const key = line.trim();
    known.set(key, lowestTrust([known.get(key) ?? "user", classes[at] ?? text.trust]));
  }
  return known.set("", "user");
}
