// A section of core memory that was named on the command line.
import { ConfigError } from "../../errors.ts";
import type { ModuleView } from "../../runtime/memory.ts";
import type { CommandCall } from "../command.ts";

/** Throws ConfigError, with those there are, when the agent has none of that name. */
export async function namedSection(call: CommandCall, label: string): Promise<ModuleView> {
  const modules = await (await call.runtime()).memory.show(call.agent);
  const named = modules.find((module) => module.label === label);
  if (named !== undefined) return named;
  throw new ConfigError(
    `"${call.agent}" has no section "${label}". It has: ${modules.map((module) => module.label).join(", ")}.`,
  );
}
