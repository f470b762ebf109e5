// The result of a search, and an item of it to forget.
import type { CallResult } from "../../client/api-types.ts";

/** The form that both searches return. */
export type SearchResult = CallResult<"GET /agents/:agent/recall">;

/** A message or a passage to forget as a whole. */
export interface FoundItem {
  readonly kind: "message" | "passage";
  readonly id: string;
}
