// Looks at the beginning of a stream without losing it.

/** UTF-16 units of the beginning. */
const headLength = 1024;

export interface StreamWithHead {
  /** The beginning as text, byte by byte: enough to tell kinds of files apart. */
  readonly head: string;
  /** Bytes before the text: those of a byte order mark. */
  readonly offset: number;
  /** All bytes after `offset`. */
  readonly rest: AsyncIterable<Uint8Array>;
  /** Closes the stream, also if it was not read. */
  close(): Promise<void>;
}

export async function withHead(chunks: AsyncIterable<Uint8Array>): Promise<StreamWithHead> {
  const iterator = chunks[Symbol.asyncIterator]();
  const first: Uint8Array[] = [];
  let length = 0;
  while (length < headLength) {
    const next = await iterator.next();
    if (next.done === true) break;
    first.push(next.value);
    length += next.value.byteLength;
  }
  const whole = Buffer.concat(first);
  const hasMark = whole[0] === 0xef && whole[1] === 0xbb && whole[2] === 0xbf;
  const begin = hasMark ? whole.subarray(3) : whole;
  return {
    head: begin.subarray(0, headLength).toString("latin1"),
    offset: hasMark ? 3 : 0,
    rest: restOf(begin, iterator),
    close: async () => void (await iterator.return?.()),
  };
}

async function* restOf(
  begin: Uint8Array,
  iterator: AsyncIterator<Uint8Array, unknown>,
): AsyncGenerator<Uint8Array, void> {
  yield begin;
  for (let next = await iterator.next(); next.done !== true; next = await iterator.next()) yield next.value;
}
