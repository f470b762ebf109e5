// What a program can do with the embedders of agents: switch to another one, and back.
// Invariant: each operation acts for the runtime's user only. Only shapes are checked here; numbers are checked before a run
// begins.
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
 * Operations on the embedders of agents. `agents` contains names or ids; without it, all agents are meant. Each function
 * throws RequestError `reembedding_refused` if the current state does not allow it, with nothing changed.
 */
export interface EmbeddingOperations {
  /** Returns which embedders the agents have; default: all agents. */
  list(agents?: readonly string[]): Promise<readonly AgentEmbeddings[]>;
  /**
   * Makes the vectors of another embedder while searches use the current ones, then switches in one transaction and keeps the
   * old vectors. Continues a previous run with the same embedder that did not finish. New texts get both kinds of vectors
   * meanwhile. Waits during an outage of the embedder. Throws ConfigError for an unknown embedder or for dimensions that
   * differ from the given ones, EmbeddingError if the first call fails, RequestError `input_invalid` for numbers out of
   * range, and the signal's reason; vectors that were made stay.
   */
  reembed(options: ReembedOptions): Promise<ReembedResult>;
  /** Switches back to the kept vectors immediately, and keeps the current ones. Can be repeated. */
  rollback(agents?: readonly string[]): Promise<readonly AgentEmbeddings[]>;
  /** Deletes the kept vectors that no other agent uses. This cannot be undone. */
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
      "Make the vectors of another embedder and switch to it; a request that ends early is continued by the next",
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
