// Reads the items of an exported file: conversations or memories, one at a time, from a file, a folder, a ZIP or a stream.
// Invariant: an item is in memory only until the next item is requested, for files of any size; items before a fault are
// returned before the fault is thrown.
import { RequestError } from "../../base/errors.ts";
import { findDocuments, type ImportSource } from "./find-documents.ts";
import type { DocumentOptions, ImportDocument } from "./import-document.ts";
import { jsonItems } from "./json-items.ts";

export interface ReadImportOptions extends DocumentOptions {
  /** If the file is an object instead of a list: the keys under which the list of items may be. */
  readonly holders: readonly string[];
  /** Called with the bytes that were read so far, and the bytes of all files, if known. */
  readonly onBytes?: (read: number, total: number | null) => void;
  readonly signal?: AbortSignal;
}

/** Yields the items. Throws RequestError `import_invalid` for a damaged or unknown file, ConfigError for an unreadable file. */
export async function* readImportFile(source: ImportSource, options: ReadImportOptions): AsyncGenerator<unknown, void> {
  const { documents, close } = await findDocuments(source, options);
  try {
    const sizes = documents.map(({ bytes }) => bytes);
    const total = sizes.some((bytes) => bytes === null)
      ? null
      : sizes.reduce<number>((sum, one) => sum + (one ?? 0), 0);
    let before = 0;
    for (const document of documents) {
      const counted = countedBytes(document, (read) => options.onBytes?.(before + read, total));
      yield* jsonItems(counted.chunks(options.signal), { ...options, name: document.name });
      before += counted.read();
    }
  } finally {
    await close();
  }
}

function countedBytes(document: ImportDocument, onRead: (bytes: number) => void) {
  let read = 0;
  return {
    read: () => read,
    async *chunks(signal: AbortSignal | undefined): AsyncGenerator<Uint8Array, void> {
      for await (const chunk of document.chunks()) {
        signal?.throwIfAborted();
        if (!ArrayBuffer.isView(chunk)) throw new RequestError("input_invalid", "Expected a stream of bytes.");
        yield chunk;
        read += chunk.byteLength;
        onRead(read);
      }
    },
  };
}
