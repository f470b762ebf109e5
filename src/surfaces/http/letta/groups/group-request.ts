// The requests that create and change groups.
// Invariant: a request for something that this server does not have is refused, never ignored.
import * as z from "zod";
import { idOf } from "../ids.ts";
import { each, flag, text } from "../wire-record.ts";

export const managerKinds = ["round_robin", "supervisor", "dynamic", "sleeptime"] as const;

const agentIds = z.array(idOf("agent")).min(1).max(100);

const managerType = z.enum(managerKinds, {
  error: `Expected one of ${managerKinds.join(", ")}: this server has no other managers of groups.`,
});

const manager = {
  manager_agent_id: idOf("agent").nullish(),
  ...each(z.int().min(1).nullish(), "max_turns", "sleeptime_agent_frequency"),
  termination_token: text.min(1).nullish(),
};

const noBlocks = z.array(text).max(0, "Expected none: attach the blocks to the agents of the group.").nullish();

export const groupChange = z.object({
  agent_ids: agentIds.nullish(),
  ...each(text.nullish(), "description", "project_id"),
  manager_config: z.object({ ...manager, manager_type: managerType.optional() }).nullish(),
  shared_block_ids: noBlocks,
});

export const newGroup = groupChange.extend({
  agent_ids: agentIds,
  description: text,
  hidden: flag.nullish(),
  manager_config: z
    .object({ ...manager, manager_type: managerType })
    .refine(({ manager_type: type, manager_agent_id: id }) => type === "round_robin" || (id ?? null) !== null, {
      path: ["manager_agent_id"],
      message: "Expected the id of the agent that manages the group.",
    })
    .default({ manager_type: "round_robin" }),
});

export type NewGroup = z.output<typeof newGroup>;
export type GroupChange = z.output<typeof groupChange>;
