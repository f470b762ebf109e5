// Lists and changes the embedders of agents: re-embeds, rolls back, and drops old vectors.
// Invariant: a refused request changes nothing.
import { ConfigError, inputInvalid, RequestError } from "../../base/errors.ts";
import type { EmbedderRole, VectorKind } from "../../store/port/embedder-store.ts";
import type { AgentRecord } from "../../store/port/records.ts";
import type {
  AgentEmbeddings,
  DropVectorsOptions,
  DropVectorsResult,
  EmbeddingState,
  ReembedOptions,
} from "../../memory/vectors/reembedding.ts";
import { isSameKind } from "../../memory/vectors/embedders.ts";
import { kindOf } from "../../memory/vectors/unembedded.ts";
import type { EmbeddingOperations } from "./contract.ts";
import { findAgent } from "../agents/find-agent.ts";
import type { OperationDeps } from "../operations/operation-deps.ts";
import { reembed } from "./reembed.ts";

type EmbeddingDeps = Pick<OperationDeps, "store" | "embedders" | "backFill" | "clock">;

/** Number of vectors deleted per transaction: few enough that other writers do not wait long. */
const dropBatch = 1000;

export function createEmbeddingOperations(deps: EmbeddingDeps): EmbeddingOperations {
  const { embedders } = deps.store;
  return {
    list: async (names) => listEmbeddings(deps, await findAgents(deps, names)),
    async reembed(options) {
      checkNumbers(options);
      const defaultKind = kindOf(requireDefault(deps).embedder);
      const agents = await findAgents(deps, options.agents);
      const target = await deps.embedders.open(options.to, options.toDimensions);
      const to = kindOf(target.embedder);
      await checkWidth(deps, agents, { expected: options.fromDimensions, defaultKind, to });
      return reembed(deps, agents, { target, defaultKind, options });
    },
    async rollback(names) {
      const agents = await findAgents(deps, names);
      const changed = await embedders.rollBack(agents.map(({ id }) => id));
      if (changed.length === 0) {
        throw new RequestError(
          "reembedding_refused",
          "There is nothing to roll back to: no vectors of an earlier embedder are kept. `runtime.embeddings.list()` lists the embedders.",
        );
      }
      deps.backFill.wake();
      return listEmbeddings(
        deps,
        agents.filter(({ id }) => changed.includes(id)),
      );
    },
    dropOld: (options = {}) => drop(deps, "kept", options),
    abandon: (options = {}) => drop(deps, "building", options),
  };
}

async function findAgents(
  deps: Pick<OperationDeps, "store">,
  names: readonly string[] | undefined,
): Promise<readonly AgentRecord[]> {
  if (names === undefined) return deps.store.agents.list();
  const found = new Map<string, AgentRecord>();
  for (const name of names) {
    const agent = await findAgent(deps, name);
    found.set(agent.id, agent);
  }
  return [...found.values()];
}

function requireDefault({ embedders }: Pick<OperationDeps, "embedders">) {
  if (embedders.default !== null) return embedders.default;
  throw new ConfigError(
    "Expected an embedder to switch from, got none. Set `embedding` to the embedder that searches use now, or omit the setting.",
  );
}

function checkNumbers({ batch, ratePerSecond, fromDimensions, toDimensions }: ReembedOptions): void {
  checkWhole("batch", batch, 2048);
  checkWhole("fromDimensions", fromDimensions, 16_000);
  checkWhole("toDimensions", toDimensions, 16_000);
  if (ratePerSecond === undefined || (Number.isFinite(ratePerSecond) && ratePerSecond > 0)) return;
  throw inputInvalid(`Expected \`ratePerSecond\` to be a number above 0, got ${String(ratePerSecond)}.`);
}

function checkWhole(name: string, value: number | undefined, max: number): void {
  if (value === undefined || (Number.isInteger(value) && value >= 1 && value <= max)) return;
  throw inputInvalid(`Expected \`${name}\` to be a whole number from 1 to ${max}, got ${String(value)}.`);
}

interface WidthCheck {
  readonly expected: number | undefined;
  readonly defaultKind: VectorKind;
  readonly to: VectorKind;
}

/** Throws ConfigError for an agent whose vectors do not have `expected` dimensions, unless the agent already uses `to`. */
async function checkWidth(
  { store }: Pick<OperationDeps, "store">,
  agents: readonly AgentRecord[],
  { expected, defaultKind, to }: WidthCheck,
): Promise<void> {
  if (expected === undefined) return;
  const rows = await store.embedders.list();
  for (const { id, name } of agents) {
    const searched = rows.find((row) => row.agentId === id && row.role === "searched") ?? defaultKind;
    const { embedder, dimensions } = searched;
    if (dimensions === expected || isSameKind(searched, to)) continue;
    throw new ConfigError(
      `Expected the vectors of "${name}" to have ${expected} dimensions, got ${dimensions} (${embedder}). Nothing was started.`,
    );
  }
}

async function listEmbeddings(
  { store, embedders }: Pick<OperationDeps, "store" | "embedders">,
  agents: readonly AgentRecord[],
): Promise<readonly AgentEmbeddings[]> {
  const rows = await store.embedders.list();
  const ids = agents.map(({ id }) => id);
  const counted = new Map<string, Promise<ReadonlyMap<string, { readonly texts: number; readonly missing: number }>>>();
  const stateOf = async (agentId: string, kind: VectorKind, since: Date | null): Promise<EmbeddingState> => {
    const key = `${kind.dimensions} ${kind.embedder}`;
    const counting =
      counted.get(key) ??
      store.embedders.coverage(kind, ids).then((all) => new Map(all.map((one) => [one.agentId, one] as const)));
    counted.set(key, counting);
    const { texts, missing } = (await counting).get(agentId) ?? { texts: 0, missing: 0 };
    return { embedder: kind.embedder, dimensions: kind.dimensions, since, texts, missing };
  };
  return Promise.all(
    agents.map(async ({ id, name }) => {
      const own = rows.filter((row) => row.agentId === id);
      const inRole = async (role: EmbedderRole) =>
        Promise.all(own.filter((row) => row.role === role).map((row) => stateOf(id, row, row.since)));
      const [[searched = null], [building = null], [kept = null], dropping] = [
        await inRole("searched"),
        await inRole("building"),
        await inRole("kept"),
        await inRole("dropping"),
      ];
      const usual = async (): Promise<EmbeddingState | null> =>
        embedders.default === null ? null : stateOf(id, kindOf(embedders.default.embedder), null);
      return { agent: { id, name }, searched: searched ?? (await usual()), building, kept, dropping };
    }),
  );
}

async function drop(
  deps: Pick<OperationDeps, "store">,
  role: "kept" | "building",
  { agents: names, onProgress, signal }: DropVectorsOptions,
): Promise<DropVectorsResult> {
  const { embedders } = deps.store;
  const agents = await findAgents(deps, names);
  const retired = await embedders.retire(
    agents.map(({ id }) => id),
    role,
  );
  let deleted = 0;
  for (let isDone = false; !isDone; ) {
    signal?.throwIfAborted();
    const step = await embedders.drop(dropBatch);
    deleted += step.deleted;
    isDone = step.isDone;
    if (step.deleted > 0) onProgress?.({ deleted });
  }
  return { agents: agents.filter(({ id }) => retired.includes(id)).map(({ name }) => name), deleted };
}
