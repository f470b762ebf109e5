// The JSON of embedders of agents, field by field. Described in docs/cli.md.
// Invariant: fields are added, never renamed or removed; dates are ISO 8601 in UTC.
import type { AgentEmbeddings, EmbeddingState, Reembedding } from "../runtime-records.ts";

export function embeddingsShape({ agent, searched, building, kept, dropping }: AgentEmbeddings): object {
  return {
    agent: { id: agent.id, name: agent.name },
    searched: stateShape(searched),
    building: stateShape(building),
    kept: stateShape(kept),
    dropping: dropping.map(stateShape),
  };
}

export function reembeddingShape({ to, agents, already, made, refused }: Reembedding): object {
  return { to: { embedder: to.embedder, dimensions: to.dimensions }, agents, already, made, refused };
}

function stateShape(state: EmbeddingState | null): object | null {
  if (state === null) return null;
  const { embedder, dimensions, since, texts, missing } = state;
  return { embedder, dimensions, since, texts, missing };
}
