// The result of a search, and an item of it to forget.
import type { CallResult } from "../../client/api-types.ts";

/** Both searches have this form. */
export type SearchResult = CallResult<"GET /agents/:agent/recall">;

/** A message or a passage to forget as a whole. */
export interface FoundItem {
  readonly kind: "message" | "passage";
  readonly id: string;
}
