// Embedders of agents for people.
import { minute, tableText } from "./listing-texts.ts";
import { numberText } from "../../window-words.ts";
import type { AgentEmbeddings, DroppedVectors, EmbeddingState, Reembedding } from "../runtime-records.ts";

/** A row for each embedder of each agent. */
export function embeddingsText(all: readonly AgentEmbeddings[]): string {
  const rows = all.flatMap(({ agent, searched, building, kept, dropping }) => [
    searched === null
      ? [agent.name, "searched", "none: by words alone", "", "", "", ""]
      : row(agent.name, "searched", searched),
    ...(building === null ? [] : [row(agent.name, "building", building)]),
    ...(kept === null ? [] : [row(agent.name, "kept", kept)]),
    ...dropping.map((state) => row(agent.name, "dropping", state)),
  ]);
  const heading = ["AGENT", "ROLE", "EMBEDDER", "DIMENSIONS", "TEXTS", "MISSING", "SINCE (UTC)"];
  const hints = [
    ...(all.some(({ building }) => building !== null)
      ? ["Being built: palimpsest reembed --to MODEL goes on with it, --abandon gives it up."]
      : []),
    ...(all.some(({ kept }) => kept !== null)
      ? ["Kept: palimpsest reembed --rollback goes back to it, --drop-old deletes it."]
      : []),
    ...(all.some(({ dropping }) => dropping.length > 0)
      ? ["Given up: palimpsest reembed --drop-old goes on deleting it."]
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

/** `configured`: by what new agents are searched. */
export function reembeddedText({ to, agents, already, made, refused }: Reembedding, configured: string): string {
  const what = `${to.embedder} (${to.dimensions} dimensions)`;
  if (agents.length === 0) {
    return already.length === 0
      ? "There is nothing to do: there are no agents yet."
      : `There is nothing to do: ${already.join(", ")} ${already.length === 1 ? "is" : "are"} searched by ${what} already.`;
  }
  const refusals =
    refused === 0
      ? ""
      : `; ${numberText(refused)} ${refused === 1 ? "text" : "texts"} refused by it, found by words alone`;
  return [
    `Searched by ${what} from now on: ${agents.join(", ")}.`,
    `${numberText(made)} ${made === 1 ? "vector" : "vectors"} made${refusals}.`,
    "What they were searched by is kept, and gets vectors of what is new. To go back: palimpsest reembed --rollback. To delete it: palimpsest reembed --drop-old.",
    ...(configured === to.embedder
      ? []
      : [`New agents are searched by ${configured}: \`embedding\` in the configuration says by what.`]),
  ].join("\n");
}

export function droppedText({ agents, deleted }: DroppedVectors, action: "drop-old" | "abandon"): string {
  if (agents.length === 0 && deleted === 0) {
    return action === "drop-old"
      ? "There is nothing to delete: no vectors of an earlier embedder are kept."
      : "There is nothing to give up: no vectors of another embedder are being built.";
  }
  const of = agents.length === 0 ? "" : ` (${agents.join(", ")})`;
  return `Deleted ${numberText(deleted)} vectors${of}. Those that other agents use stay.`;
}
