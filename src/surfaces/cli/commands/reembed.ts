// `palimpsest reembed`: the embedders of agents, and the move to another one.
import { ConfigError } from "../../../base/errors.ts";
import { nameCommand } from "../../../base/started-command.ts";
import { numberText } from "../../../base/window-words.ts";
import { type CommandCall, commandTable, type Result } from "../command.ts";
import { counted, minute, tableText } from "../format/listing-texts.ts";
import { withProgressBar } from "../format/progress-bar.ts";
import { optionalNumberFlag, positiveFlag, settingsOf } from "../parse/flag-values.ts";
import { given } from "../../../base/given.ts";
import type { FlagName } from "../parse/flags.ts";
import { notice } from "../print.ts";
import type { AgentEmbeddings, DroppedVectors, EmbeddingState, Reembedding } from "../runtime-records.ts";

/** The flags of actions. At most one can be given; without one, the command shows the current state. */
const actions = ["to", "rollback", "drop-old", "abandon"] as const satisfies readonly FlagName[];
/** Flags that are valid only with --to. */
const shaping = ["from-dim", "to-dim", "batch", "rate"] as const satisfies readonly FlagName[];

export const commands = commandTable({
  reembed: {
    usage: "[--to MODEL]",
    summary: "move agents to another embedder while searches continue",
    details:
      "Without an action, shows each agent's embedder. --to makes the vectors of another embedder while searches use the old\n" +
      "ones, and switches when all are made. After an interruption or a kill, the same command continues. The\n" +
      "old vectors are kept: --rollback switches back to them, any number of times, until --drop-old deletes them. --abandon\n" +
      "deletes an unfinished run. Applies to all agents, or to that of -a. The embedder's server and key are settings.",
    flags: ["agent", ...actions, ...shaping, "json"],
    handlesAbort: true,
    async run(call) {
      const { line } = call;
      const [action, other] = actions.filter((name) => line.given.has(name));
      if (action !== undefined && other !== undefined) {
        throw new ConfigError(`Expected one of --${action} and --${other}, got both. Omit one.`);
      }
      const idle = shaping.find((name) => line.given.has(name));
      if (idle !== undefined && action !== "to") throw new ConfigError(`--${idle} needs --to MODEL.`);
      const filter = line.given.has("agent") ? { agents: [call.agent] } : {};
      switch (action) {
        case "to":
          return reembed(call, line.texts.to!, filter);
        case "rollback":
          return listed(call, await (await call.runtime()).embeddings.rollback(filter.agents));
        case "drop-old":
        case "abandon":
          return drop(call, action, filter);
        default:
          return listed(call, await (await call.runtime()).embeddings.list(filter.agents));
      }
    },
  },
});

/** The agents that the command applies to. Default: all agents. */
interface AgentFilter {
  readonly agents?: readonly string[];
}

function listed({ world }: CommandCall, all: readonly AgentEmbeddings[]): Result {
  return { json: all, text: nameCommand(embeddingsText(all), world.command) };
}

async function reembed(call: CommandCall, to: string, filter: AgentFilter): Promise<Result> {
  const { line, world } = call;
  const numbers = given({
    fromDimensions: optionalNumberFlag(line, "from-dim", { min: 1, max: 16_000 }),
    toDimensions: optionalNumberFlag(line, "to-dim", { min: 1, max: 16_000 }),
    batch: optionalNumberFlag(line, "batch", { min: 1, max: 2048 }),
    ratePerSecond: positiveFlag(line, "rate"),
  });
  const { embeddings } = await call.runtime();
  const advice = "The vectors made so far are kept. Run the same command again to continue.";
  const result = await withProgressBar(call, advice, (bar) =>
    embeddings.reembed({
      ...filter,
      ...numbers,
      to,
      onProgress: ({ done, texts: total }) =>
        bar.show({ label: "Making vectors", done, total, share: done / total, name: "" }),
      signal: world.signal,
    }),
  );
  const { embedding } = await world.settings(settingsOf(line));
  return { json: result, text: nameCommand(reembeddedText(result, embedding), world.command) };
}

async function drop(call: CommandCall, action: "drop-old" | "abandon", filter: AgentFilter): Promise<Result> {
  const { embeddings } = await call.runtime();
  const { signal } = call.world;
  try {
    const result = await (action === "drop-old" ? embeddings.dropOld : embeddings.abandon)({ ...filter, signal });
    return { json: result, text: droppedText(result, action) };
  } finally {
    if (signal.aborted) notice(call, "The deletion is incomplete. Run the same command again to continue.");
  }
}

/** Returns a table with a row for each embedder of each agent, followed by the commands that the user can run next. */
function embeddingsText(all: readonly AgentEmbeddings[]): string {
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

/** Returns the result of a re-embedding as text. `configured` is the embedder of new agents. */
function reembeddedText({ to, agents, already, made, refused }: Reembedding, configured: string): string {
  const what = `${to.embedder} (${to.dimensions} dimensions)`;
  if (agents.length === 0) {
    return already.length === 0
      ? "There is nothing to do: there are no agents yet."
      : `There is nothing to do: ${already.join(", ")} already ${already.length === 1 ? "uses" : "use"} ${what}.`;
  }
  const refusals = refused === 0 ? "" : `; ${counted(refused, "text")} refused by the embedder, found by words only`;
  return [
    `Switched to ${what}: ${agents.join(", ")}.`,
    `${counted(made, "vector")} made${refusals}.`,
    "The old vectors are kept, and new texts also get vectors of the old embedder. To switch back: `palimpsest reembed --rollback`. To delete them: `palimpsest reembed --drop-old`.",
    ...(configured === to.embedder
      ? []
      : [`New agents use ${configured}, as set by \`embedding\` in the configuration.`]),
  ].join("\n");
}

function droppedText({ agents, deleted }: DroppedVectors, action: "drop-old" | "abandon"): string {
  if (agents.length === 0 && deleted === 0) {
    return action === "drop-old"
      ? "There is nothing to delete: no vectors of an earlier embedder are kept."
      : "There is nothing to abandon: no vectors of another embedder are being built.";
  }
  const of = agents.length === 0 ? "" : ` (${agents.join(", ")})`;
  return `Deleted ${numberText(deleted)} vectors${of}. Those that other agents use stay.`;
}
