// Defines the operations on archival memory: add, search, import and export passages.
// Invariant: each operation acts for the runtime's user only. This file checks types only; texts and numbers are
// checked where a passage is stored.
import { type Form, form, type OptionsOf } from "../../base/arguments/forms.ts";
import type { ArchivalHit, ArchivalPage } from "../../memory/archival/archival-memory.ts";
import {
  type AddedPassage,
  addedPassageFields,
  passageFields,
  passageKind,
  type PassageKind,
  type PassageRecord,
} from "../../store/port/passage-store.ts";
import type { SearchWeights } from "../../store/port/search-weights.ts";
import { chat, type Contract, listFields, optionalOptions, pageFields, read, value } from "../contract.ts";
import { editOptions } from "../memory/contract.ts";
import { searchFields } from "../recall/contract.ts";

export { addedPassageFields, passageFields };

const searchOptions = {
  ...pageFields,
  /** Only passages of these kinds; `document` means passages of files. */
  kinds: form.texts as Form<readonly PassageKind[]>,
  /** Only passages with at least one of these tags. */
  tags: form.texts,
  /** Only passages with all of these tags. */
  allTags: form.texts,
  /** Names of attached sources, which are searched instead of the agent's own archive. */
  sources: form.texts,
  /** Days `YYYY-MM-DD` or minutes `YYYY-MM-DD HH:MM`, both inclusive, as in a search of messages. */
  startDate: form.text,
  endDate: form.text,
  /** Minimum importance that a passage was stored with, from 0 to 1. */
  minImportance: form.number,
  /** Whether the hits count as accessed, which raises their rank in later searches. Default true. */
  countsAccesses: form.flag,
};

const ownOptions = {
  /** Weights that replace those of the agent's setting; absent weights keep their value. */
  weights: form.object<Partial<SearchWeights>>(),
};

/** Filters and weights of a search of archival memory. All filters must match. */
export interface ArchivalOptions extends OptionsOf<typeof searchOptions & typeof ownOptions> {}

/** Selects passages in the order of their times. `order`: default `newest`. `limit`: 1 to 1,000, default 20. */
export interface PassageListOptions extends OptionsOf<typeof listFields> {}

export const addOptions = {
  tags: form.texts,
  /** The kind of the passage. Default `memory`. */
  kind: passageKind,
  /** The importance of the passage, from 0 to 1; default 0.5. */
  importance: form.number,
  /** When the passage was written. Default now. */
  at: form.moment,
};
const passageInput = { text: form.text, ...addOptions };

export interface PassageInput extends OptionsOf<typeof passageInput, "text"> {}

export interface ArchivalAddOptions extends OptionsOf<typeof addOptions & typeof editOptions> {}

/**
 * The operations on archival memory. Each throws RequestError `input_invalid` for blank texts, unknown kinds and
 * numbers out of range, with nothing stored.
 */
export interface ArchivalOperations {
  /** Returns a page of the agent's own passages. For the next page, pass the id of the last passage as `after`. */
  list(agent: string, options?: PassageListOptions): Promise<readonly PassageRecord[]>;
  /** Returns the number of the agent's own passages. */
  count(agent: string): Promise<number>;
  /** Searches the agent's own passages and those of attached sources, best first. Each hit contains the reason for its rank. */
  search(agent: string, query: string, options?: ArchivalOptions): Promise<ArchivalPage>;
  /** Stores a passage. If a passage with the same text is stored already, only the tags are added to that passage. */
  add(agent: string, text: string, options?: ArchivalAddOptions): Promise<AddedPassage>;
  /**
   * Stores all passages or none, with the trust `external`. Skips texts that are stored already. Returns the number of new
   * passages.
   */
  import(agent: string, passages: readonly PassageInput[]): Promise<number>;
  /** Iterates over the agent's own passages in the order in which they were added, in batches. */
  export(agent: string): AsyncIterable<PassageRecord>;
  /** Replaces the tags of a passage and removes duplicates. Returns false if no own passage of the agent has that id. */
  setTags(agent: string, passageId: string, tags: readonly string[]): Promise<boolean>;
  /** Deletes a passage. Returns false if no passage has that id. */
  delete(agent: string, passageId: string): Promise<boolean>;
}

const agent = value("agent", form.text);
const passageId = value("passageId", form.id);
export const missingPassage = ["passage_not_found", "There is no passage with that id."] as const;

export const archivalContract = {
  list: {
    args: [agent, optionalOptions(listFields)],
    http: read("GET /agents/:agent/archive", "List the passages of archival memory", [passageFields]),
  },
  count: {
    args: [agent],
    http: read(
      "GET /agents/:agent/archive/count",
      "Count the passages of archival memory",
      value("passages", form.ordinal),
    ),
  },
  search: {
    args: [agent, value("query", form.text), optionalOptions(searchOptions, { own: ownOptions })],
    http: read(
      "GET /agents/:agent/archive/search",
      "Search archival memory and attached sources, with the reason for each hit",
      { ...searchFields, hits: form.objects<ArchivalHit>() },
    ),
  },
  add: {
    args: [agent, value("text", form.text), optionalOptions(addOptions, { own: editOptions })],
    http: chat("POST /agents/:agent/archive", "Add a passage to archival memory", addedPassageFields, { status: 201 }),
  },
  import: {
    args: [
      agent,
      value("passages", form.list(form.options(passageInput, { required: ["text"] }), "Pass an array of { text }.")),
    ],
    http: chat(
      "POST /agents/:agent/archive/import",
      "Add passages, all or none, with the trust of external texts",
      value("added", form.ordinal),
      { status: 201 },
    ),
  },
  export: { args: [agent], isImmediate: true, http: "`GET /agents/:agent/archive` returns all passages in pages." },
  setTags: {
    args: [agent, passageId, value("tags", form.texts)],
    http: chat("PUT /agents/:agent/archive/:passage/tags", "Replace the tags of a passage", null, {
      missing: missingPassage,
    }),
  },
  delete: {
    args: [agent, passageId],
    http: chat("DELETE /agents/:agent/archive/:passage", "Delete a passage", null, { missing: missingPassage }),
  },
} as const satisfies Contract<ArchivalOperations>;
