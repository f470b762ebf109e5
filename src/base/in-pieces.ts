// Work on long lists that lets others have the event loop in between.
// Invariant: no list, however long, occupies the event loop for longer than one piece of it.
import { setImmediate } from "node:timers/promises";

/** Items between two turns of the event loop: a few milliseconds of work. */
const pieceSize = 25;

/** Returns what `map` returns for each item, in order. */
export async function mapInPieces<Item, Result>(
  items: readonly Item[],
  map: (item: Item, at: number) => Result,
): Promise<Result[]> {
  const results: Result[] = [];
  for (const [at, item] of items.entries()) {
    if (at > 0 && at % pieceSize === 0) await setImmediate();
    results.push(map(item, at));
  }
  return results;
}

/** Returns a value as JSON; that of a long list is made piece by piece, in UTF-8. */
export async function jsonInPieces(value: unknown): Promise<string | Buffer<ArrayBuffer>> {
  if (!Array.isArray(value) || value.length <= pieceSize) return JSON.stringify(value);
  const pieces = await mapInPieces(value as readonly unknown[], (item, at) =>
    Buffer.from(`${at === 0 ? "[" : ","}${JSON.stringify(item ?? null)}`),
  );
  return Buffer.concat([...pieces, Buffer.from("]")]);
}
