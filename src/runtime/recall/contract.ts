// Defines the operations on recall memory: searches of the messages of all conversations with an agent.
// Invariant: each operation acts for the runtime's user only. This file checks types only; numbers and days are checked
// by the search.
import { form, type OptionsOf } from "../../base/arguments/forms.ts";
import type { RecallWeights } from "../../store/port/recall-store.ts";
import type { SearchHit, SearchPage } from "../../tool/tool.ts";
import { type Contract, optionalOptions, optionsNamed, pageFields, read, value } from "../contract.ts";

/** One page of hits; `total` counts the hits of all pages. */
export const searchFields = {
  hits: form.objects<SearchHit>(),
  page: form.ordinal,
  pageSize: form.ordinal,
  total: form.ordinal,
  /** Whether the search compared words only and may have missed messages, because the embedder was not available. */
  wordsAlone: form.flag,
};

const recallOptions = {
  ...pageFields,
  /** Number of messages before and after each hit to return with it; default 0. */
  neighbours: form.number,
  /** Also searches messages that are on no thread: popped messages, and replies that a retry replaced. */
  includeAbandoned: form.flag,
};

export interface RecallOptions extends OptionsOf<typeof recallOptions> {}

const searchOptions = {
  ...recallOptions,
  /** First and last day to search, `YYYY-MM-DD`, both inclusive, in the agent's time zone. */
  start: form.day,
  end: form.day,
};

const ownOptions = {
  /** Weights of the ranking; the defaults gave the best measured results. */
  weights: form.object<Partial<RecallWeights>>(),
};

export interface RecallSearchOptions extends OptionsOf<typeof searchOptions & typeof ownOptions> {}

export interface RecallOperations {
  /**
   * Searches messages by words and by meaning, best first; a query in double quotes matches exactly. Throws RequestError
   * `input_invalid` for invalid numbers, ToolError for an invalid day.
   */
  search(agent: string, query: string, options?: RecallSearchOptions): Promise<SearchPage>;
  /** Returns the messages between two days, `YYYY-MM-DD`, both included. Throws the same errors as `search`. */
  searchDate(
    agent: string,
    days: { readonly start: string; readonly end: string },
    options?: RecallOptions,
  ): Promise<SearchPage>;
}

const agent = value("agent", form.text);

export const recallContract = {
  search: {
    args: [agent, value("query", form.text), optionalOptions(searchOptions, { own: ownOptions })],
    http: read("GET /agents/:agent/recall", "Search all messages, with the reason for each hit", searchFields),
  },
  searchDate: {
    args: [
      agent,
      optionsNamed("days", { start: form.day, end: form.day }, { required: ["start", "end"] }),
      optionalOptions(recallOptions),
    ],
    http: read("GET /agents/:agent/recall/days", "List the messages between two days, both included", searchFields),
  },
} as const satisfies Contract<RecallOperations>;
