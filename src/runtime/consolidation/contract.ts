// Defines how programs use consolidations: let a model propose operations that tidy memory, review them, and undo a run.
// Invariant: each operation acts for the runtime's user only.
import { optional, options, signal } from "../../base/arguments/argument-checks.ts";
import { form, type OptionsOf } from "../../base/arguments/forms.ts";
import { consolidationFields, type ConsolidationRecord } from "../../store/port/consolidation-store.ts";
import { chat, type Contract, optionalOptions, optionalValue, read, value } from "../contract.ts";

export const reviewOptions = {
  /** The numbers of operations, from 1 in the order of the run. Default: all operations that wait for a review. */
  operations: form.list(form.count),
};

export interface ReviewOptions extends OptionsOf<typeof reviewOptions> {}

/** The operations of docs/consolidation.md. Every function with an `id` throws RequestError `consolidation_not_found`. */
export interface ConsolidationOperations {
  /**
   * Lets a model propose operations on memory that is new since the last run. Returns null, without a model call, if
   * there is no signal. `signal` cancels the model's calls. Throws RequestError `consolidation_refused`; LimitError.
   */
  run(agent: string, options?: { readonly signal?: AbortSignal }): Promise<ConsolidationRecord | null>;
  /** Returns the runs, newest first. */
  list(agent: string, limit?: number): Promise<readonly ConsolidationRecord[]>;
  find(id: string): Promise<ConsolidationRecord>;
  /**
   * Applies operations that wait for a review, in one transaction. Drops an operation if its rows have changed. Throws
   * RequestError `consolidation_refused` if none waits, and `agent_busy` while a turn of the agent runs.
   */
  apply(id: string, options?: ReviewOptions): Promise<ConsolidationRecord>;
  /** Rejects operations that wait for a review. Throws RequestError `consolidation_refused` if none waits. */
  reject(id: string, options?: ReviewOptions): Promise<ConsolidationRecord>;
  /**
   * Restores memory as it was before the run, in one transaction. Throws RequestError `consolidation_refused` if nothing was
   * applied, `undo_refused` and DependentEditsError if a later change depends on the run, `undo_refused` if a revision of
   * the run is not available any more, and `agent_busy`.
   */
  undo(id: string): Promise<ConsolidationRecord>;
}

const agent = value("agent", form.text);
const id = value("id", form.id);

export const consolidationContract = {
  run: {
    args: [
      agent,
      { name: "options", check: optional(options<{ readonly signal?: AbortSignal }>({ signal: optional(signal) })) },
    ],
    http: chat(
      "POST /agents/:agent/consolidations",
      "Let a model propose operations that tidy memory; null if there is nothing to tidy",
      form.nullable(form.record(consolidationFields)),
    ),
  },
  list: {
    args: [agent, optionalValue("limit", form.count)],
    http: read("GET /agents/:agent/consolidations", "List the consolidations of an agent, newest first", [
      consolidationFields,
    ]),
  },
  find: { args: [id], http: read("GET /consolidations/:consolidation", "Get a consolidation", consolidationFields) },
  apply: {
    args: [id, optionalOptions(reviewOptions)],
    http: chat(
      "POST /consolidations/:consolidation/apply",
      "Apply operations that wait for a review",
      consolidationFields,
    ),
  },
  reject: {
    args: [id, optionalOptions(reviewOptions)],
    http: chat(
      "POST /consolidations/:consolidation/reject",
      "Reject operations that wait for a review",
      consolidationFields,
    ),
  },
  undo: {
    args: [id],
    http: chat(
      "POST /consolidations/:consolidation/undo",
      "Restore memory as it was before a consolidation",
      consolidationFields,
    ),
  },
} as const satisfies Contract<ConsolidationOperations>;
