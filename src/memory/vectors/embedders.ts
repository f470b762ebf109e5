// Defines the open embedders of a runtime, and chooses the embedders of each agent.
// Invariant: an embedder that cannot be opened here blocks nothing: its agents are searched by words, and no data is
// lost.
import type { GuardedEmbedder } from "../../model/embedding/embedder.ts";
import type { AgentEmbedder, EmbedderRole, EmbedderStore, VectorKind } from "../../store/port/embedder-store.ts";
import type { RefusedTexts } from "./refused-texts.ts";
import { kindOf } from "./unembedded.ts";

export interface OpenEmbedder {
  readonly embedder: GuardedEmbedder;
  readonly refused: RefusedTexts;
}

export interface Embedders {
  /** The embedder of agents without their own; null: no vectors are made, and every search is by words. */
  readonly default: OpenEmbedder | null;
  /**
   * Returns the open embedder that makes vectors of this kind; null if it cannot be opened here, which is reported
   * once, or if no vectors are made.
   */
  find(kind: VectorKind): Promise<OpenEmbedder | null>;
  /**
   * Opens an embedder by name, and by dimensions if the name does not determine them. Throws ConfigError for an unknown
   * name, for a missing requirement, and for dimensions other than its own.
   */
  open(name: string, dimensions?: number): Promise<OpenEmbedder>;
  close(): Promise<void>;
}

/** The embedder of an agent's queries. */
export interface SearchedBy {
  /** Null: searches compare words only. */
  readonly embedder: GuardedEmbedder | null;
  /** Whether an embedder is configured, even if it cannot be opened. */
  readonly isWanted: boolean;
}

/**
 * An embedder that makes vectors of an agent's texts. In the role `building` it makes only those of new texts; a
 * re-embedding makes the others.
 */
export interface OpenAgentEmbedder extends OpenEmbedder {
  readonly role: "searched" | "building" | "kept";
}

export interface EmbedderDeps {
  readonly embedders: Embedders;
  readonly store: Pick<EmbedderStore, "list" | "searched">;
}

/** Returns the embedder for an agent's queries. `last`: as last read if it can be opened; otherwise, as stored `now`. */
export async function searchedBy(agentId: string, deps: EmbedderDeps, asOf: "last" | "now"): Promise<SearchedBy> {
  const { embedders, store } = deps;
  if (embedders.default === null) return { embedder: null, isWanted: false };
  const own = await store.searched(agentId, asOf);
  const found = own === undefined ? embedders.default : await embedders.find(own);
  if (found === null && asOf === "last") return searchedBy(agentId, deps, "now");
  return { embedder: found?.embedder ?? null, isWanted: true };
}

/** Returns the embedders of an agent that can be opened here; the one for its queries is first. */
export async function embeddersOfAgent(
  agentId: string,
  { embedders, store }: EmbedderDeps,
): Promise<readonly OpenAgentEmbedder[]> {
  if (embedders.default === null) return [];
  return openAll(embedders, await store.list(agentId));
}

async function openAll(embedders: Embedders, rows: readonly AgentEmbedder[]): Promise<readonly OpenAgentEmbedder[]> {
  const opened: OpenAgentEmbedder[] = [];
  for (const role of ["searched", "kept", "building"] as const) {
    const row = rows.find((one) => one.role === role);
    const isDefault = row === undefined && role === "searched";
    const found = row === undefined ? null : await embedders.find(row);
    const embedder = isDefault ? embedders.default : found;
    if (embedder !== null) opened.push({ ...embedder, role });
  }
  return opened;
}

/** Roles for which every open runtime makes vectors of all texts. In the role `building`, a re-embedding makes them. */
const alwaysMadeRoles: readonly EmbedderRole[] = ["searched", "kept"];

/**
 * Returns the embedders for which vectors are made, by name and dimensions: the default one, and those that agents search or
 * keep, even if they cannot be opened here.
 */
export async function kindsInUse({ embedders, store }: EmbedderDeps): Promise<readonly VectorKind[]> {
  const kinds: VectorKind[] = embedders.default === null ? [] : [kindOf(embedders.default.embedder)];
  for (const { embedder, dimensions, role } of await store.list()) {
    const kind = { embedder, dimensions };
    if (alwaysMadeRoles.includes(role) && !kinds.some((one) => isSameKind(one, kind))) kinds.push(kind);
  }
  return kinds;
}

export function isSameKind(one: VectorKind, other: VectorKind): boolean {
  return one.embedder === other.embedder && one.dimensions === other.dimensions;
}

/** Selects the texts for which every open runtime makes vectors of this embedder. */
export function needOf(kind: VectorKind, embedders: Pick<Embedders, "default">) {
  const isDefault = embedders.default !== null && isSameKind(kind, kindOf(embedders.default.embedder));
  return { ...kind, roles: alwaysMadeRoles, isDefault };
}
