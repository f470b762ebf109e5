// `palimpsest reembed`.
import { nameCommand } from "../../../base/started-command.ts";
import { ConfigError } from "../../../base/errors.ts";
import type { Command, CommandCall } from "../command.ts";
import { embeddingsShape, reembeddingShape } from "../format/embedding-shapes.ts";
import { droppedText, embeddingsText, reembeddedText } from "../format/embedding-texts.ts";
import { type FlagName, storeFlags } from "../parse/flags.ts";
import { optionalNumberFlag, positiveFlag } from "../parse/number-flag.ts";
import { notice, printResult } from "../print.ts";
import { createProgressBar } from "../format/progress-bar.ts";
import { settingsOf } from "../parse/setting-flags.ts";

/** The actions, of which at most one can be given; without one, the command shows the current state. */
const actions = ["to", "rollback", "drop-old", "abandon"] as const satisfies readonly FlagName[];
/** Flags that are valid only with --to. */
const shaping = ["from-dim", "to-dim", "batch", "rate"] as const satisfies readonly FlagName[];

export const reembed: Command = {
  words: ["reembed"],
  usage: "[--to MODEL]",
  summary: "move agents to another embedder while searches continue",
  details:
    "Without an action, shows each agent's embedder. --to makes the vectors of another embedder while searches use the old\n" +
    "ones, and switches when all are made. After an interruption or a kill, the same command continues. The\n" +
    "old vectors are kept: --rollback switches back to them, any number of times, until --drop-old deletes them. --abandon\n" +
    "deletes an unfinished run. Applies to all agents, or to that of -a. The embedder's server and key are configured.",
  flags: ["agent", ...actions, ...shaping, "json", ...storeFlags],
  takes: { min: 0, max: 0 },
  handlesAbort: true,
  async run(call) {
    const { given, texts } = call.line;
    const [action, other] = actions.filter((name) => given.has(name));
    if (action !== undefined && other !== undefined) {
      throw new ConfigError(`Expected one of --${action} and --${other}, got both. Omit one.`);
    }
    const idle = shaping.find((name) => given.has(name));
    if (idle !== undefined && action !== "to") throw new ConfigError(`--${idle} needs --to MODEL.`);
    const agents = given.has("agent") ? { agents: [call.agent] } : {};
    switch (action) {
      case "to":
        return go(call, texts.to!, agents);
      case "rollback":
        return goBack(call, agents);
      case "drop-old":
      case "abandon":
        return drop(call, action, agents);
      default:
        return show(call, agents);
    }
  },
};

/** The agent of -a; absent for all agents. */
interface AgentFilter {
  readonly agents?: readonly string[];
}

async function show(call: CommandCall, { agents }: AgentFilter): Promise<number> {
  const all = await (await call.runtime()).embeddings.list(agents);
  printResult(call, { json: all.map(embeddingsShape), text: nameCommand(embeddingsText(all), call.world.command) });
  return 0;
}

async function go(call: CommandCall, to: string, filter: AgentFilter): Promise<number> {
  const { line, world } = call;
  const ratePerSecond = positiveFlag(line, "rate");
  const numbers = {
    fromDimensions: optionalNumberFlag(line, "from-dim", { min: 1, max: 16_000 }),
    toDimensions: optionalNumberFlag(line, "to-dim", { min: 1, max: 16_000 }),
    batch: optionalNumberFlag(line, "batch", { min: 1, max: 2048 }),
    ratePerSecond,
  };
  const { embeddings } = await call.runtime();
  const bar = createProgressBar(call);
  try {
    const result = await embeddings.reembed({
      ...filter,
      ...Object.fromEntries(Object.entries(numbers).filter(([, value]) => value !== undefined)),
      to,
      onProgress: ({ done, texts: total }) =>
        bar.show({ label: "Making vectors", done, total, share: done / total, name: "" }),
      signal: world.signal,
    });
    bar.clear();
    const { embedding } = await world.settings(settingsOf(line));
    printResult(call, {
      json: reembeddingShape(result),
      text: nameCommand(reembeddedText(result, embedding), call.world.command),
    });
    return 0;
  } finally {
    bar.clear();
    if (world.signal.aborted) notice(call, "The vectors made so far stay: the same command continues from there.");
  }
}

async function goBack(call: CommandCall, { agents }: AgentFilter): Promise<number> {
  const all = await (await call.runtime()).embeddings.rollback(agents);
  printResult(call, { json: all.map(embeddingsShape), text: nameCommand(embeddingsText(all), call.world.command) });
  return 0;
}

async function drop(call: CommandCall, action: "drop-old" | "abandon", filter: AgentFilter): Promise<number> {
  const { embeddings } = await call.runtime();
  const { signal } = call.world;
  try {
    const result = await (action === "drop-old" ? embeddings.dropOld : embeddings.abandon)({ ...filter, signal });
    printResult(call, { json: result, text: droppedText(result, action) });
    return 0;
  } finally {
    if (signal.aborted) notice(call, "The deletion is incomplete: the same command continues from there.");
  }
}
