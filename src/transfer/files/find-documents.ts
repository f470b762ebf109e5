// Finds the files to read: one file, the files of an unpacked export in a folder, or the files in a ZIP.
// Invariant: only files with matching names are opened; nothing is written; names in a ZIP are never opened as paths; a
// damaged ZIP throws RequestError `import_invalid`.
import { open, readdir, stat } from "node:fs/promises";
import path from "node:path";
import { reasonOf, systemErrorCode, valueOn } from "../../base/thrown-values.ts";
import { ConfigError } from "../../base/errors.ts";
import { importFault } from "../import-fault.ts";
import type { Entry, ZipFile } from "yauzl";

/** The path of a file, of a ZIP or of a folder, or the bytes of a file. */
export type ImportSource = string | AsyncIterable<Uint8Array>;

export interface ImportDocument {
  /** The file's name, for error messages. */
  readonly name: string;
  /** The file's size in bytes; null if unknown. */
  readonly bytes: number | null;
  chunks(): AsyncIterable<Uint8Array>;
}

interface ImportDocuments {
  readonly documents: readonly ImportDocument[];
  close(): Promise<void>;
}

export interface DocumentOptions {
  /** Matches the names of the files to read in a folder or a ZIP. */
  readonly files: RegExp;
  /** The usual name of such a file, for error messages. */
  readonly fileName: string;
  /** Called with the name of each file of a folder or ZIP that is not read. */
  readonly onOtherFile?: (name: string) => void;
}

const nothingOpen = async (): Promise<void> => undefined;

/** Returns the files to read. Throws RequestError `import_invalid`; ConfigError for a path that cannot be read. */
export async function findDocuments(source: ImportSource, options: DocumentOptions): Promise<ImportDocuments> {
  if (typeof source !== "string") {
    const document = { name: "The stream", bytes: null, chunks: () => source };
    return { documents: [document], close: nothingOpen };
  }
  const { isFolder, isZip, bytes } = await lookAt(source);
  if (isZip) return openZip(source, options);
  if (!isFolder) return { documents: [fileDocument(source, path.basename(source), bytes)], close: nothingOpen };
  return { documents: await folderDocuments(source, options), close: nothingOpen };
}

async function lookAt(file: string) {
  try {
    const found = await stat(file);
    const isFile = found.isFile();
    // The size of a pipe is unknown.
    const bytes = isFile ? found.size : null;
    return { bytes, isFolder: found.isDirectory(), isZip: isFile && (await beginsAsZip(file)) };
  } catch (cause) {
    return unreadable(file)(cause);
  }
}

async function beginsAsZip(file: string): Promise<boolean> {
  const handle = await open(file);
  try {
    const head = Buffer.alloc(4);
    await handle.read(head, 0, 4, 0);
    return head.toString("latin1") === "PK\u0003\u0004";
  } finally {
    await handle.close();
  }
}

async function folderDocuments(folder: string, { files, fileName, onOtherFile }: DocumentOptions) {
  const entries = await readdir(folder, { withFileTypes: true }).catch(unreadable(folder));
  const names = entries.filter((entry) => entry.isFile()).map(({ name }) => name);
  for (const name of names) if (!files.test(name)) onOtherFile?.(name);
  const found = await Promise.all(
    names
      .filter((name) => files.test(name))
      .toSorted()
      .map(async (name) => {
        const file = path.join(folder, name);
        const size = await stat(file)
          .then(({ size: bytes }) => bytes, valueOn("ENOENT", null))
          .catch(unreadable(file));
        // A file that was deleted meanwhile is left out.
        return size === null ? [] : [fileDocument(file, name, size)];
      }),
  );
  if (found.flat().length === 0) throw importFault(`the folder ${folder} has no ${fileName}`);
  return found.flat();
}

function fileDocument(file: string, name: string, bytes: number | null): ImportDocument {
  return { name, bytes, chunks: () => fileChunks(file) };
}

async function* fileChunks(file: string): AsyncGenerator<Uint8Array, void> {
  const handle = await open(file).catch(unreadable(file));
  try {
    for (;;) {
      // Each part gets a new buffer, because the parser may keep the buffer until the part is read.
      const { bytesRead, buffer } = await handle.read(Buffer.allocUnsafe(chunkBytes), 0, chunkBytes, null);
      if (bytesRead === 0) return;
      yield buffer.subarray(0, bytesRead);
    }
  } catch (cause) {
    unreadable(file)(cause);
  } finally {
    await handle.close();
  }
}

const chunkBytes = 65_536;

/** Returns a handler for `catch` that throws ConfigError with the path of the file or folder. */
export function unreadable(file: string): (cause: unknown) => never {
  return (cause) => {
    throw new ConfigError(`Cannot read ${file}: ${reasonOf(cause)}.`, { cause });
  };
}

async function openZip(file: string, { files, fileName, onOtherFile }: DocumentOptions): Promise<ImportDocuments> {
  const { openPromise } = await import("yauzl");
  const zip = await openPromise(file, { autoClose: false, lazyEntries: true }).catch((cause: unknown) => {
    throw damaged(file, cause);
  });
  const close = async (): Promise<void> => zip.close();
  try {
    const documents: ImportDocument[] = [];
    for await (const entry of zip.eachEntry()) {
      const name = entry.fileName.split("/").at(-1) ?? "";
      if (files.test(name)) documents.push(documentOf(file, zip, entry));
      else if (name !== "") onOtherFile?.(name);
    }
    if (documents.length === 0) throw importFault(`the ZIP ${file} contains no ${fileName}`);
    return { documents: documents.toSorted((one, other) => (one.name < other.name ? -1 : 1)), close };
  } catch (error) {
    await close();
    throw systemErrorCode(error) === "import_invalid" ? error : damaged(file, error);
  }
}

function documentOf(file: string, zip: ZipFile, entry: Entry): ImportDocument {
  if (entry.isEncrypted()) throw importFault(`${entry.fileName} in ${file} is encrypted`);
  return { name: entry.fileName, bytes: entry.uncompressedSize, chunks: () => entryChunks(file, zip, entry) };
}

async function* entryChunks(file: string, zip: ZipFile, entry: Entry): AsyncGenerator<Uint8Array, void> {
  try {
    const stream: AsyncIterable<Uint8Array> = await zip.openReadStreamPromise(entry);
    yield* stream;
  } catch (cause) {
    throw damaged(file, cause);
  }
}

function damaged(file: string, cause: unknown) {
  return importFault(`the ZIP ${file} is damaged or incomplete`, cause);
}
