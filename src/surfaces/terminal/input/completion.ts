// Completes the typed text: after a `/`, commands and prompts of MCP servers; after an `@`, files and resources of MCP
// servers: first those that begin with the typed text, then those that contain the letters of the text.
// Invariant: pure; a text without a command, prompt or mention to complete has no candidates.
import type { InputHistory } from "./input-history.ts";
import { type Editor, editorOf } from "./line-editor.ts";
import { type Mention, mentionAt } from "./mentions.ts";

/** Maximum number of suggestions that contain the typed letters but do not begin with them. */
const maxLike = 50;

/** A command as a suggestion. */
export interface CommandHint {
  readonly name: string;
  readonly usage: string;
  readonly summary: string;
  /** The heading under which the suggestion is listed. */
  readonly topic?: string;
}

export interface FolderEntry {
  /** The name of the entry; below a subfolder, its path. */
  readonly name: string;
  readonly isFolder: boolean;
}

/** The entries of a folder, and those below its subfolders. */
export interface Listing {
  /** The typed folder. If that has no entries, the current folder (""): the text may be the middle of a path below it. */
  readonly folder: string;
  readonly entries: readonly FolderEntry[];
  /** The entries below the subfolders; empty until a name is typed. */
  readonly nested: readonly FolderEntry[];
}

export interface Candidate {
  readonly label: string;
  readonly summary: string;
  /** The topic of a command; absent for a file. */
  readonly topic?: string;
  /** The typed text with this candidate inserted. */
  readonly completed: Editor;
}

/** A resource or prompt of an MCP server. A command that the user has defined is also a `prompt`, with a topic. */
export interface ServerOffer {
  readonly kind: "resource" | "prompt";
  /** The text after `@` or `/`: `server:name`. */
  readonly name: string;
  readonly usage?: string;
  readonly summary: string;
  readonly topic?: string;
}

/** The typed text, the last listed folder, and the resources and prompts of MCP servers. */
interface Typed {
  readonly editor: Editor;
  readonly listing: Listing | null;
  readonly offers: readonly ServerOffer[];
}

/** Returns all candidates for the typed text. Includes hidden files only if their dot is typed. */
export function candidatesOf(typed: Typed, commands: readonly CommandHint[]): readonly Candidate[] {
  const names = matchingNames(typed, commands);
  if (names.length > 0)
    return names.map(({ name, usage, ...rest }) => ({ ...rest, label: usage, completed: editorOf(`/${name} `) }));
  return suggestionsFor(typed).map(({ label, summary, path, kind }) => ({
    label,
    summary,
    completed: withPath(typed.editor, path, kind),
  }));
}

/**
 * Returns the index of the suggestion that Enter takes: the suggestion chosen with the arrow keys, else the first command
 * or prompt. Without a choice, returns null if the typed name is complete or was recalled from the history.
 */
export function selectedOf(
  { chosen, editor: { text }, history }: Typed & { readonly chosen: number | null; readonly history: InputHistory },
  candidates: readonly Candidate[],
): number | null {
  const isWhole = candidates.some((candidate) => candidate.completed.text === `${text} `);
  return chosen ?? (/^\/\S+$/u.test(text) && !isWhole && history.position === null ? 0 : null);
}

/** Whether a suggestion is a command or prompt that needs no argument. */
export function isSentAtOnce({ label }: Candidate): boolean {
  return /^\/\S+(?: \[.*\])?$/u.test(label);
}

/** The topic of MemGPT's commands for which the chat has newer commands. They are suggested last. */
export const formerTopic = "MemGPT";

/** Returns the commands and prompts with the typed prefix, if the text is only a name. */
function matchingNames({ editor: { text }, offers }: Typed, commands: readonly CommandHint[]): readonly CommandHint[] {
  const typed = /^\/(\S{0,200})$/u.exec(text)?.[1]?.toLowerCase();
  const prompts = offers.filter(
    ({ kind, name }) => kind === "prompt" && typed !== undefined && name.toLowerCase().startsWith(typed),
  );
  const hints = prompts.map((prompt) => ({ usage: `/${prompt.name}`, topic: "MCP servers", ...prompt }));
  const matching = matchingCommands(text, commands);
  const isFormer = ({ topic }: CommandHint): boolean => topic === formerTopic;
  return [...matching.filter((hint) => !isFormer(hint)), ...hints, ...matching.filter(isFormer)];
}

