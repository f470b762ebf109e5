// Finds the files of a load: named files, files in named folders, and matches of patterns. The name decides which
// reader loads a file.
// Invariant: the same files are returned in the same order, each once, folder by folder by the code units of their
// names; skipped files are reported with the reason; links are not followed, so a walk terminates.
import path from "node:path";
import { appendAll } from "../../base/lists.ts";
import { SourceFileError } from "../../base/errors.ts";
import type { SourceFileKind } from "../../store/port/source-store.ts";
import type { SourceFileInput, SourceInput, UnloadedFile } from "../source-load.ts";
import type { FileSystem, FolderEntry } from "./file-system.ts";
import { readContent } from "./read-content.ts";

export interface FoundFile {
  /** The absolute path without links, with `/` as separator; for a file that is passed as content, its name. */
  readonly path: string;
  /** The displayed and cited name: the path from the named folder on, including that folder's name. */
  readonly name: string;
  readonly bytes: number;
  readonly kind: Exclude<NamedKind, "binary">;
  /** Whether the file was named directly, not found in a folder: then an unsupported kind is an error, not skipped. */
  readonly isNamed: boolean;
  /** Whether the file must not replace a file of the source. */
  readonly isNew?: boolean;
  readonly read: (signal?: AbortSignal) => Promise<Uint8Array>;
}

export interface FoundFiles {
  readonly files: readonly FoundFile[];
  readonly skipped: readonly UnloadedFile[];
  readonly failed: readonly UnloadedFile[];
  /** Returns whether a file with this path would have been found if it existed. */
  covers(path: string): boolean;
}

export interface FindOptions {
  readonly fileSystem: FileSystem;
  /** The base folder of relative names. */
  readonly folder: string;
  /** Maximum bytes. Larger files are skipped. */
  readonly maxBytes: number;
  /** Whether a file whose name is that of a PDF or another binary file is read as text. */
  readonly areTexts?: boolean;
  readonly signal?: AbortSignal;
}

/**
 * Returns the files of the inputs: files, folders and patterns (`docs/*.md`), and files with their content. Inputs that cannot
 * be opened are in `failed`; throws only the signal's reason.
 */
export async function findFiles(inputs: readonly SourceInput[], options: FindOptions): Promise<FoundFiles> {
  const search: Search = { files: new Map(), skipped: [], failed: [], scopes: [] };
  for (const input of inputs) {
    if (typeof input === "string") await settle(search, input, () => addInput(search, input, options));
    else await settle(search, input.name, async () => addData(search, input, options));
  }
  const { files, skipped, failed, scopes } = search;
  return { files: [...files.values()], skipped, failed, covers: (file) => scopes.some((scope) => scope(file)) };
}

/** Maximum bytes of a path, so that a database index can hold it. */
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
  if (found.is === "folder") return void (await addFolder(search, { root, fits: () => true }, options));
  if (found.is === "other") throw new SourceFileError("it is not a regular file");
  search.scopes.push((file) => file === root);
  addFile(
    search,
    { path: root, name: path.posix.basename(root), bytes: found.bytes, isNamed: true, read: reader(root, options) },
    options,
  );
}

function addData(search: Search, { name, data, isNew = false }: SourceFileInput, options: FindOptions): void {
  if (!isRelativeName(name)) throw new SourceFileError("its name is not a relative path with / as separator");
  if (search.files.has(name)) throw new SourceFileError("another file of this load has that name");
  const bytes = typeof data === "string" || data instanceof Uint8Array ? Buffer.byteLength(data) : 0;
  const read: FoundFile["read"] = (signal) => readContent(data, { maxBytes: options.maxBytes, signal });
  addFile(search, { path: name, name, bytes, isNamed: true, isNew, read }, options);
}

function reader(file: string, { fileSystem }: FindOptions): FoundFile["read"] {
  return (signal) => fileSystem.read(file, signal);
}

/** Returns whether a name is a relative path, which cannot equal the absolute path of a file on disk. */
function isRelativeName(name: string): boolean {
  return name.trim() !== "" && !/^[/\\]|^[a-z]:|[\p{Cc}\\]/iu.test(name);
}

async function addPattern(search: Search, input: string, options: FindOptions): Promise<void> {
  const { default: picomatch } = await import("picomatch");
  const { base, glob, isGlob } = picomatch.scan(slashed(input));
  const named = path.resolve(options.folder, base);
  if (!isGlob || (await options.fileSystem.look(named))?.is !== "folder") {
    throw new SourceFileError("there is no such file");
  }
  const fits = picomatch(glob);
  const root = slashed(await options.fileSystem.real(named));
  const failed = search.failed.length;
  const found = await addFolder(search, { root, fits: (file) => fits(file) }, options);
  if (found === 0 && search.failed.length === failed) throw new SourceFileError("no file matches this pattern");
}

/** Returns how many of the folder's files are in the search, regardless of the input that added them. */
async function addFolder(
  search: Search,
  { root, fits }: { readonly root: string; readonly fits: Fits },
  options: FindOptions,
): Promise<number> {
  let count = 0;
  const inside = withSlash(root);
  const parent = withSlash(path.posix.dirname(root));
  search.scopes.push((file) => file.startsWith(inside) && fits(file.slice(inside.length)));
  for await (const { path: at, is, reason } of walkFolder(root, options)) {
    const name = at === root ? path.posix.basename(root) : at.slice(parent.length);
    if (is === "failed") search.failed.push({ name, reason });
    else if (!fits(at.slice(inside.length))) continue;
    else if (is === "skipped") search.skipped.push({ name, reason });
    else {
      await settle(search, name, async () => {
        const found = await options.fileSystem.look(at);
        if (found === null) throw new SourceFileError("there is no such file");
        addFile(search, { path: at, name, bytes: found.bytes, isNamed: false, read: reader(at, options) }, options);
      });
      if (search.files.has(at)) count += 1;
    }
  }
  return count;
}

