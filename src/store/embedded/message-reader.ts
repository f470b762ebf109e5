// Cuts a client's byte stream into messages. The first message of a connection has no type byte; all others have one.
// Invariant: bytes are copied at most once per message, however small the pieces are in which it arrives.

/** One message with its header; `type` is empty for the first of a connection. */
export interface ClientMessage {
  readonly type: string;
  readonly bytes: Buffer;
}

export interface MessageReader {
  /**
   * The messages that are complete with this chunk, one at a time, since the first decides how the next is cut.
   * Throws RangeError for a length that no message can have.
   */
  read(chunk: Buffer): Iterable<ClientMessage>;
  /** From here on messages have a type byte. */
  startTyped(): void;
}

// PostgreSQL itself takes up to 1 GB; nothing the store sends comes near this.
const LONGEST_MESSAGE = 256 * 1024 * 1024;

export function createMessageReader(): MessageReader {
  let chunks: Buffer[] = [];
  let held = 0;
  let wanted = 0;
  let typeBytes = 0;

  const cutOne = (buffer: Buffer): ClientMessage | number => {
    if (buffer.length < typeBytes + 4) return typeBytes + 4;
    const length = buffer.readInt32BE(typeBytes);
    if (length < 4 || length > LONGEST_MESSAGE) throw new RangeError(`invalid message length ${length}`);
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
