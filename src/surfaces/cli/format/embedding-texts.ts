// Texts of `palimpsest reembed`: the embedders of agents, and the results of its actions.
import { minute, tableText } from "./listing-texts.ts";
import { numberText } from "../../../base/window-words.ts";
import type { AgentEmbeddings, DroppedVectors, EmbeddingState, Reembedding } from "../runtime-records.ts";

/** A row for each embedder of each agent. */
export function embeddingsText(all: readonly AgentEmbeddings[]): string {
  const rows = all.flatMap(({ agent, searched, building, kept, dropping }) => [
    searched === null
      ? [agent.name, "searched", "none: words only", "", "", "", ""]
      : row(agent.name, "searched", searched),
    ...(building === null ? [] : [row(agent.name, "building", building)]),
    ...(kept === null ? [] : [row(agent.name, "kept", kept)]),
    ...dropping.map((state) => row(agent.name, "dropping", state)),
  ]);
  const heading = ["AGENT", "ROLE", "EMBEDDER", "DIMENSIONS", "TEXTS", "MISSING", "SINCE (UTC)"];
  const hints = [
    ...(all.some(({ building }) => building !== null)
      ? ["Being built: `palimpsest reembed --to MODEL` continues, --abandon deletes it."]
      : []),
    ...(all.some(({ kept }) => kept !== null)
      ? ["Kept: `palimpsest reembed --rollback` switches back to it, --drop-old deletes it."]
      : []),
    ...(all.some(({ dropping }) => dropping.length > 0)
      ? ["Abandoned: `palimpsest reembed --drop-old` continues to delete it."]
      : []),
  ];
  const table = tableText(heading, rows, "There are no agents yet.");
  return hints.length === 0 ? table : [table, "", ...hints].join("\n");
}

function row(
  name: string,
  role: string,
  { embedder, dimensions, since, texts, missing }: EmbeddingState,
): readonly string[] {
  const from = since === null ? "by default" : minute(since);
  return [name, role, embedder, String(dimensions), numberText(texts), numberText(missing), from];
}

/** `configured`: the embedder of new agents. */
export function reembeddedText({ to, agents, already, made, refused }: Reembedding, configured: string): string {
  const what = `${to.embedder} (${to.dimensions} dimensions)`;
  if (agents.length === 0) {
    return already.length === 0
      ? "There is nothing to do: there are no agents yet."
      : `There is nothing to do: ${already.join(", ")} already ${already.length === 1 ? "uses" : "use"} ${what}.`;
  }
  const refusals =
    refused === 0
      ? ""
      : `; ${numberText(refused)} ${refused === 1 ? "text" : "texts"} refused by it, found by words only`;
  return [
    `Switched to ${what}: ${agents.join(", ")}.`,
    `${numberText(made)} ${made === 1 ? "vector" : "vectors"} made${refusals}.`,
    "The old vectors are kept, and new texts also get vectors of the old embedder. To switch back: `palimpsest reembed --rollback`. To delete them: `palimpsest reembed --drop-old`.",
    ...(configured === to.embedder
      ? []
      : [`New agents use ${configured}, as set by \`embedding\` in the configuration.`]),
  ].join("\n");
}

export function droppedText({ agents, deleted }: DroppedVectors, action: "drop-old" | "abandon"): string {
  if (agents.length === 0 && deleted === 0) {
    return action === "drop-old"
      ? "There is nothing to delete: no vectors of an earlier embedder are kept."
      : "There is nothing to abandon: no vectors of another embedder are being built.";
  }
  const of = agents.length === 0 ? "" : ` (${agents.join(", ")})`;
  return `Deleted ${numberText(deleted)} vectors${of}. Those that other agents use stay.`;
}
