// Converts the query of an address to the request of a search, and back.
// Invariant: pure; any query becomes a request, and a filter that is not set is absent from the query.
import { tagsIn } from "../passages/tags-in.ts";

export const searchKinds = ["archive", "recall"] as const;
export type SearchKind = (typeof searchKinds)[number];

export interface SearchRequest {
  readonly kind: SearchKind;
  readonly query: string;
  /** The number of the page, from 0. */
  readonly page: number;
  readonly tags: readonly string[];
  /** The first day, `YYYY-MM-DD`; "" for none. `end`: the last day. */
  readonly start: string;
  readonly end: string;
  readonly neighbours: number;
  readonly includeAbandoned: boolean;
}

export type AddressQuery = Readonly<Record<string, string>>;

export function searchRequestOf(query: AddressQuery): SearchRequest {
  return {
    kind: query["kind"] === "recall" ? "recall" : "archive",
    query: query["query"] ?? "",
    page: wholeNumber(query["page"], 1_000_000),
    tags: tagsIn(query["tags"] ?? ""),
    start: dayOf(query["start"]),
    end: dayOf(query["end"]),
    neighbours: wholeNumber(query["neighbours"], 20),
    includeAbandoned: query["abandoned"] === "true",
  };
}

export function addressQueryOf(request: SearchRequest): AddressQuery {
  const { kind, query, page, tags, start, end, neighbours, includeAbandoned } = request;
  const all = {
    kind,
    query,
    page: page === 0 ? "" : String(page),
    tags: tags.join(", "),
    start,
    end,
    neighbours: neighbours === 0 ? "" : String(neighbours),
    abandoned: includeAbandoned ? "true" : "",
  };
  return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== ""));
}

function wholeNumber(text: string | undefined, largest: number): number {
  const value = Number(text ?? "0");
  return Number.isInteger(value) && value >= 0 ? Math.min(largest, value) : 0;
}

function dayOf(text: string | undefined): string {
  return text !== undefined && /^\d{4}-\d{2}-\d{2}$/u.test(text) ? text : "";
}
