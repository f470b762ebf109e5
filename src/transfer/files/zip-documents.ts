// Reads the files in a ZIP as streams.
// Invariant: names in a ZIP are compared and never opened as paths; a damaged ZIP throws RequestError `import_invalid`.
import type { Entry, ZipFile } from "yauzl";
import type { DocumentOptions, ImportDocument, ImportDocuments } from "./import-document.ts";
import { importFault } from "../import-fault.ts";

export async function openZip(
  file: string,
  { files, fileName, onOtherFile }: DocumentOptions,
): Promise<ImportDocuments> {
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
    throw isFault(error) ? error : damaged(file, error);
  }
}

function documentOf(file: string, zip: ZipFile, entry: Entry): ImportDocument {
  if (entry.isEncrypted()) throw importFault(`${entry.fileName} in ${file} is encrypted`);
  const chunks = () => entryChunks(file, () => zip.openReadStreamPromise(entry));
  return { name: entry.fileName, bytes: entry.uncompressedSize, chunks };
}

async function* entryChunks(
  file: string,
  openStream: () => Promise<AsyncIterable<Uint8Array>>,
): AsyncGenerator<Uint8Array, void> {
  let stream: AsyncIterable<Uint8Array>;
  try {
    stream = await openStream();
  } catch (cause) {
    throw damaged(file, cause);
  }
  const chunks = stream[Symbol.asyncIterator]();
  try {
    for (;;) {
      const next = await chunks.next().catch((cause: unknown) => {
        throw damaged(file, cause);
      });
      if (next.done === true) return;
      yield next.value;
    }
  } finally {
    await chunks.return?.();
  }
}

function isFault(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === "import_invalid";
}

function damaged(file: string, cause: unknown) {
  return importFault(`the ZIP ${file} is damaged or incomplete`, cause);
}