/**
 * Adds a file to the search. A named file must be loadable; a file from a folder is skipped if it is not. Throws
 * SourceFileError.
 */
function addFile(search: Search, file: Omit<FoundFile, "kind">, { maxBytes, areTexts }: FindOptions): void {
  if (search.files.has(file.path)) return;
  if (Buffer.byteLength(file.path) > maxPathBytes) throw new SourceFileError("its path is too long");
  const named = kindOfName(file.name);
  const kind = areTexts === true && ["pdf", "binary"].includes(named) ? "text" : named;
  const why = kind === "binary" ? "files of this kind are not supported" : whyTooLarge(file.bytes, maxBytes);
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
  return `it is too large: ${megabytes(bytes)}, the maximum is ${megabytes(maxBytes)}`;
}

function megabytes(bytes: number): string {
  return `${(bytes / 1e6).toLocaleString("en-US", { maximumFractionDigits: 1 })} MB`;
}

function slashed(file: string): string {
  return path.sep === "/" ? file : file.replaceAll(path.sep, "/");
}

/** `other`: a name without a known extension. Its file is read as text, and skipped if it is not text. */
type NamedKind = SourceFileKind | "other" | "binary";

const kinds: Readonly<Record<Exclude<NamedKind, "other">, string>> = {
  text: "txt text log csv tsv rst adoc asciidoc org tex srt vtt eml",
  markdown: "md markdown mdown mkd mdx",
  html: "html htm xhtml",
  pdf: "pdf",
  "json-lines": "jsonl ndjson",
  code:
    "ts tsx mts cts js jsx mjs cjs py pyi rb go rs java kt kts scala swift c h cc cpp cxx hh hpp cs fs m mm php pl pm " +
    "lua r jl hs ml mli ex exs erl clj cljs lisp el scm dart zig nim v sh bash zsh fish ps1 bat cmd sql graphql proto " +
    "css scss sass less vue svelte astro json json5 yaml yml toml ini cfg conf xml svg gradle cmake tf nix",
  binary:
    "png jpg jpeg gif webp bmp ico tif tiff avif heic psd mp3 wav ogg flac m4a aac mp4 mov avi mkv webm zip gz tgz bz2 xz " +
    "zst 7z rar tar jar war class o a so dylib dll exe bin wasm pyc pyo ttf otf woff woff2 eot sqlite db parquet arrow " +
    "npy npz pkl pt onnx safetensors gguf doc docx xls xlsx ppt pptx odt ods odp epub iso dmg deb rpm",
};

const kindByExtension: ReadonlyMap<string, NamedKind> = new Map(
  Object.entries(kinds).flatMap(([kind, extensions]) =>
    extensions.split(" ").map((extension): [string, NamedKind] => [extension, kind as NamedKind]),
  ),
);

/** Returns the kind by the last extension; `other` for an unknown extension, and for a name without one, such as `Makefile`. */
function kindOfName(name: string): NamedKind {
  const extension = /\.([^./\\]+)$/u.exec(name)?.[1]?.toLowerCase();
  return (extension === undefined ? undefined : kindByExtension.get(extension)) ?? "other";
}

interface Walked {
  readonly path: string;
  /** Whether the file is to be loaded (`file`). If it is not, because it was `skipped` or `failed`, `reason` says why. */
  readonly is: "file" | "skipped" | "failed";
  readonly reason: string;
}

interface WalkOptions {
  readonly fileSystem: FileSystem;
  readonly signal?: AbortSignal;
}

/**
 * Yields the files below `root`, which is absolute, with `/` as separator. A folder that cannot be opened is reported as
 * failed, and the walk continues.
 */
async function* walkFolder(root: string, { fileSystem, signal }: WalkOptions): AsyncGenerator<Walked> {
  const todo = [root];
  for (let folder = todo.pop(); folder !== undefined; folder = todo.pop()) {
    signal?.throwIfAborted();
    const entries = await entriesOf(folder, fileSystem);
    if (!Array.isArray(entries)) {
      yield { path: folder, is: "failed", reason: entries };
      continue;
    }
    const folders: string[] = [];
    for (const entry of entries) {
      const path = withSlash(folder) + entry.name;
      const why = skipReason(entry);
      if (why !== undefined) yield { path, is: "skipped", reason: why };
      else if (entry.is === "folder") folders.push(path);
      else yield { path, is: "file", reason: "" };
    }
    appendAll(todo, folders.toReversed());
  }
}

/** Returns the entries, or why they cannot be read. */
async function entriesOf(folder: string, fileSystem: FileSystem): Promise<FolderEntry[] | string> {
  try {
    return [...(await fileSystem.entries(folder))];
  } catch (error) {
    if (error instanceof SourceFileError) return error.message;
    throw error;
  }
}

function skipReason({ name, is }: FolderEntry): string | undefined {
  if (is === "link") return "it is a link";
  if (is === "other") return "it is not a regular file";
  if (name.startsWith(".")) return "it is hidden";
  return is === "folder" && name === "node_modules" ? "it contains installed packages" : undefined;
}

function withSlash(folder: string): string {
  return folder.endsWith("/") ? folder : `${folder}/`;
}
