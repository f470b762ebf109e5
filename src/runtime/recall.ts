// Searches of everything that was said.
// Invariant: types only; each operation is of the runtime's user alone.
import type { RecallWeights } from "../memory/recall-store.ts";
import type { SearchPage } from "../tool/tool.ts";
import type { PageOptions } from "./page-options.ts";

export interface RecallOptions extends PageOptions {
  /** How many messages before and after each hit come with it; default none. */
  readonly neighbours?: number;
  /** Also what is on no conversation's thread: popped messages, and answers that a retry took back. */
  readonly includeAbandoned?: boolean;
}

export interface RecallSearchOptions extends RecallOptions {
  /** Only what was said on these days, `YYYY-MM-DD`, both included, in the agent's time zone. */
  readonly start?: string;
  readonly end?: string;
  /** What counts how much in the ranking, in place of what was measured to be best. */
  readonly weights?: Partial<RecallWeights>;
}

export interface RecallOperations {
  /**
   * By words and by meaning, best first; a query in double quotes finds exactly that text. Throws RequestError
   * `input_invalid` for numbers that are none, ToolError for what is no day.
   */
  search(agent: string, query: string, options?: RecallSearchOptions): Promise<SearchPage>;
  /** Days `YYYY-MM-DD`, both included. */
  searchDate(
    agent: string,
    days: { readonly start: string; readonly end: string },
    options?: RecallOptions,
  ): Promise<SearchPage>;
}