/** Returns the commands with the typed prefix, if the text is only a command's name. */
export function matchingCommands<Named extends Pick<CommandHint, "name">>(
  text: string,
  commands: readonly Named[],
): readonly Named[] {
  const typed = /^\/([a-z]{0,50})$/i.exec(text)?.[1];
  if (typed === undefined) return [];
  return commands.filter((command) => command.name.startsWith(typed.toLowerCase()));
}

/** Returns the text after Tab: the common prefix if it is longer than the typed text, else the first candidate, if any. */
export function completed(typed: Typed, commands: readonly CommandHint[]): Editor | null {
  const candidates = candidatesOf(typed, commands);
  const [first] = candidates;
  if (first === undefined || candidates.length === 1) return first?.completed ?? null;
  const { editor } = typed;
  const shared = sharedText(editor, { typed, commands });
  return shared !== null && shared.text.length > editor.text.length ? shared : first.completed;
}

function sharedText(
  editor: Editor,
  { typed, commands }: { readonly typed: Typed; readonly commands: readonly CommandHint[] },
): Editor | null {
  const names = matchingNames(typed, commands).map(({ name }) => name);
  if (names.length > 0) return editorOf(`/${sharedBeginning(names)}`);
  const paths = suggestionsFor(typed).flatMap(({ path, isBeginning }) => (isBeginning ? [path] : []));
  return paths.length < 2 ? null : withPath(editor, sharedBeginning(paths), "beginning");
}

function sharedBeginning(names: readonly string[]): string {
  const [first = ""] = names;
  let length = first.length;
  while (!names.every((name) => name.startsWith(first.slice(0, length)))) length -= 1;
  return first
    .slice(0, length)
    .toWellFormed()
    .replace(/\ufffd$/u, "");
}

/** A file or resource that may follow the `@`. `path` is the complete text after the `@`. */
interface Suggestion {
  readonly label: string;
  readonly summary: string;
  readonly path: string;
  readonly kind: "file" | "folder";
  /** Whether the path begins with the typed text; if not, the path contains the letters of the text. */
  readonly isBeginning: boolean;
}

/** Returns the suggestions for the mention at the cursor: first those that begin with it; files before resources. */
function suggestionsFor(typed: Typed): readonly Suggestion[] {
  const all = [...filesFor(typed), ...resourcesFor(typed)];
  return [...all.filter(({ isBeginning }) => isBeginning), ...all.filter(({ isBeginning }) => !isBeginning)];
}

function filesFor(typed: Typed): readonly Suggestion[] {
  const mention = mentionIn(typed);
  if (mention === null) return [];
  const beginning = new Set(entriesBeginning(mention));
  return [...beginning, ...entriesLike(mention, beginning)].map((entry) => {
    const { name, isFolder } = entry;
    const path = `${mention.folder}${name}`;
    const [label, kind] = isFolder ? ([`${name}/`, "folder"] as const) : ([name, "file"] as const);
    return { label, summary: "", path, kind, isBeginning: beginning.has(entry) };
  });
}

function resourcesFor({ editor, offers }: Typed): readonly Suggestion[] {
  const mention = mentionAt(editor);
  if (mention === null) return [];
  const typed = `${mention.folder}${mention.name}`;
  const resources = offers.filter(({ kind }) => kind === "resource");
  const beginning = resources.filter(({ name }) => name.toLowerCase().startsWith(typed.toLowerCase()));
  const others = resources.filter((one) => !beginning.includes(one));
  const like = fuzzyMatches(others, typed, { pathOf: ({ name }) => name, isStrict: true }).slice(0, maxLike);
  return [...beginning, ...like].map((resource) => {
    const { name, summary } = resource;
    return { label: name, summary, path: name, kind: "file", isBeginning: beginning.includes(resource) };
  });
}

/** A path before the cursor, with the listing that may complete it. */
interface ListedMention extends Pick<Mention, "folder" | "name"> {
  readonly listing: Listing;
}

/** Returns the path before the cursor with its listing; null if one of the two is missing. */
function mentionIn({ editor, listing }: Typed): ListedMention | null {
  const mention = mentionAt(editor);
  if (mention === null || listing === null) return null;
  if (listing.folder === mention.folder) return { ...mention, listing };
  // The typed folder has no entries. The listing is that of the current folder: the text may be the middle of a path below it.
  if (listing.folder !== "" || listing.nested.length === 0) return null;
  return { ...mention, folder: "", name: `${mention.folder}${mention.name}`, listing };
}

