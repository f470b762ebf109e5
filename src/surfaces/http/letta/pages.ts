// The lists of Letta's API: their cursors, limit and order, and how a page of them is read.
// Invariant: a cursor is the UUID of an item, and of a list of messages the id of any that is shown; a list is in the order of
// creation, newest first unless the client says otherwise. Nothing is behind or ahead of an unknown item.
import * as z from "zod";
import { appendAll } from "../../../base/lists.ts";
import { idOf } from "./ids.ts";
import { given } from "./wire-record.ts";

/** A parameter that may be repeated. */
export const queryTexts = z
  .union([z.string(), z.array(z.string())])
  .transform((sent) => (typeof sent === "string" ? [sent] : sent));

export const queryFlag = z
  .enum(["true", "false", "True", "False", "1", "0"])
  .transform((text) => /^(?:true|1)$/iu.test(text));

export const queryNumber = z.coerce.number<string>().int().min(0);

/** What a list may be ordered by. */
export const creationOrder = z
  .literal("created_at", { error: "Expected `created_at`: this server has no other order." })
  .optional();

const maxLimit = 1000;
const defaultLimit = 50;
const order = z.enum(["asc", "desc"]).optional();

/** Parameters of a list of items whose ids have the prefix. Lists of older clients say `ascending`. */
export function pageQuery(prefix: Parameters<typeof idOf>[0]) {
  const cursor = idOf(prefix).optional();
  const fields = { before: cursor, after: cursor, limit: queryNumber.optional(), order, order_by: creationOrder };
  return z.object({ ...fields, ascending: queryFlag.optional() });
}

/** Parameters of the lists of turns, whose unknown parameters are ignored. */
export function turnsQuery(prefix: Parameters<typeof idOf>[0]) {
  const cursor = idOf(prefix).optional();
  return { ...listQuery, before: cursor, after: cursor };
}

const listQuery = { limit: queryNumber.max(maxLimit).optional(), order, order_by: creationOrder };

const messageCursor = z.string().startsWith("message-").optional();

/** Parameters of the lists of messages. */
export const messageQuery = { ...listQuery, before: messageCursor, after: messageCursor };

export interface PageQuery {
  readonly before?: string | undefined;
  readonly after?: string | undefined;
  readonly limit?: number | undefined;
  readonly order?: "asc" | "desc" | undefined;
  readonly ascending?: boolean | undefined;
}

/** A part of a list, as the functions of the runtime take it. */
export interface ListRange {
  readonly order: "oldest" | "newest";
  readonly limit: number;
  readonly after?: string;
  readonly before?: string;
}

/** Returns the range of the runtime's list; null for a limit of 0, which asks for nothing. */
export function rangeOf({ before, after, limit = defaultLimit, order: sent, ascending }: PageQuery): ListRange | null {
  if (limit === 0) return null;
  const isOldestFirst = sent === undefined ? ascending === true : sent === "asc";
  return {
    order: isOldestFirst ? "oldest" : "newest",
    limit: Math.min(limit, maxLimit),
    ...given({ after, before }),
  };
}

/** Returns a page of items that are all known, oldest first. `idIn`: the UUID of an item; default its `id`. */
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

/** As `pageOf`, for records in Letta's form, whose ids have a prefix. */
export function pageOfShown<Item extends { readonly id: string }>(
  items: readonly Item[],
  query: PageQuery,
): readonly Item[] {
  return pageOf(items, query, ({ id }) => id.slice(id.indexOf("-") + 1));
}

/** Items that are read at once. */
const readSize = 1000;

/** Reads a whole list, oldest first. */
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
