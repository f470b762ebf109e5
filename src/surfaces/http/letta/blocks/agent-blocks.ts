// The blocks of an agent: its modules, in their order.
// Invariant: a block is found by the id of its module, which also an agent of another user shows.
import { RevisionConflictError } from "../../../../base/errors.ts";
import type { UserRuntime } from "../../../../runtime/runtime.ts";
import { WireFault } from "../wire-fault.ts";
import { type BlockChange, type Module, moduleChangeOf, shownBlock } from "./shown-block.ts";

type Runtime = Pick<UserRuntime, "agents" | "modules">;

/** Throws RequestError `agent_not_found`. */
export async function blocksOf({ agents, modules }: Runtime, agent: string) {
  const { id } = await agents.find(agent);
  return (await modules.ofAgents([id])).map(shownBlock);
}

/** Throws WireFault with the status 404 if the agent has no block of that label. */
export async function blockOf(runtime: Runtime, agent: string, label: string) {
  const found = (await blocksOf(runtime, agent)).find((block) => block.label === label);
  if (found !== undefined) return found;
  const detail = `No block with label '${label}' found for agent 'agent-${agent}'`;
  throw new WireFault(404, "module_not_found", { detail });
}

/** Attempts to change a module that is edited meanwhile. */
const maxAttempts = 5;

/** Changes a block. The text replaces whatever it is by then, as clients expect. */
export async function changeBlock(
  { modules }: Pick<UserRuntime, "modules">,
  id: string,
  change: BlockChange,
): Promise<Module> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await modules.update(id, moduleChangeOf(change));
    } catch (error) {
      if (!(error instanceof RevisionConflictError) || attempt === maxAttempts) throw error;
    }
  }
}
