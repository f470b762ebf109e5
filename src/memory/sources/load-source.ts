// Finds files for a source and loads them: new and changed files are read, cut into passages and stored, one file after
// the other.
// Invariant: nothing is written before `load` is called; a file is stored completely or not at all, so an interrupted
// load resumes where it stopped; a file that cannot be read affects no other file and deletes nothing.
import { createHash } from "node:crypto";
import { setImmediate } from "node:timers/promises";
import { SourceFileError } from "../../base/errors.ts";
import type {
  FailedFile,
  LoadedFile,
  SourceFileKind,
  SourceFileRecord,
  SourcePassage,
} from "../../store/port/source-store.ts";
import type { FileLoad, FindSource, LoadSummary, UnloadedFile } from "../source-load.ts";
import { chunkSection } from "./chunk.ts";
import type { ReadFile } from "./file-reader.ts";
import { type FileSystem, nodeFileSystem } from "./file-system.ts";
import { findFiles, type FoundFile, type FoundFiles } from "./find-files.ts";

export interface LoadSourceOptions extends FileLoad {
  readonly found: FoundFiles;
  readonly fileSystem: FileSystem;
  readonly readFile: ReadFile;
}

/** Loads the files that were found. Throws StoreError and the signal's reason; files loaded before that are kept. */
export async function loadSource(options: LoadSourceOptions): Promise<LoadSummary> {
  const { sourceId, found, store, signal, onProgress } = options;
  const known = new Map((await store.list(sourceId)).map((file) => [file.path, file]));
  const bytes = found.files.reduce((sum, file) => sum + file.bytes, 0);
  const results: Loaded[] = [];
  let bytesDone = 0;
  for (const file of found.files) {
    signal?.throwIfAborted();
    results.push(await loadFile(file, known.get(file.path), options));
    bytesDone += file.bytes;
    onProgress?.({ filesDone: results.length, files: found.files.length, bytesDone, bytes, name: file.name });
  }
  const gone = await goneFiles([...known.keys()], options);
  const removed = options.prune && gone.length > 0 ? await store.remove(sourceId, gone) : 0;
  return { ...summaryOf(results, found), gone, removed };
}

/** The outcome of one file. */
type Loaded =
  | { readonly is: "added" | "changed"; readonly passages: number }
  | { readonly is: "unchanged" }
  | { readonly is: "failed" | "skipped"; readonly name: string; readonly reason: string };

async function loadFile(
  file: FoundFile,
  known: SourceFileRecord | undefined,
  options: LoadSourceOptions,
): Promise<Loaded> {
  const { sourceId, store, clock, signal } = options;
  const kind: SourceFileKind = file.kind === "other" ? "text" : file.kind;
  const id = options.fileIds?.get(file.path) ?? options.ids.next();
  let facts = { id, path: file.path, kind, bytes: file.bytes, sha256: "", loadedAt: clock.now() };
  try {
    const content = await file.read(signal);
    const sha256 = createHash("sha256").update(content).digest("hex");
    facts = { ...facts, bytes: content.byteLength, sha256 };
    if (isUnchanged(file, known, sha256)) return { is: "unchanged" };
    const passages = await passagesOf(file, { kind, content }, options);
    const stored = await storeFile({ ...facts, passages, isNew: file.isNew === true }, options);
    return { is: known === undefined || known.passages === 0 ? "added" : "changed", passages: stored };
  } catch (error) {
    if (!(error instanceof SourceFileError)) throw error;
    const { name } = file;
    const reason = error.message;
    // A file with an unknown extension that is not text is skipped instead of failed.
    if (file.kind === "other" && !file.isNamed) return { is: "skipped", name, reason };
    if (!isKnownFailure(file, known, { ...facts, reason })) await store.fail(sourceId, { ...facts, reason });
    return { is: "failed", name, reason };
  }
}

function isUnchanged(file: FoundFile, known: SourceFileRecord | undefined, sha256: string): boolean {
  return file.isNew !== true && known?.status === "loaded" && known.sha256 === sha256;
}

/** Returns the number of passages. Throws SourceFileError if the file must be new, but its name exists. */
async function storeFile(file: LoadedFile, { sourceId, store }: LoadSourceOptions): Promise<number> {
  const passages = await store.replace(sourceId, file);
  if (passages === null) throw new SourceFileError("the source already has a file of this name");
  return passages;
}

/** Returns whether a failure needs no storing: it is stored already, or belongs to a file that must be new. */
function isKnownFailure(
  file: FoundFile,
  known: SourceFileRecord | undefined,
  { sha256, reason }: Pick<FailedFile, "sha256" | "reason">,
): boolean {
  return file.isNew === true || (known?.reason === reason && known.sha256 === sha256);
}

/** Number of passages between two pauses; making one passage takes up to 3 milliseconds. */
const chunksPerPause = 10;

/** Returns the passages of a file. Pauses regularly, so that other work is done meanwhile. */
async function passagesOf(
  file: FoundFile,
  { kind, content }: { readonly kind: SourceFileKind; readonly content: Uint8Array },
  { readFile, chunking, ids, signal }: LoadSourceOptions,
): Promise<readonly SourcePassage[]> {
  const passages: SourcePassage[] = [];
  let chunks = 0;
  for (const section of await readFile({ bytes: content, kind }, signal)) {
    for (const chunk of chunkSection(section, chunking)) {
      chunks += 1;
      if (chunks % chunksPerPause === 0) await setImmediate();
      if (chunk !== null)
        passages.push({ id: ids.next(), text: chunk.content, place: { file: file.name, ...chunk.place } });
    }
    signal?.throwIfAborted();
  }
  return passages;
}

/** Returns the files of earlier loads that no longer exist, but that this load would have found if they existed. */
async function goneFiles(
  known: readonly string[],
  { found, fileSystem }: LoadSourceOptions,
): Promise<readonly string[]> {
  const seen = new Set(found.files.map((file) => file.path));
  const gone: string[] = [];
  for (const path of known) {
    // A file that cannot be checked (in a folder without permission, for example) does not count as deleted.
    if (!seen.has(path) && found.covers(path) && (await fileSystem.isGone(path))) gone.push(path);
  }
  return gone;
}

function summaryOf(results: readonly Loaded[], found: FoundFiles): Omit<LoadSummary, "gone" | "removed"> {
  const count = (is: Loaded["is"]): number => results.filter((result) => result.is === is).length;
  const unloaded = (is: "failed" | "skipped"): readonly UnloadedFile[] =>
    results.flatMap((result) =>
      result.is === is && "name" in result ? [{ name: result.name, reason: result.reason }] : [],
    );
  return {
    added: count("added"),
    changed: count("changed"),
    unchanged: count("unchanged"),
    failed: [...found.failed, ...unloaded("failed")],
    skipped: [...found.skipped, ...unloaded("skipped")],
    passages: results.reduce((sum, result) => sum + ("passages" in result ? result.passages : 0), 0),
  };
}

/** Maximum bytes of a file, because all its passages are in memory at once. A book has 1 MB of text. */
const maxBytes = 32_000_000;

export function createFindSource(readFile: ReadFile): FindSource {
  return async ({ inputs, folder, areTexts = false, signal }) => {
    const stop = signal === undefined ? {} : { signal };
    const found = await findFiles(inputs, { fileSystem: nodeFileSystem, folder, maxBytes, areTexts, ...stop });
    const { files, failed, skipped } = found;
    return {
      paths: files.map((file) => file.path),
      failed,
      skipped,
      load: (load) => loadSource({ ...load, ...stop, found, fileSystem: nodeFileSystem, readFile }),
    };
  };
}