function entriesBeginning({ name, listing }: ListedMention): readonly FolderEntry[] {
  const beginning = name.toLowerCase();
  const isHiddenWanted = beginning.startsWith(".");
  return listing.entries.filter(
    (entry) => entry.name.toLowerCase().startsWith(beginning) && (isHiddenWanted || !entry.name.startsWith(".")),
  );
}

/**
 * Returns the entries not in `besides` that contain the typed letters, best first. Entries with other characters between the
 * letters are included only if there are no better ones.
 */
function entriesLike({ name, listing }: ListedMention, besides: ReadonlySet<FolderEntry>): readonly FolderEntry[] {
  if (name === "" || name.startsWith(".")) return [];
  const others = listing.entries.filter((entry) => !entry.name.startsWith(".") && !besides.has(entry));
  const options = { pathOf: (entry: FolderEntry) => entry.name, isStrict: besides.size > 0 };
  return fuzzyMatches([...others, ...listing.nested], name, options).slice(0, maxLike);
}

/** Returns the editor with another path before the cursor. */
function withPath(editor: Editor, path: string, kind: "file" | "folder" | "beginning"): Editor {
  const mention = mentionAt(editor);
  if (mention === null) return editor;
  const whole = `${path}${kind === "folder" ? "/" : ""}`;
  const isQuoted = mention.isQuoted || /\s/u.test(whole);
  const end = kind === "file" ? `${isQuoted ? '"' : ""} ` : "";
  const before = `${editor.text.slice(0, mention.from)}@${isQuoted ? '"' : ""}${whole}${end}`;
  return { ...editor, text: before + editor.text.slice(editor.cursor), cursor: before.length };
}

/** The values by which matches are sorted, the most important first; lower is better. */
type Score = readonly [kind: number, gaps: number, length: number];

/** Matches of this `kind` or a higher one have other characters between the typed letters. */
const firstLooseKind = 4;

interface FuzzyOptions<Item> {
  pathOf(item: Item): string;
  /** Whether matches with other characters between the letters are omitted even if there are no better matches. */
  readonly isStrict: boolean;
}

/**
 * Returns the items whose path contains the typed letters in their order, best matches first. Equal matches keep their order.
 * Case is ignored. Pure.
 */
function fuzzyMatches<Item>(
  items: readonly Item[],
  typed: string,
  { pathOf, isStrict }: FuzzyOptions<Item>,
): readonly Item[] {
  const letters = typed.toLowerCase();
  const scored = items.flatMap((item) => {
    const score = scoreOf(pathOf(item).toLowerCase(), letters);
    return score === null ? [] : [{ item, score }];
  });
  scored.sort((a, b) => difference(a.score, b.score));
  const hasStrict = (scored[0]?.score[0] ?? firstLooseKind) < firstLooseKind;
  const shown = isStrict || hasStrict ? scored.filter(({ score }) => score[0] < firstLooseKind) : scored;
  return shown.map(({ item }) => item);
}

function difference(one: Score, other: Score): number {
  return one[0] - other[0] || one[1] - other[1] || one[2] - other[2];
}

function scoreOf(path: string, letters: string): Score | null {
  const name = path.slice(path.lastIndexOf("/") + 1);
  const inName = name.indexOf(letters);
  if (inName === 0) return [0, 0, path.length];
  if (inName > 0) return [/[^\p{L}\p{N}]/u.test(name[inName - 1] ?? "") ? 1 : 2, 0, path.length];
  if (path.includes(letters)) return [3, 0, path.length];
  const nameGaps = gapsIn(name, letters);
  if (nameGaps !== null) return [4, nameGaps, path.length];
  const gaps = gapsIn(path, letters);
  return gaps === null ? null : [5, gaps, path.length];
}

/** Returns the number of gaps between the letters, found from left to right in the text; null if a letter is missing. */
function gapsIn(text: string, letters: string): number | null {
  let gaps = 0;
  let last = -1;
  for (const letter of letters) {
    const at = text.indexOf(letter, last + 1);
    if (at === -1) return null;
    if (at !== last + 1) gaps += 1;
    last = at;
  }
  return gaps;
}
