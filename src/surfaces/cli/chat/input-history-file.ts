// Stores the input history of chats in two rotated files with one JSON string per line, and removes forgotten inputs.
// Invariant: only the owner can read the files. Each input is appended by one write, so two terminals that write at
// once lose no input. A rotation checks the file's size again after it has taken a lock. Forgotten inputs are removed
// from the history only after the content was removed from the store.
import { appendFile, chmod, mkdir, readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import { createHash } from "node:crypto";
import path from "node:path";
import { parseJson } from "../../../base/json-values.ts";
import { messageOf, nullOnSystemError, systemErrorCode } from "../../../base/thrown-values.ts";
import { createRedactor } from "../../../base/redactor.ts";
import type { Runtime } from "../../../runtime/runtime.ts";

const maxBytes = 512 * 1024;
const maxInputs = 1_000;
const maxInputLength = 64 * 1024;
const lockMs = 60_000;

export type InputHistoryFile = Awaited<ReturnType<typeof openInputHistory>>;

/** Opens the history of a user in the data folder. The history is empty if its folder or its files cannot be read. */
export async function openInputHistory(dataDir: string, userId: string) {
  const places = placesOf(dataDir, userId);
  const lines = [...(await linesOf(places.older)), ...(await linesOf(places.file))];
  // Inputs are saved one after another, in the order in which they were typed.
  let last: Promise<string | null> = Promise.resolve(null);
  return {
    /** The last 1,000 inputs, oldest first, without consecutive duplicates. */
    inputs: lines.filter((line, index) => line !== lines[index - 1]).slice(-maxInputs),
    /** Saves an input. Returns the reason of a failure; null on success, and for an input above 64 KB, which is not saved. */
    keep: (input: string) => (last = last.then(() => save(input, places))),
    /** Resolves when all inputs so far were saved or could not be saved. A process that exits earlier loses the last input. */
    kept: () => last,
  };
}

async function save(input: string, { folder, file, older }: ReturnType<typeof placesOf>): Promise<string | null> {
  const line = `${JSON.stringify(input)}\n`;
  if (Buffer.byteLength(line) > maxInputLength) return null;
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    await appendFile(file, line, { mode: 0o600 });
    const { size, mode } = await stat(file);
    if ((mode & 0o077) !== 0) await chmod(file, 0o600);
    if (size > maxBytes) await moveAway(file, older);
    return null;
  } catch (error) {
    return messageOf(error);
  }
}

/** Deletes the input history of a user in this data folder. */
export async function removeInputHistory(dataDir: string, userId: string): Promise<void> {
  const { file, older } = placesOf(dataDir, userId);
  for (const each of [file, older]) await rm(each, { force: true });
}

/** Removes the inputs that contain forgotten content. An input that another terminal adds meanwhile may be lost. */
export async function forgetInputs(
  dataDir: string,
  userId: string,
  isForgotten: (input: string) => boolean,
): Promise<void> {
  const { file, older } = placesOf(dataDir, userId);
  for (const each of [file, older]) {
    const inputs = await linesOf(each);
    const kept = inputs.filter((input) => !isForgotten(input));
    if (kept.length === inputs.length) continue;
    const draft = `${each}.new`;
    await writeFile(draft, kept.map((input) => `${JSON.stringify(input)}\n`).join(""), { mode: 0o600 });
    await rename(draft, each);
  }
}

// The name of the files is a hash, because a user's name may contain characters that a file name cannot.
function placesOf(dataDir: string, userId: string): { folder: string; file: string; older: string } {
  const folder = path.join(dataDir, "inputs");
  const file = path.join(folder, `${createHash("sha256").update(userId).digest("hex").slice(0, 16)}.jsonl`);
  return { folder, file, older: `${file}.old` };
}

async function moveAway(file: string, older: string): Promise<void> {
  const lock = `${file}.lock`;
  const held = await stat(lock).catch(nullOnSystemError);
  // A killed process would hold its lock forever, so an old lock is removed.
  if (held !== null && Date.now() - held.mtimeMs > lockMs) await rm(lock, { force: true });
  try {
    await writeFile(lock, "", { flag: "wx", mode: 0o600 });
  } catch (error) {
    if (systemErrorCode(error) === "EEXIST") return;
    throw error;
  }
  try {
    if ((await stat(file)).size > maxBytes) await rename(file, older);
  } finally {
    await rm(lock, { force: true });
  }
}

/** Returns the inputs of a file without invalid lines, such as a line that a power cut has truncated. */
async function linesOf(file: string): Promise<readonly string[]> {
  const text = await readFile(file, "utf8").catch(nullOnSystemError);
  return (text ?? "").split("\n").flatMap((line) => {
    const input = parseJson(line);
    return typeof input === "string" ? [input] : [];
  });
}

/** Returns the runtime's operations for forgetting; `apply` also removes inputs from the user's history in this data folder. */
export function forgetWithInputs(
  { forget, userId }: Pick<Runtime, "forget" | "userId">,
  dataDir: string,
): Runtime["forget"] {
  return {
    ...forget,
    async apply(request, options) {
      const forgotten = await forget.apply(request, options);
      const redactor = createRedactor(forgotten.texts, request.texts ?? []);
      await forgetInputs(dataDir, userId, (input) => redactor.has(input));
      return forgotten;
    },
  };
}
