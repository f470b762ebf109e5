// Reads pages of the lists of Letta's API, by the cursors, limit and order of a query.
// Invariant: a cursor is the UUID of an item; in a list of messages, it is the id of a shown message. A list is in the
// order of creation, by default newest first. The page before or after an unknown item is empty.
import * as z from "zod";
import { appendAll } from "../../../base/lists.ts";
import { idOf } from "./ids.ts";
import { given } from "./wire-record.ts";

/** A parameter that may be repeated, as a list of its values. */
export const queryTexts = z
  .union([z.string(), z.array(z.string())])
  .transform((sent) => (typeof sent === "string" ? [sent] : sent));

export const queryFlag = z
  .enum(["true", "false", "True", "False", "1", "0"])
  .transform((text) => /^(?:true|1)$/iu.test(text));

export const queryNumber = z.coerce.number<string>().int().min(0);

/** The parameter for the order of a list. This server has only one order: by creation. */
export const creationOrder = z
  .literal("created_at", { error: "Expected `created_at`: this server has no other order." })
  .optional();

const maxLimit = 1000;
const defaultLimit = 50;
const order = z.enum(["asc", "desc"]).optional();

/** Returns the parameters of a list of items with ids of this prefix. Older clients send `ascending`, not `order`. */
export function pageQuery(prefix: Parameters<typeof idOf>[0]) {
  const cursor = idOf(prefix).optional();
  const fields = { before: cursor, after: cursor, limit: queryNumber.optional(), order, order_by: creationOrder };
  return z.object({ ...fields, ascending: queryFlag.optional() });
}

/** Returns the parameters of a list of turns, conversations or steps with ids of this prefix. */
export function turnsQuery(prefix: Parameters<typeof idOf>[0]) {
  const cursor = idOf(prefix).optional();
  return { ...listQuery, before: cursor, after: cursor };
}

const listQuery = { limit: queryNumber.max(maxLimit).optional(), order, order_by: creationOrder };

const messageCursor = z.string().startsWith("message-").optional();

export const messageQuery = { ...listQuery, before: messageCursor, after: messageCursor };

export type PageQuery = Omit<z.output<ReturnType<typeof pageQuery>>, "order_by">;

/** A part of a list, in the form that the runtime accepts. */
export interface ListRange {
  readonly order: "oldest" | "newest";
  readonly limit: number;
  readonly after?: string;
  readonly before?: string;
}

/** Returns the part of a list that a query asks for; null for a limit of 0. */
export function rangeOf({ before, after, limit = defaultLimit, order: sent, ascending }: PageQuery): ListRange | null {
  if (limit === 0) return null;
  const isOldestFirst = sent === undefined ? ascending === true : sent === "asc";
  return {
    order: isOldestFirst ? "oldest" : "newest",
    limit: Math.min(limit, maxLimit),
    ...given({ after, before }),
  };
}

/** Returns a page of a complete list, which must be oldest first. `idIn`: returns the UUID of an item; default: its `id`. */
export function pageOf<Item extends { readonly id: string }>(
  items: readonly Item[],
  query: PageQuery,
  idIn: (item: Item) => string = ({ id }) => id,
): readonly Item[] {
  const range = rangeOf(query);
  if (range === null) return [];
  const ordered = range.order === "oldest" ? items : items.toReversed();
  const at = (id: string): number => ordered.findIndex((item) => idIn(item) === id);
  const { after, before, limit } = range;
  if (before !== undefined) {
    const end = at(before);
    return end === -1 ? [] : ordered.slice(0, end).slice(-limit);
  }
  const start = after === undefined ? 0 : at(after) + 1;
  if (after !== undefined && start === 0) return [];
  return ordered.slice(start, start + limit);
}

/** Like `pageOf`, for records in Letta's form: their ids have a prefix before the UUID. */
export function pageOfShown<Item extends { readonly id: string }>(
  items: readonly Item[],
  query: PageQuery,
): readonly Item[] {
  return pageOf(items, query, ({ id }) => id.slice(id.indexOf("-") + 1));
}

/** Number of items that `readAll` reads at once. */
const readSize = 1000;

/** Reads all items of a list, and returns them oldest first. */
export async function readAll<Item extends { readonly id: string }>(
  read: (range: ListRange) => Promise<readonly Item[]>,
): Promise<readonly Item[]> {
  const all: Item[] = [];
  for (;;) {
    const page = await read({ order: "oldest", limit: readSize, ...given({ after: all.at(-1)?.id }) });
    appendAll(all, page);
    if (page.length < readSize) return all;
  }
}

interface WantedItems<Item> {
  readonly isWanted: (item: Item) => boolean;
  /** Returns true if this item and all items that are read after it are unwanted. Default: always false. */
  readonly isPast?: (item: Item) => boolean;
}

/** Minimum number of items that `readWanted` reads at once after its first page. */
const minRead = 100;

/**
 * Reads pages of a list until `limit` wanted items are found, until `isPast` holds for a whole page, or until the list ends.
 * Returns the wanted items in the list's order. With `before` alone, pages are read from the cursor backwards.
 */
export async function readWanted<Item extends { readonly id: string }>(
  { limit, ...cursors }: Omit<ListRange, "order">,
  { isWanted, isPast = () => false }: WantedItems<Item>,
  read: (range: Omit<ListRange, "order">) => Promise<readonly Item[]>,
): Promise<readonly Item[]> {
  const isBackwards = readsBackwards(cursors);
  let found: readonly Item[] = [];
  let range = cursors;
  // If all items are wanted, the first page suffices. If few items are wanted, short pages would need many queries.
  for (let size = Math.min(limit, maxLimit); found.length < limit; size = Math.max(size, minRead)) {
    const page = await read({ ...range, limit: size });
    const wanted = page.filter(isWanted);
    const room = limit - found.length;
    found = isBackwards ? [...wanted.slice(-room), ...found] : [...found, ...wanted.slice(0, room)];
    const edge = isBackwards ? page[0] : page.at(-1);
    if (edge === undefined || page.length < size) break;
    // Ignores `isPast` for short pages, because the order of ids can differ from the order of times for a few items.
    if (page.length >= minRead && page.every((item) => isPast(item))) break;
    range = isBackwards ? { before: edge.id } : { ...range, after: edge.id };
  }
  return found;
}

/** Returns whether pages are read from the end of the range to its beginning. */
export function readsBackwards({ after, before }: Pick<ListRange, "after" | "before">): boolean {
  return before !== undefined && after === undefined;
}

/** Maximum number of hits that `readHits` reads at once. */
const hitsSize = 100;

export interface HitPage<Hit> {
  readonly hits: readonly Hit[];
  /** Number of hits of all pages. */
  readonly total: number;
}

/** Reads pages of a search until enough wanted hits are found, or until its end. Returns the wanted hits in order. */
export async function readHits<Hit>(
  { limit, isWanted }: { readonly limit: number; readonly isWanted: (hit: Hit) => boolean },
  read: (page: { readonly page: number; readonly pageSize: number }) => Promise<HitPage<Hit>>,
): Promise<readonly Hit[]> {
  const pageSize = Math.min(limit, hitsSize);
  const wanted: Hit[] = [];
  for (let page = 0, total = limit; wanted.length < limit && page * pageSize < total; page += 1) {
    const found = await read({ page, pageSize });
    ({ total } = found);
    appendAll(wanted, found.hits.filter(isWanted));
  }
  return wanted.slice(0, limit);
}
