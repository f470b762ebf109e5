// The query parameters of Letta's lists: cursors, limit and order.
// Invariant: a cursor is the UUID of an item; a list is in the order of creation, newest first unless the client says otherwise.
import * as z from "zod";
import { type IdPrefix, idOf } from "./ids.ts";

/** A parameter that may be repeated. */
export const queryTexts = z
  .union([z.string(), z.array(z.string())])
  .transform((given) => (typeof given === "string" ? [given] : given));

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

/** Parameters of a list of items whose ids have the prefix. Lists of older clients say `ascending`. */
export function pageQuery<Prefix extends IdPrefix>(prefix: Prefix) {
  return z.object({
    before: idOf(prefix).optional(),
    after: idOf(prefix).optional(),
    limit: queryNumber.optional(),
    order: z.enum(["asc", "desc"]).optional(),
    order_by: creationOrder,
    ascending: queryFlag.optional(),
  });
}

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
export function rangeOf({ before, after, limit = defaultLimit, order, ascending }: PageQuery): ListRange | null {
  if (limit === 0) return null;
  const isOldestFirst = order === undefined ? ascending === true : order === "asc";
  return {
    order: isOldestFirst ? "oldest" : "newest",
    limit: Math.min(limit, maxLimit),
    ...(after === undefined ? {} : { after }),
    ...(before === undefined ? {} : { before }),
  };
}

/** Returns a page of items that are all known, oldest first. Nothing is behind or ahead of an unknown item. */
export function pageOf<Item extends { readonly id: string }>(
  items: readonly Item[],
  query: PageQuery,
): readonly Item[] {
  const range = rangeOf(query);
  if (range === null) return [];
  const ordered = range.order === "oldest" ? items : items.toReversed();
  const at = (id: string): number => ordered.findIndex((item) => item.id === id);
  const { after, before, limit } = range;
  if (before !== undefined) {
    const end = at(before);
    return end === -1 ? [] : ordered.slice(0, end).slice(-limit);
  }
  const start = after === undefined ? 0 : at(after) + 1;
  if (after !== undefined && start === 0) return [];
  return ordered.slice(start, start + limit);
}

/** As `pageOf`, for items whose ids have their prefix already. */
export function pageOfShown<Item extends { readonly id: string }>(
  items: readonly Item[],
  query: PageQuery,
): readonly Item[] {
  const byUuid = items.map((item) => ({ id: item.id.slice(item.id.indexOf("-") + 1), item }));
  return pageOf(byUuid, query).map(({ item }) => item);
}
