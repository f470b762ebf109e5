// The result of a search, and a found item to forget.
import type { CallResult } from "../../client/api-types.ts";

/** The form of the results of both searches: of messages and of the archive. */
export type SearchResult = CallResult<"GET /agents/:agent/recall">;

/** A message or a passage to forget as a whole. */
export interface FoundItem {
  readonly kind: "message" | "passage";
  readonly id: string;
}
