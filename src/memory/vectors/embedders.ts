// The embedders that a runtime has open, and which of them is for whom.
// Invariant: what cannot be opened here holds nobody up: its agents are searched by words, and nothing of them is lost.
import type { GuardedEmbedder } from "../../embedding/embedder.ts";
import type { AgentEmbedder, EmbedderRole, EmbedderStore, VectorKind } from "../embedder-store.ts";
import type { RefusedTexts } from "./refused-texts.ts";
import { kindOf } from "./unembedded.ts";

/** An embedder that can be asked, with the texts that it refuses. */
export interface OpenEmbedder {
  readonly embedder: GuardedEmbedder;
  readonly refused: RefusedTexts;
}

export interface Embedders {
  /** Of agents without one of their own; null: no vectors are made at all, and every search is by words. */
  readonly default: OpenEmbedder | null;
  /** Null for one that cannot be opened here, which is told once, and where no vectors are made. */
  find(kind: VectorKind): Promise<OpenEmbedder | null>;
  /**
   * By its name, and by its width where the name does not tell it. Throws ConfigError for a name that is not known, for one that
   * lacks what it needs, and for another width than its own.
   */
  open(name: string, dimensions?: number): Promise<OpenEmbedder>;
  close(): Promise<void>;
}

/** What an agent's queries are made vectors of with. */
export interface SearchedBy {
  /** Null: by words alone. */
  readonly embedder: GuardedEmbedder | null;
  /** There is to be one, whether or not it can be opened. */
  readonly isWanted: boolean;
}

/** An embedder that makes vectors of an agent's texts. `building`: of what is new, as a re-embedding makes the others. */
export interface AgentMaker extends OpenEmbedder {
  readonly role: "searched" | "building" | "kept";
}

export interface EmbedderDeps {
  readonly embedders: Embedders;
  readonly store: Pick<EmbedderStore, "list">;
}

/** Asked of the store each time: another process may have switched. */
export async function searchedBy(agentId: string, { embedders, store }: EmbedderDeps): Promise<SearchedBy> {
  if (embedders.default === null) return { embedder: null, isWanted: false };
  const own = (await store.list(agentId)).find(({ role }) => role === "searched");
  const found = own === undefined ? embedders.default : await embedders.find(own);
  return { embedder: found?.embedder ?? null, isWanted: true };
}

/** Those that can be opened here, the one that is searched by first. */
export async function makersOf(agentId: string, { embedders, store }: EmbedderDeps): Promise<readonly AgentMaker[]> {
  if (embedders.default === null) return [];
  return openAll(embedders, await store.list(agentId));
}

async function openAll(embedders: Embedders, rows: readonly AgentEmbedder[]): Promise<readonly AgentMaker[]> {
  const makers: AgentMaker[] = [];
  for (const role of ["searched", "kept", "building"] as const) {
    const row = rows.find((one) => one.role === role);
    const isDefault = row === undefined && role === "searched";
    const found = row === undefined ? null : await embedders.find(row);
    const maker = isDefault ? embedders.default : found;
    if (maker !== null) makers.push({ ...maker, role });
  }
  return makers;
}

/** Roles whose vectors are made of everything, whoever has it open. What is being built is the work of whoever re-embeds. */
const madeEverywhere: readonly EmbedderRole[] = ["searched", "kept"];

/** The default, and what agents are searched by or keep, whether or not it can be opened here. */
export async function kindsInUse({ embedders, store }: EmbedderDeps): Promise<readonly VectorKind[]> {
  const kinds: VectorKind[] = embedders.default === null ? [] : [kindOf(embedders.default.embedder)];
  for (const { embedder, dimensions, role } of await store.list()) {
    const kind = { embedder, dimensions };
    if (madeEverywhere.includes(role) && !kinds.some((one) => isSameKind(one, kind))) kinds.push(kind);
  }
  return kinds;
}

export function isSameKind(one: VectorKind, other: VectorKind): boolean {
  return one.embedder === other.embedder && one.dimensions === other.dimensions;
}

/** The texts that are to have vectors of it wherever a runtime is open. */
export function needOf(kind: VectorKind, embedders: Pick<Embedders, "default">) {
  const isDefault = embedders.default !== null && isSameKind(kind, kindOf(embedders.default.embedder));
  return { ...kind, roles: madeEverywhere, isDefault };
}
