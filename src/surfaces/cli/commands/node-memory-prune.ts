// `palimpsest node-memory prune`.
import type { NodeMemorySummary } from "../../../runtime/node-memory.ts";
import { ageFlag } from "../parse/age-flag.ts";
import type { Command } from "../command.ts";
import { storeFlags } from "../parse/flags.ts";
import { printResult } from "../print.ts";

export const nodeMemoryPrune: Command = {
  words: ["node-memory", "prune"],
  usage: "--older-than AGE",
  summary: "delete node memories that were not written for a time",
  details:
    "Applies to this user, in all applications. --dry-run only lists them.\n" +
    "Deleting a conversation also deletes its node memories.",
  flags: ["older-than", "dry-run", "json", ...storeFlags],
  takes: { min: 0, max: 0 },
  async run(call) {
    const { line } = call;
    const ageMs = ageFlag(line, "older-than");
    const dryRun = line.switches.has("dry-run");
    const { nodeMemory } = await call.runtime();
    const found = await (dryRun ? nodeMemory.listUnused(ageMs) : nodeMemory.prune(ageMs));
    printResult(call, { json: { dryRun, memories: found.map(shapeOf) }, text: textOf(found, dryRun) });
    return 0;
  },
};

function shapeOf({ app, conversation, node, messages, bytes, updatedAt }: NodeMemorySummary): object {
  return { app, conversation, node, messages, bytes, updatedAt };
}

function textOf(found: readonly NodeMemorySummary[], dryRun: boolean): string {
  const lines = found.map(
    ({ app, conversation, node, messages, updatedAt }) =>
      `${app}/${conversation}/${node}  ${messages} messages  last written ${updatedAt.toISOString()}`,
  );
  const [memories, were] = found.length === 1 ? ["node memory", "was"] : ["node memories", "were"];
  return [...lines, `${found.length} ${memories} ${dryRun ? "would be" : were} deleted.`].join("\n");
}
