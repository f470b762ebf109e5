// `palimpsest memory show`.
import { ConfigError } from "../../errors.ts";
import type { ModuleView } from "../../runtime.ts";
import type { Command } from "../command.ts";
import { storeFlags } from "../flags.ts";
import { moduleShape } from "../listing-shapes.ts";
import { indent } from "../listing-texts.ts";
import { printResult } from "../print.ts";

export const memoryShow: Command = {
  words: ["memory", "show"],
  usage: "[LABEL]",
  summary: "show an agent's core memory",
  flags: ["agent", "json", ...storeFlags],
  takes: { least: 0, most: 1 },
  async run(call) {
    const modules = await (await call.runtime()).memory.show(call.agent);
    const [label] = call.words;
    const shown = label === undefined ? modules : modules.filter((module) => module.label === label);
    if (label !== undefined && shown.length === 0) {
      throw new ConfigError(
        `"${call.agent}" has no section "${label}". It has: ${modules.map((module) => module.label).join(", ")}.`,
      );
    }
    printResult(call, { json: shown.map(moduleShape), text: shown.map(moduleText).join("\n\n") });
    return 0;
  },
};

function moduleText(module: ModuleView): string {
  const marks = [
    `${module.length}/${module.limit} characters`,
    `revision ${module.revision}`,
    module.scope === "user" ? "yours" : "the agent's",
    ...(module.readOnly ? ["read-only"] : []),
  ];
  return `${module.label} (${marks.join(", ")})\n${module.value === "" ? "  (empty)" : indent(module.value)}`;
}
