// `palimpsest memory show`.
import { ConfigError } from "../../../base/errors.ts";
import type { ModuleView } from "../../../runtime/memory.ts";
import type { Command, CommandCall } from "../command.ts";
import { storeFlags } from "../parse/flags.ts";
import { coreModule } from "../parse/named-module.ts";
import { moduleShape } from "../format/listing-shapes.ts";
import { indent } from "../format/listing-texts.ts";
import { revisionFlag } from "../parse/number-flag.ts";
import { printResult } from "../print.ts";

export const memoryShow: Command = {
  words: ["memory", "show"],
  usage: "[LABEL [--at N]]",
  summary: "show an agent's core memory",
  flags: ["agent", "at", "json", ...storeFlags],
  takes: { min: 0, max: 1 },
  async run(call) {
    const shown = await shownModules(call);
    printResult(call, { json: shown.map(moduleShape), text: shown.map(moduleText).join("\n\n") });
    return 0;
  },
};

async function shownModules(call: CommandCall): Promise<readonly ModuleView[]> {
  const [label] = call.words;
  const at = revisionFlag(call.line, "at", 0);
  if (label === undefined && at !== undefined)
    throw new ConfigError(`--at needs a module, as in memory show human --at ${at}.`);
  const { memory } = await call.runtime();
  if (label === undefined) return memory.show(call.agent);
  const named = await coreModule(call, label);
  return at === undefined ? [named] : [await memory.at(call.agent, label, at)];
}

function moduleText(module: ModuleView): string {
  const marks = [
    `${module.length}/${module.limit} characters`,
    `revision ${module.revision}`,
    module.scope === "user" ? "yours" : "the agent's",
    ...(module.readOnly ? ["read-only"] : []),
  ];
  return `${module.label} (${marks.join(", ")})\n${module.value === "" ? "  (empty)" : indent(module.value)}`;
}
