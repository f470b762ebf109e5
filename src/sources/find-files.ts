// Which files a load is about: what was named, what lies in named folders, what a pattern fits.
// Invariant: the same files come in the same order, each once; what is passed over is told with its reason.
import path from "node:path";
import { SourceFileError } from "../errors.ts";
import type { UnloadedFile } from "../memory/source-load.ts";
import { kindOfName, type NamedKind } from "./file-kind.ts";
import type { FileSystem } from "./file-system.ts";
import { walkFolder, withSlash } from "./walk-folder.ts";

export interface FoundFile {
  /** Absolute, without links, with `/` between its parts. */
  readonly path: string;
  /** As it is shown and cited: its path from the named folder on, that folder's name included. */
  readonly name: string;
  readonly bytes: number;
  readonly kind: Exclude<NamedKind, "binary">;
  /** It was named itself, not found in a folder: then it is no file to be passed over. */
  readonly isNamed: boolean;
}

export interface FoundFiles {
  readonly files: readonly FoundFile[];
  readonly skipped: readonly UnloadedFile[];
  readonly failed: readonly UnloadedFile[];
  /** Whether a file of this path would have been found, had it been there. */
  covers(path: string): boolean;
}

export interface FindOptions {
  readonly fileSystem: FileSystem;
  /** Where names that are not absolute begin. */
  readonly folder: string;
  /** Bytes. Larger files are passed over. */
  readonly maxBytes: number;
  readonly signal?: AbortSignal;
}

/** `inputs`: files, folders and patterns (`docs/*.md`). What cannot be opened is among `failed`; nothing is thrown but the signal's reason. */
export async function findFiles(inputs: readonly string[], options: FindOptions): Promise<FoundFiles> {
  const search: Search = { files: new Map(), skipped: [], failed: [], scopes: [] };
  for (const input of inputs) await settle(search, input, () => addInput(search, input, options));
  const { files, skipped, failed, scopes } = search;
  return { files: [...files.values()], skipped, failed, covers: (file) => scopes.some((scope) => scope(file)) };
}

/** Of a path, so that a database's index can hold it. */
const maxPathBytes = 2000;

type Fits = (pathFromRoot: string) => boolean;

interface Search {
  readonly files: Map<string, FoundFile>;
  readonly skipped: UnloadedFile[];
  readonly failed: UnloadedFile[];
  readonly scopes: ((file: string) => boolean)[];
}

async function addInput(search: Search, input: string, options: FindOptions): Promise<void> {
  const { fileSystem, folder } = options;
  const named = path.resolve(folder, input);
  const found = await fileSystem.look(named);
  if (found === null) return addPattern(search, input, options);
  const root = slashed(await fileSystem.real(named));
  if (found.is === "folder") return addFolder(search, { root, fits: () => true }, options);
  if (found.is === "other") throw new SourceFileError("it is no regular file");
  search.scopes.push((file) => file === root);
  addFile(search, { path: root, name: path.posix.basename(root), bytes: found.bytes, isNamed: true }, options);
}

async function addPattern(search: Search, input: string, options: FindOptions): Promise<void> {
  const { default: picomatch } = await import("picomatch");
  const { base, glob, isGlob } = picomatch.scan(slashed(input));
  const named = path.resolve(options.folder, base);
  if (!isGlob || (await options.fileSystem.look(named))?.is !== "folder") {
    throw new SourceFileError("there is no such file");
  }
  const fits = picomatch(glob);
  const before = search.files.size + search.failed.length;
  const root = slashed(await options.fileSystem.real(named));
  await addFolder(search, { root, fits: (file) => fits(file) }, options);
  if (search.files.size + search.failed.length === before) throw new SourceFileError("no file fits this pattern");
}

async function addFolder(
  search: Search,
  { root, fits }: { readonly root: string; readonly fits: Fits },
  options: FindOptions,
): Promise<void> {
  const inside = withSlash(root);
  const parent = withSlash(path.posix.dirname(root));
  search.scopes.push((file) => file.startsWith(inside) && fits(file.slice(inside.length)));
  for await (const { path: at, is, reason } of walkFolder(root, options)) {
    const name = at === root ? path.posix.basename(root) : at.slice(parent.length);
    if (is === "failed") search.failed.push({ name, reason });
    else if (!fits(at.slice(inside.length))) continue;
    else if (is === "passed-over") search.skipped.push({ name, reason });
    else {
      await settle(search, name, async () => {
        const found = await options.fileSystem.look(at);
        if (found === null) throw new SourceFileError("there is no such file");
        addFile(search, { path: at, name, bytes: found.bytes, isNamed: false }, options);
      });
    }
  }
}

/** A file that was named has to be loadable; one from a folder is passed over if it is not. Throws SourceFileError. */
function addFile(search: Search, file: Omit<FoundFile, "kind">, { maxBytes }: FindOptions): void {
  if (search.files.has(file.path)) return;
  if (Buffer.byteLength(file.path) > maxPathBytes) throw new SourceFileError("its path is too long");
  const kind = kindOfName(file.name);
  const why = kind === "binary" ? "files of this kind are not read" : whyTooLarge(file.bytes, maxBytes);
  if (kind !== "binary" && why === undefined) search.files.set(file.path, { ...file, kind });
  else if (file.isNamed) throw new SourceFileError(why!);
  else search.skipped.push({ name: file.name, reason: why! });
}

async function settle(search: Search, name: string, work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (!(error instanceof SourceFileError)) throw error;
    search.failed.push({ name, reason: error.message });
  }
}

function whyTooLarge(bytes: number, maxBytes: number): string | undefined {
  if (bytes <= maxBytes) return undefined;
  return `it is too large: ${megabytes(bytes)} of at most ${megabytes(maxBytes)}`;
}

function megabytes(bytes: number): string {
  return `${(bytes / 1e6).toLocaleString("en-US", { maximumFractionDigits: 1 })} MB`;
}

function slashed(file: string): string {
  return path.sep === "/" ? file : file.replaceAll(path.sep, "/");
}
