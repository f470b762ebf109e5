// Finds the section of core memory that the command line names.
import { ConfigError } from "../../errors.ts";
import type { ModuleView } from "../../runtime/memory.ts";
import type { CommandCall } from "../command.ts";

/** Throws ConfigError with the existing names if the agent has no section of that name. */
export async function namedSection(call: CommandCall, label: string): Promise<ModuleView> {
  const modules = await (await call.runtime()).memory.show(call.agent);
  const named = modules.find((module) => module.label === label);
  if (named !== undefined) return named;
  throw new ConfigError(
    `"${call.agent}" has no section "${label}". It has: ${modules.map((module) => module.label).join(", ")}.`,
  );
}
