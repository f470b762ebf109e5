// Processes long lists in pieces, and yields the event loop to other work between them.
// Invariant: no list occupies the event loop for longer than the time of one piece plus one item. A list that takes longer than
// `longMs` uses the loop for only a third of the time, so that other requests, which need many turns of the loop, are answered.
import { setImmediate, setTimeout } from "node:timers/promises";

/** Milliseconds of work in one piece. */
const pieceMs = 4;
/** Milliseconds of work after which a list counts as long. */
const longMs = 20;

/** Returns what `map` returns for each item, in order. */
export async function mapInPieces<Item, Result>(
  items: readonly Item[],
  map: (item: Item, at: number) => Result,
): Promise<Result[]> {
  const results: Result[] = [];
  let workedMs = 0;
  let began = performance.now();
  for (const [at, item] of items.entries()) {
    const pieceTook = performance.now() - began;
    if (pieceTook >= pieceMs) {
      workedMs += pieceTook;
      await (workedMs < longMs ? setImmediate() : setTimeout(2 * pieceTook));
      began = performance.now();
    }
    results.push(map(item, at));
  }
  return results;
}

/** Lists of at most this many items are converted in one piece. */
const minItems = 25;

/** Returns a value as JSON text. A list of more than `minItems` is converted in pieces, and returned as UTF-8 bytes. */
export async function jsonInPieces(value: unknown): Promise<string | Buffer<ArrayBuffer>> {
  if (!Array.isArray(value) || value.length <= minItems) return JSON.stringify(value);
  const pieces = await mapInPieces(value as readonly unknown[], (item, at) =>
    Buffer.from(`${at === 0 ? "[" : ","}${JSON.stringify(item ?? null)}`),
  );
  return Buffer.concat([...pieces, Buffer.from("]")]);
}
