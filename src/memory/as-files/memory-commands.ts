// The commands of Anthropic's memory tool (`memory_20250818`) on memory as files.
// Invariant: results and errors have the texts that platform.claude.com documents ("Memory tool", "Tool commands"). An
// error without a documented text says what was expected. A refused command changes nothing.
import { ToolError } from "../../base/errors.ts";
import {
  findFile,
  type FileMemory,
  listFiles,
  putFile,
  requireRemovable,
  retireFile,
  type StoredFile,
} from "./memory-files.ts";
import { isPath, memoryRoot, relativePath } from "./memory-paths.ts";

export const memoryCommands = ["view", "create", "str_replace", "insert", "delete", "rename"] as const;

/** A command as the model sends it. `command` determines which other fields are required. */
export interface MemoryCommand {
  readonly command: (typeof memoryCommands)[number];
  readonly path?: string | undefined;
  /** The first and the last line to view, from 1; -1: the end. */
  readonly view_range?: readonly number[] | undefined;
  readonly file_text?: string | undefined;
  readonly old_str?: string | undefined;
  readonly new_str?: string | undefined;
  readonly insert_line?: number | undefined;
  readonly insert_text?: string | undefined;
  readonly old_path?: string | undefined;
  readonly new_path?: string | undefined;
}

/** Runs a command and returns the result for the model. Throws ToolError with the documented text. */
export async function runMemoryCommand(memory: FileMemory, given: MemoryCommand): Promise<string> {
  const { command } = given;
  const field = <Name extends keyof MemoryCommand>(name: Name): NonNullable<MemoryCommand[Name]> => {
    const value = given[name];
    if (value === undefined) throw new ToolError(`Error: ${command} needs \`${name}\``);
    return value as NonNullable<MemoryCommand[Name]>;
  };
  if (command === "rename") return rename(memory, field("old_path"), field("new_path"));
  const path = field("path");
  switch (command) {
    case "view":
      return view(memory, path, given.view_range);
    case "create":
      return create(memory, path, field("file_text"));
    case "str_replace":
      return replace(memory, path, { old: field("old_str"), now: given.new_str ?? "" });
    case "insert":
      return insert(memory, path, { after: field("insert_line"), text: field("insert_text") });
    case "delete":
      return remove(memory, path);
  }
}

async function view(memory: FileMemory, given: string, range: readonly number[] | undefined): Promise<string> {
  const path = relativePath(given);
  const file = path === "" ? null : await findFile(memory, path);
  if (file !== null) return fileView(given, file.text, range);
  const files = await filesBelow(memory, path);
  if (files.length === 0 && path !== "")
    throw new ToolError(`The path ${given} does not exist. Please provide a valid path.`);
  return folderView(given.replace(/\/$/u, ""), path, files);
}

const maxLines = 999_999;

function fileView(path: string, text: string, range: readonly number[] = []): string {
  const lines = text.split("\n");
  if (lines.length > maxLines) throw new ToolError(`File ${path} exceeds maximum line limit of 999,999 lines.`);
  const [from = 1, to = -1] = range;
  const first = Math.max(1, from);
  const shown = lines.slice(first - 1, to === -1 ? lines.length : Math.max(0, to));
  return [`Here's the content of ${path} with line numbers:`, ...numbered(shown, first)].join("\n");
}

function numbered(lines: readonly string[], first: number): readonly string[] {
  return lines.map((line, at) => `${String(first + at).padStart(6)}\t${line}`);
}

const shownDepth = 2;

function folderView(given: string, path: string, files: readonly StoredFile[]): string {
  const sizes = new Map<string, number>();
  let total = 0;
  for (const file of files) {
    const size = Buffer.byteLength(file.text);
    const parts = file.path.slice(path === "" ? 0 : path.length + 1).split("/");
    total += size;
    for (const depth of parts.slice(0, shownDepth).keys()) {
      const shown = parts.slice(0, depth + 1);
      if (shown.some((part) => part.startsWith(".") || part === "node_modules")) break;
      const name = shown.length < parts.length ? `${shown.join("/")}/` : shown.join("/");
      sizes.set(name, (sizes.get(name) ?? 0) + size);
    }
  }
  const lines = [...sizes].toSorted(([one], [other]) => rank(one).localeCompare(rank(other), "en"));
  return [
    `Here're the files and directories up to 2 levels deep in ${given}, excluding hidden items and node_modules:`,
    `${sizeText(total)}\t${given}`,
    ...lines.map(([name, size]) => `${sizeText(size)}\t${given}/${name}`),
  ].join("\n");
}

/** Returns a sort key for a listing. The archive, the longest part, comes last, because a long listing is cut. */
function rank(name: string): string {
  return `${name.startsWith("archive/") ? 1 : 0}${name}`;
}

function sizeText(bytes: number): string {
  const units = ["B", "K", "M", "G"];
  const unit = bytes < 1024 ? 0 : Math.min(units.length - 1, Math.floor(Math.log2(bytes) / 10));
  return `${unit === 0 ? bytes : (bytes / 1024 ** unit).toFixed(1)}${units[unit]}`;
}

async function create(memory: FileMemory, given: string, text: string): Promise<string> {
  const path = relativePath(given);
  const there = path === "" ? "" : await occupant(memory, path);
  if (there !== null) throw new ToolError(`Error: File ${there === path ? given : toolPath(there)} already exists`);
  await putFile(memory, path, text, null);
  return `File created successfully at: ${given}`;
}

