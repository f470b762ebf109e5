// Exports passages of an archive to files of JSON Lines, and imports them.
// Invariant: passages are read and written in batches, and an incomplete file is removed. Every line of an import is checked
// before the first passage is stored, so a file with an invalid line does not change the archive.
import { once } from "node:events";
import { createReadStream } from "node:fs";
import { rm, stat } from "node:fs/promises";
import { ConfigError } from "../../../base/errors.ts";
import { reasonOf } from "../../../base/thrown-values.ts";
import { numberText } from "../../../base/window-words.ts";
import type { CommandCall, Result } from "../command.ts";
import { counted } from "../format/listing-texts.ts";
import { openNewFile } from "../new-file.ts";
import { readInput, readTextFile } from "../parse/read-text.ts";
import { notice, printError, toJsonLine } from "../print.ts";
import type { Passage, PassageInput } from "../runtime-records.ts";
import type { World } from "../world.ts";

const passagesPerNotice = 1000;

type Write = (line: string) => Promise<unknown>;

/** Writes the passages to a new file, or to standard output for `-`. */
export async function exportPassages(call: CommandCall, file: string): Promise<Result | number> {
  if (file === "-") {
    const count = await writePassages(call, (line) => writeOut(call, line));
    notice(call, `wrote ${counted(count, "passage")}`);
    return 0;
  }
  // An unknown agent must be refused before the file is created.
  await (await call.runtime()).agents.find(call.agent);
  const count = await writeFile(call, file);
  return { text: `Wrote ${counted(count, "passage")} to ${file}.` };
}

async function writeFile(call: CommandCall, file: string): Promise<number> {
  const handle = await openNewFile(file);
  try {
    const count = await writePassages(call, (line) => handle.appendFile(line));
    await handle.close();
    return count;
  } catch (error) {
    await handle.close();
    await rm(file, { force: true });
    throw error;
  }
}

/** Writes all passages of the agent, and returns their number. */
async function writePassages(call: CommandCall, write: Write): Promise<number> {
  let count = 0;
  for await (const passage of (await call.runtime()).archival.export(call.agent)) {
    call.world.signal.throwIfAborted();
    await write(toJsonLine(passageShape(passage)));
    count += 1;
    if (count % passagesPerNotice === 0) notice(call, counted(count, "passage"));
  }
  return count;
}

async function writeOut({ world: { stdout, signal } }: CommandCall, line: string): Promise<void> {
  if (!stdout.write(line)) await once(stdout, "drain", { signal });
}

/** Returns a passage of the agent as `--json` prints it, which is also a line of an export. */
export function passageShape({ id, text, tags, kind, origin, trust, importance, at, replacedBy }: Passage): object {
  return { id, text, tags, kind, origin, trust, importance, at, ...(replacedBy === undefined ? {} : { replacedBy }) };
}

/** Number of problems that are reported individually. */
const maxProblems = 10;
/** Limits of one batch: passages, and UTF-16 units of text. */
const batchPassages = 100;
const batchLength = 1_000_000;

/** Stores the passages of a file, or of standard input for `-`. Throws ConfigError if a line is not a passage. */
export async function importPassages(call: CommandCall, file: string): Promise<Result> {
  const lines = await textLines(file, call.world);
  const total = await checkLines(call, lines, file);
  const added = await store(call, lines, total);
  const present = total - added;
  const known = present === 0 ? "" : `; ${numberText(present)} already stored`;
  return { json: { added, present }, text: `Imported ${counted(added, "passage")}${known}.` };
}

/** Checks each line, and returns the number of passages. Throws ConfigError if a line is not a passage. */
async function checkLines({ world }: CommandCall, lines: TextLines, file: string): Promise<number> {
  let total = 0;
  let wrong = 0;
  for await (const { number, problem } of passagesOf(lines)) {
    world.signal.throwIfAborted();
    total += 1;
    if (problem === null) continue;
    wrong += 1;
    if (wrong <= maxProblems) printError(world, `line ${number}: ${problem}`);
  }
  if (wrong === 0) return total;
  const place = file === "-" ? "Standard input" : file;
  const shown = wrong > maxProblems ? `, the first ${maxProblems} are above` : "";
  throw new ConfigError(
    `${place} was not imported. Invalid lines: ${numberText(wrong)} of ${numberText(total)}${shown}.`,
  );
}

