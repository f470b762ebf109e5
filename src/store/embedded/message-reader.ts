// Splits a client's byte stream into messages. The first message of a connection has no type byte; all others have one.

/** One message with its header; `type` is empty for the first message of a connection. */
export interface ClientMessage {
  readonly type: string;
  readonly bytes: Buffer;
}

export interface MessageReader {
  /**
   * Yields the messages that this chunk completes, one at a time, because the first message of a connection determines
   * how the next is parsed. Throws RangeError for an invalid length.
   */
  read(chunk: Buffer): Iterable<ClientMessage>;
  /** To be called after the greeting: all later messages have a type byte. */
  startTyped(): void;
}

// PostgreSQL itself accepts up to 1 GB; the store sends far less.
const MAX_MESSAGE_BYTES = 256 * 1024 * 1024;

export function createMessageReader(): MessageReader {
  let chunks: Buffer[] = [];
  let held = 0;
  let wanted = 0;
  let typeBytes = 0;

  const cutOne = (buffer: Buffer): ClientMessage | number => {
    if (buffer.length < typeBytes + 4) return typeBytes + 4;
    const length = buffer.readInt32BE(typeBytes);
    if (length < 4 || length > MAX_MESSAGE_BYTES) throw new RangeError(`invalid message length: ${length} bytes`);
    const end = typeBytes + length;
    if (buffer.length < end) return end;
    return { type: typeBytes === 0 ? "" : String.fromCharCode(buffer[0]!), bytes: buffer.subarray(0, end) };
  };

  return {
    *read(chunk) {
      chunks.push(chunk);
      held += chunk.length;
      if (held < wanted) return;
      let buffer = chunks.length === 1 ? chunk : Buffer.concat(chunks);
      let next = cutOne(buffer);
      while (typeof next !== "number") {
        buffer = buffer.subarray(next.bytes.length);
        yield next;
        next = cutOne(buffer);
      }
      wanted = next;
      held = buffer.length;
      chunks = held > 0 ? [buffer] : [];
    },
    startTyped() {
      typeBytes = 1;
    },
  };
}
