// Plans the rows that the start of a re-embedding writes, or says why the re-embedding may not start.
// Invariant: pure; all agents start, or none.
import type { EmbedderRole, VectorKind } from "../port/embedder-store.ts";

/** An agent with one of its embedders. An agent without an embedder has one row, with nulls. */
export interface PlannedAgent {
  readonly agentId: string;
  readonly name: string;
  readonly embedder: string | null;
  readonly dimensions: number | null;
  readonly role: EmbedderRole | null;
}

export interface ReembeddingStart {
  /** Why the re-embedding may not start, as a text for the user; null if it may. If it may not, nothing is written. */
  readonly refusal: string | null;
  /** The agents whose new embedder has the role `building` once the re-embedding has started. */
  readonly building: readonly string[];
  readonly added: readonly (VectorKind & { readonly agentId: string; readonly role: EmbedderRole })[];
}

/** Returns the plan. `otherwise`: the embedder of agents that have none of their own. */
export function planStart(
  rows: readonly PlannedAgent[],
  { to, otherwise }: { readonly to: VectorKind; readonly otherwise: VectorKind },
): ReembeddingStart {
  const building: string[] = [];
  const added: ReembeddingStart["added"][number][] = [];
  for (const agentId of new Set(rows.map((row) => row.agentId))) {
    const own = rows.filter((row) => row.agentId === agentId);
    const inRole = (role: EmbedderRole): VectorKind | null => kindIn(own, role);
    const searched = inRole("searched");
    const refusal = refusalFor(own[0]!.name, to, { built: inRole("building"), kept: inRole("kept"), searched });
    if (refusal !== null) return { refusal, building: [], added: [] };
    if (same(searched ?? otherwise, to)) continue;
    building.push(agentId);
    if (searched === null) added.push({ ...otherwise, agentId, role: "searched" });
    if (inRole("building") === null) added.push({ ...to, agentId, role: "building" });
  }
  return { refusal: null, building, added };
}

function kindIn(rows: readonly PlannedAgent[], role: EmbedderRole): VectorKind | null {
  const row = rows.find((one) => one.role === role);
  return row === undefined ? null : { embedder: row.embedder!, dimensions: row.dimensions! };
}

function refusalFor(
  name: string,
  to: VectorKind,
  has: { readonly built: VectorKind | null; readonly kept: VectorKind | null; readonly searched: VectorKind | null },
): string | null {
  const { built, kept, searched } = has;
  if (built !== null && !same(built, to)) {
    return `Agent "${name}" is being re-embedded to ${textOf(built)}, not to ${textOf(to)}. Finish that re-embedding, or abandon it: \`runtime.embeddings.abandon()\`.`;
  }
  if (kept === null || same(searched ?? kept, to)) return null;
  return same(kept, to)
    ? `Agent "${name}" still has all vectors of its previous embedder, ${textOf(to)}: \`runtime.embeddings.rollback()\` switches back to them at once.`
    : `Agent "${name}" still keeps the vectors of ${textOf(kept)} for a rollback. Delete them first (\`runtime.embeddings.dropOld()\`), or switch back (\`runtime.embeddings.rollback()\`).`;
}

function same(one: VectorKind, other: VectorKind): boolean {
  return one.embedder === other.embedder && one.dimensions === other.dimensions;
}

function textOf({ embedder, dimensions }: VectorKind): string {
  return `${embedder} (${dimensions} dimensions)`;
}