/** Stores the passages in batches, and returns the number of new ones. */
async function store(call: CommandCall, lines: TextLines, total: number): Promise<number> {
  const { archival } = await call.runtime();
  let [added, done, length] = [0, 0, 0];
  let batch: PassageInput[] = [];
  const flush = async (): Promise<void> => {
    added += await archival.import(call.agent, batch);
    const before = done;
    done += batch.length;
    batch = [];
    length = 0;
    if (Math.floor(done / passagesPerNotice) > Math.floor(before / passagesPerNotice)) {
      notice(call, `${numberText(done)} of ${counted(total, "passage")}`);
    }
  };
  for await (const { number, passage } of passagesOf(lines)) {
    if (call.world.signal.aborted || passage === null) throw stopped(call, { number, done });
    batch.push(passage);
    length += passage.text.length;
    if (batch.length >= batchPassages || length >= batchLength) await flush();
  }
  await flush();
  return added;
}

/** Returns the error that ends a running import: an interruption, or a file that changed after the check. */
function stopped(
  { world }: CommandCall,
  { number, done }: { readonly number: number; readonly done: number },
): unknown {
  const kept = `${counted(done, "passage")} stored; import the file again for the rest.`;
  if (!world.signal.aborted) return new ConfigError(`Line ${number} has changed since it was checked. ${kept}`);
  printError(world, kept);
  return world.signal.reason;
}

async function* passagesOf(lines: TextLines) {
  // `passage-line.ts` is loaded only here, because it needs zod, and `--help` must load no package.
  const { readPassageLine } = await import("../parse/passage-line.ts");
  let number = 0;
  for await (const line of lines()) {
    number += 1;
    if (line.trim() !== "") yield { number, ...readPassageLine(line) };
  }
}

/** Reads the lines from the beginning, without line ends. */
type TextLines = () => AsyncIterable<string> | Iterable<string>;

/** Maximum length of a line, in UTF-16 units; a longer one indicates another kind of file. */
const maxLineBytes = 16_000_000;

/**
 * Returns the lines of a file, or of standard input for `-`. A regular file is read again each time; other files are buffered
 * in memory.
 */
async function textLines(path: string, { stdin, signal }: World): Promise<TextLines> {
  if (path === "-") return linesOfText(await readInput(stdin, signal));
  if (!(await isRegular(path))) return linesOfText(await readTextFile(path, "FILE"));
  return () => linesOfFile(path, signal);
}

function linesOfText(text: string): TextLines {
  const lines = text.split(/\r?\n/u);
  return () => lines;
}

async function isRegular(path: string): Promise<boolean> {
  try {
    return (await stat(path)).isFile();
  } catch (cause) {
    throw unreadable(path, cause);
  }
}

async function* linesOfFile(path: string, signal: AbortSignal): AsyncGenerator<string, void> {
  const decoder = new TextDecoder("utf-8", { fatal: true });
  let rest = "";
  try {
    for await (const chunk of createReadStream(path, { signal })) {
      const lines = (rest + decoder.decode(chunk as Buffer, { stream: true })).split("\n");
      rest = lines.pop() ?? "";
      if (rest.length > maxLineBytes)
        throw new ConfigError(`${path}: a line has more than ${maxLineBytes} characters.`);
      for (const line of lines) yield withoutReturn(line);
    }
    rest += decoder.decode();
  } catch (cause) {
    signal.throwIfAborted();
    throw cause instanceof ConfigError ? cause : unreadable(path, cause);
  }
  if (rest !== "") yield withoutReturn(rest);
}

function withoutReturn(line: string): string {
  return line.endsWith("\r") ? line.slice(0, -1) : line;
}

function unreadable(path: string, cause: unknown): ConfigError {
  return new ConfigError(`Cannot read ${path}: ${reasonOf(cause)}.`, { cause });
}
