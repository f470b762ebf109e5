// Reads the user's own commands of the chat: Markdown files in the folder `commands` of the data folder, and in
// `.palimpsest/commands` of the working folder.
// Invariant: at most 200 files of at most 64 KB from each folder; a file that cannot be read is left out.
import { readdir, readFile, stat } from "node:fs/promises";
import path from "node:path";
import { nullOnSystemError } from "../../../base/thrown-values.ts";
import type { OwnCommand } from "./load-terminal.ts";

const maxFiles = 200;
const maxBytes = 65_536;
const fileName = /^([a-z\d][\w-]{0,49})\.md$/u;
const maxSummary = 100;

/** Returns the commands of the folders, sorted by name. If two have the same name, the one in the later folder is returned. */
export async function listOwnCommands(folders: readonly string[]): Promise<readonly OwnCommand[]> {
  const found = (await Promise.all(folders.map(commandsIn))).flat();
  const byName = new Map(found.map((one) => [one.name, one]));
  return [...byName.values()].toSorted((one, other) => (one.name < other.name ? -1 : 1));
}

async function commandsIn(folder: string): Promise<readonly OwnCommand[]> {
  const names = (await readdir(folder).catch(nullOnSystemError)) ?? [];
  const files = names.filter((name) => fileName.test(name)).slice(0, maxFiles);
  const read = await Promise.all(files.map((name) => commandOf(path.join(folder, name)).catch(nullOnSystemError)));
  return read.flatMap((one) => one ?? []);
}

async function commandOf(file: string): Promise<OwnCommand | null> {
  if ((await stat(file)).size > maxBytes) return null;
  return parseCommand(path.basename(file, ".md"), await readFile(file, "utf8"));
}

/**
 * Returns the command of a file. The front matter has `description` and `argument-hint`; the rest of the file is the
 * text. Without a description, the first line of the text is the summary. Null for a file without a text.
 */
function parseCommand(name: string, content: string): OwnCommand | null {
  const [front = "", head = ""] = /^---\r?\n([\s\S]*?)\r?\n---(?:\r?\n|$)/u.exec(content) ?? [];
  const text = content.slice(front.length).trim();
  const field = (key: string): string =>
    new RegExp(`^${key}:[ \\t]*(["']?)(.*?)\\1[ \\t]*$`, "mu").exec(head)?.[2]?.trim() ?? "";
  const summary = field("description") || (text.split("\n")[0] ?? "").replace(/^#+\s*/u, "");
  if (text === "") return null;
  const textFor = (argument: string): string => withArguments(text, argument);
  return { name, summary: summary.slice(0, maxSummary), form: field("argument-hint"), textFor };
}

/**
 * Returns the text with `$ARGUMENTS` replaced by all arguments, and each of `$1` to `$9` by one: a word or a quoted
 * text. If the text contains none of these, the arguments are appended to it. Pure.
 */
function withArguments(text: string, argument: string): string {
  const words = [...argument.matchAll(/"([^"]*)"|(\S+)/gu)].map(([, quoted, word]) => quoted ?? word ?? "");
  const filled = text.replaceAll(/\$(?:ARGUMENTS\b|([1-9])(?!\d))/gu, (_all, digit?: string) =>
    digit === undefined ? argument : (words[Number(digit) - 1] ?? ""),
  );
  return filled === text && argument !== "" ? `${text}\n\n${argument}` : filled;
}
