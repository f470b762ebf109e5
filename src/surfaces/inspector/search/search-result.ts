// What a search returned, and what of it is to be forgotten.
import type { CallResult } from "../../client/api-types.ts";

/** Both searches have this form. */
export type SearchResult = CallResult<"GET /agents/:agent/recall">;

/** What is to be forgotten as a whole. */
export interface FoundItem {
  readonly kind: "message" | "passage";
  readonly id: string;
}
