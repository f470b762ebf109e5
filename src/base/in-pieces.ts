// Work on long lists that lets others have the event loop in between.
// Invariant: no list, however long, occupies the event loop for longer than one piece of it and one item. A long one has it for a third
// of the time, because an answer to somebody else takes many turns of the loop.
import { setImmediate, setTimeout } from "node:timers/promises";

/** Milliseconds of work after which others have the event loop. */
const pieceMs = 4;
/** Milliseconds of work after which a list is long. */
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

/** Lists of fewer items are made into JSON at once. */
const minItems = 25;

/** Returns a value as JSON; that of a long list is made piece by piece, in UTF-8. */
export async function jsonInPieces(value: unknown): Promise<string | Buffer<ArrayBuffer>> {
  if (!Array.isArray(value) || value.length <= minItems) return JSON.stringify(value);
  const pieces = await mapInPieces(value as readonly unknown[], (item, at) =>
    Buffer.from(`${at === 0 ? "[" : ","}${JSON.stringify(item ?? null)}`),
  );
  return Buffer.concat([...pieces, Buffer.from("]")]);
}
