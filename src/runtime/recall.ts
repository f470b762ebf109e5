// Searches of all messages.
// Invariant: types only; each operation acts for the runtime's user only.
import type { RecallWeights } from "../store/port/recall-store.ts";
import type { SearchPage } from "../tool/tool.ts";
import type { PageOptions } from "./page-options.ts";

export interface RecallOptions extends PageOptions {
  /** Messages before and after each hit to return with it; default 0. */
  readonly neighbours?: number;
  /** Also searches messages that are on no thread: popped messages, and replies that a retry replaced. */
  readonly includeAbandoned?: boolean;
}

export interface RecallSearchOptions extends RecallOptions {
  /** First and last day to search, `YYYY-MM-DD`, in the agent's time zone. */
  readonly start?: string;
  readonly end?: string;
  /** Weights of the ranking; default those that measured best. */
  readonly weights?: Partial<RecallWeights>;
}

export interface RecallOperations {
  /**
   * Searches messages by words and by meaning, best first; a query in double quotes matches exactly. Throws RequestError
   * `input_invalid` for invalid numbers, ToolError for an invalid day.
   */
  search(agent: string, query: string, options?: RecallSearchOptions): Promise<SearchPage>;
  /** Returns the messages between two days, `YYYY-MM-DD`, both included. Throws as `search` does. */
  searchDate(
    agent: string,
    days: { readonly start: string; readonly end: string },
    options?: RecallOptions,
  ): Promise<SearchPage>;
}