async function replace(
  memory: FileMemory,
  given: string,
  { old, now }: { readonly old: string; readonly now: string },
): Promise<string> {
  const file = await fileAt(memory, given, ". Please provide a valid path.");
  const lines = old === "" ? [] : linesWith(file.text, old);
  const problem = "No replacement was performed";
  if (lines.length === 0) throw new ToolError(`${problem}, old_str \`${old}\` did not appear verbatim in ${given}.`);
  if (lines.length > 1) {
    const places = `Multiple occurrences of old_str \`${old}\` in lines: ${[...new Set(lines)].join(", ")}`;
    throw new ToolError(`${problem}. ${places}. Please ensure it is unique`);
  }
  const text = file.text.replace(old, () => now);
  await putFile(memory, file.path, text, file);
  const first = Math.max(1, lines[0]! - 2);
  const shown = text.split("\n").slice(first - 1, lines[0]! + now.split("\n").length + 1);
  const edited = "The memory file has been edited. Here is the snippet showing the change (with line numbers):";
  return [edited, ...numbered(shown, first)].join("\n");
}

/** Returns the line numbers, from 1, of all occurrences of a text; a line with two occurrences is listed twice. */
function linesWith(text: string, wanted: string): readonly number[] {
  const lines: number[] = [];
  let line = 1;
  let from = 0;
  for (let at = text.indexOf(wanted); at !== -1; at = text.indexOf(wanted, at + wanted.length)) {
    line += text.slice(from, at).split("\n").length - 1;
    from = at;
    lines.push(line);
  }
  return lines;
}

async function insert(
  memory: FileMemory,
  given: string,
  { after, text }: { readonly after: number; readonly text: string },
): Promise<string> {
  const file = await fileAt(memory, given, "");
  const lines = file.text.split("\n");
  if (!Number.isInteger(after) || after < 0 || after > lines.length) {
    const range = `It should be within the range of lines of the file: [0, ${lines.length}]`;
    throw new ToolError(`Error: Invalid \`insert_line\` parameter: ${after}. ${range}`);
  }
  const edited = [...lines.slice(0, after), text.replace(/\n$/u, ""), ...lines.slice(after)].join("\n");
  await putFile(memory, file.path, edited, file);
  return `The file ${given} has been edited.`;
}

async function remove(memory: FileMemory, given: string): Promise<string> {
  const path = relativePath(given);
  if (path === "") throw new ToolError(`Error: Cannot delete the ${memoryRoot} directory itself`);
  const files = await filesAt(memory, path);
  if (files.length === 0) throw new ToolError(`Error: The path ${given} does not exist`);
  requireRemovable(files);
  for (const file of files) await retireFile(memory, file);
  return `Successfully deleted ${given}`;
}

async function rename(memory: FileMemory, from: string, to: string): Promise<string> {
  const [oldPath, newPath] = [relativePath(from), relativePath(to)];
  if (oldPath === "") throw new ToolError(`Error: Cannot rename the ${memoryRoot} directory itself`);
  const files = await filesAt(memory, oldPath);
  if (files.length === 0) throw new ToolError(`Error: The path ${from} does not exist`);
  if (newPath === "" || (await occupant(memory, newPath)) !== null)
    throw new ToolError(`Error: The destination ${to} already exists`);
  const moves = files.map((file) => ({ file, path: `${newPath}${file.path.slice(oldPath.length)}` }));
  const long = moves.find(({ path }) => !isPath(path));
  if (long !== undefined) throw new ToolError(`Error: Path ${toolPath(long.path)} is too long`);
  for (const { file, path } of moves) await putFile(memory, path, file.text, file);
  return `Successfully renamed ${from} to ${to}`;
}

const toolPath = (path: string): string => `${memoryRoot}/${path}`;

/** Returns the file with this path. Throws ToolError if there is none; the message ends with `advice`. */
async function fileAt(memory: FileMemory, given: string, advice: string): Promise<StoredFile> {
  const path = relativePath(given);
  const file = path === "" ? null : await findFile(memory, path);
  if (file === null) throw new ToolError(`Error: The path ${given} does not exist${advice}`);
  return file;
}

/** Returns the file with this path, or the files in the folder with this path. */
async function filesAt(memory: FileMemory, path: string): Promise<readonly StoredFile[]> {
  const file = await findFile(memory, path);
  return file === null ? filesBelow(memory, path) : [file];
}

async function filesBelow(memory: FileMemory, path: string): Promise<readonly StoredFile[]> {
  const archive = path === "" || path === "archive" || path.startsWith("archive/");
  const files = await listFiles(memory, { archive });
  return path === "" ? files : files.filter((file) => file.path.startsWith(`${path}/`));
}

/** Returns the path of the file that a new file would replace on a disk that ignores case; null if there is none. */
async function occupant(memory: FileMemory, path: string): Promise<string | null> {
  const exact = await findFile(memory, path);
  if (exact !== null) return exact.path;
  const lower = path.toLowerCase();
  const files = await listFiles(memory, { archive: false });
  const isHidden = (other: string) => other === lower || other.startsWith(`${lower}/`) || lower.startsWith(`${other}/`);
  return files.find((file) => isHidden(file.path.toLowerCase()))?.path ?? null;
}
