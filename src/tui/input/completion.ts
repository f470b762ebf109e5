// Completes the typed text: slash commands, and files after an `@`.
// Invariant: pure; a text that is a prefix of neither has no candidates.
import { editorOf, type Editor } from "./line-editor.ts";
import { mentionAt } from "./mentions.ts";

/** A command as a suggestion. */
export interface CommandHint {
  readonly name: string;
  readonly usage: string;
  readonly summary: string;
}

export interface FolderEntry {
  readonly name: string;
  readonly isFolder: boolean;
}

/** The entries of a folder. */
export interface Listing {
  /** The folder as typed. */
  readonly folder: string;
  readonly entries: readonly FolderEntry[];
}

export interface Candidate {
  readonly label: string;
  readonly summary: string;
  /** The typed text with this candidate inserted. */
  readonly completed: Editor;
}

/** The typed text, and the last listed folder. */
export interface Typed {
  readonly editor: Editor;
  readonly listing: Listing | null;
}

/** Returns all candidates for the typed text. Includes hidden files only if their dot is typed. */
export function candidatesOf(typed: Typed, commands: readonly CommandHint[]): readonly Candidate[] {
  const names = matchingCommands(typed.editor.text, commands);
  if (names.length > 0)
    return names.map(({ name, usage, summary }) => ({ label: usage, summary, completed: editorOf(`/${name} `) }));
  return matchingEntries(typed).map((entry) => ({
    label: entry.isFolder ? `${entry.name}/` : entry.name,
    summary: "",
    completed: withPath(typed.editor, entry.name, entry.isFolder ? "folder" : "file"),
  }));
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

/**
 * Returns the text after Tab: extended to the common prefix of all candidates, or else the first one. Null if there is none.
 */
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
  const names = matchingCommands(editor.text, commands).map(({ name }) => name);
  if (names.length > 0) return editorOf(`/${sharedBeginning(names)}`);
  const entries = matchingEntries(typed).map(({ name }) => name);
  return entries.length === 0 ? null : withPath(editor, sharedBeginning(entries), "beginning");
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

function matchingEntries({ editor, listing }: Typed): readonly FolderEntry[] {
  const mention = mentionAt(editor);
  if (mention === null || listing?.folder !== mention.folder) return [];
  const beginning = mention.name.toLowerCase();
  const isHiddenWanted = beginning.startsWith(".");
  return listing.entries.filter(
    ({ name }) => name.toLowerCase().startsWith(beginning) && (isHiddenWanted || !name.startsWith(".")),
  );
}

function withPath(editor: Editor, name: string, kind: "file" | "folder" | "beginning"): Editor {
  const mention = mentionAt(editor);
  if (mention === null) return editor;
  const path = `${mention.folder}${name}${kind === "folder" ? "/" : ""}`;
  const isQuoted = mention.isQuoted || /\s/u.test(path);
  const end = kind === "file" ? `${isQuoted ? '"' : ""} ` : "";
  const before = `${editor.text.slice(0, mention.from)}@${isQuoted ? '"' : ""}${path}${end}`;
  return { ...editor, text: before + editor.text.slice(editor.cursor), cursor: before.length };
}
