// Defines the operations that switch agents to another embedder, and back.
// Invariant: each operation acts for the runtime's user only. This file checks types only; numbers are checked before a
// run begins.
import { form } from "../../base/arguments/forms.ts";
import {
  type AgentEmbeddings,
  agentEmbeddingsFields,
  dropOptions,
  dropResultFields,
  type DropVectorsOptions,
  type DropVectorsResult,
  ownDropOptions,
  ownReembedOptions,
  type ReembedOptions,
  reembedOptions,
  type ReembedResult,
  reembedResultFields,
} from "../../memory/vectors/reembedding.ts";
import { admin, type Contract, optionalOptions, optionalValue, optionsNamed, read } from "../contract.ts";

/**
 * Operations on the embedders of agents. `agents` contains names or ids; default all agents. If the current state does
 * not allow an operation, it throws RequestError `reembedding_refused` and changes nothing.
 */
export interface EmbeddingOperations {
  /** Returns the embedders of the given agents; default: of all agents. */
  list(agents?: readonly string[]): Promise<readonly AgentEmbeddings[]>;
  /**
   * Makes the vectors of another embedder while searches use the current ones, then switches in one transaction and keeps the
   * old vectors. Continues an unfinished run with the same embedder. Texts that are stored during the run get both kinds of
   * vectors. Waits during an outage of the embedder. Throws ConfigError for an unknown embedder or for dimensions that differ
   * from the given ones, EmbeddingError if the first call fails, RequestError `input_invalid` for numbers out of range, and the
   * signal's reason; vectors that are already stored stay.
   */
  reembed(options: ReembedOptions): Promise<ReembedResult>;
  /** Switches back to the kept vectors immediately, and keeps the current ones, so that a second call reverts the first. */
  rollback(agents?: readonly string[]): Promise<readonly AgentEmbeddings[]>;
  /** Deletes the kept vectors, except those that other agents use. This cannot be undone. */
  dropOld(options?: DropVectorsOptions): Promise<DropVectorsResult>;
  /** Cancels the re-embedding in progress and deletes its vectors. */
  abandon(options?: DropVectorsOptions): Promise<DropVectorsResult>;
}

const agents = optionalValue("agents", form.texts);
const dropping = optionalOptions(dropOptions, { own: ownDropOptions });

export const embeddingContract = {
  list: {
    args: [agents],
    http: read("GET /embeddings", "List the embedders of agents, with the number of missing vectors", [
      agentEmbeddingsFields,
    ]),
  },
  reembed: {
    args: [{ ...optionsNamed("options", reembedOptions, { required: ["to"] }), own: ownReembedOptions }],
    http: admin(
      "POST /embeddings/reembed",
      "Make the vectors of another embedder and switch to it; the next request continues one that ended early",
      reembedResultFields,
    ),
  },
  rollback: {
    args: [agents],
    http: admin("POST /embeddings/rollback", "Switch back to the vectors that were kept", [agentEmbeddingsFields]),
  },
  dropOld: {
    args: [dropping],
    http: admin("POST /embeddings/drop-old", "Delete the vectors that were kept, permanently", dropResultFields),
  },
  abandon: {
    args: [dropping],
    http: admin("POST /embeddings/abandon", "Cancel the re-embedding in progress", dropResultFields),
  },
} as const satisfies Contract<EmbeddingOperations>;
