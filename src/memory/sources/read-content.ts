// Reads the content of a file that a program passes: bytes, text, a stream, or a Blob.
// Invariant: at most `maxBytes` are kept; a failure is a SourceFileError whose text reveals none of the content.
import { messageOf } from "../../base/thrown-values.ts";
import { SourceFileError } from "../../base/errors.ts";
import type { SourceContent, WebStream } from "../source-load.ts";

export interface ReadOptions {
  readonly maxBytes: number;
  readonly signal?: AbortSignal | undefined;
}

/** Returns the bytes of a content; text is encoded as UTF-8. Throws SourceFileError, and the signal's reason. */
export async function readContent(data: SourceContent, { maxBytes, signal }: ReadOptions): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  try {
    for await (const chunk of chunksOf(data)) {
      signal?.throwIfAborted();
      const part = bytesOf(chunk);
      bytes += part.byteLength;
      if (bytes > maxBytes) throw new SourceFileError(`it is too large: the maximum is ${maxBytes / 1e6} MB`);
      chunks.push(part);
    }
  } catch (error) {
    signal?.throwIfAborted();
    if (error instanceof SourceFileError) throw error;
    throw new SourceFileError(`its data could not be read: ${messageOf(error)}`, { cause: error });
  }
  return chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks);
}

async function* chunksOf(data: SourceContent): AsyncGenerator<unknown> {
  if (typeof data === "string" || data instanceof Uint8Array) yield data;
  else if (Symbol.asyncIterator in data) yield* data;
  else if ("getReader" in data) yield* webChunks(data);
  else yield new Uint8Array(await data.arrayBuffer());
}

async function* webChunks(stream: WebStream): AsyncGenerator<unknown> {
  const reader = stream.getReader();
  for (let next = await reader.read(); !next.done; next = await reader.read()) yield next.value;
}

function bytesOf(chunk: unknown): Uint8Array {
  if (typeof chunk === "string") return new TextEncoder().encode(chunk);
  if (chunk instanceof Uint8Array) return chunk;
  throw new SourceFileError("its stream yields something other than bytes or text");
}
