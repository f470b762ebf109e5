// Stores groups of agents, and converts them to the form of Letta's API.
// Invariant: a group belongs to the agent that leads it: its manager, or else its first agent. The group is stored in
// this agent's `extensions`, and is deleted with the agent. A request for something that this server does not have is refused.
import { randomUUID } from "node:crypto";
import * as z from "zod";
import type { UserRuntime } from "../../../../runtime/runtime.ts";
import { idOf } from "../ids.ts";
import type { AgentRecord } from "../runtime-records.ts";
import { invalidArgument, WireFault } from "../wire-fault.ts";
import { each, emptyList, flag, given, nullableText, nulls, recordOf, text, texts, whole } from "../wire-record.ts";

const managerKinds = ["round_robin", "supervisor", "dynamic", "sleeptime"] as const;

const agentIds = z.array(idOf("agent")).min(1).max(100);

const managerType = z.enum(managerKinds, {
  error: `Expected one of ${managerKinds.join(", ")}: this server has no other types of managers.`,
});

const manager = {
  manager_agent_id: idOf("agent").nullish(),
  ...each(z.int().min(1).nullish(), "max_turns", "sleeptime_agent_frequency"),
  termination_token: text.min(1).nullish(),
};

const noBlocks = z.array(text).max(0, "Expected no blocks: attach them to the agents of the group.").nullish();

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

/** The key of the groups in an agent's `extensions`. */
const key = "lettaGroups";

const groupShape = z.object({
  id: text,
  createdAt: text,
  description: text,
  /** Can be empty if the group has a manager, because deleted agents are removed. */
  agentIds: z.array(text),
  managerType: z.enum(managerKinds),
  managerId: nullableText,
  maxTurns: whole.nullable(),
  terminationToken: nullableText,
  frequency: whole.nullable(),
  /** The number of the manager's turns since the background agents last ran; null without a frequency. */
  turns: whole.nullable(),
  projectId: nullableText,
  isHidden: flag.nullable(),
  /** The keys of the user's messages that the current or interrupted round answers; null without such a round. */
  round: z.array(text).min(1).nullable().default(null),
});

export type Group = Readonly<z.output<typeof groupShape>>;

export const groupRecord = recordOf<Group>()({
  ...nulls("template_id", "base_template_id", "deployment_id", "last_processed_message_id"),
  ...nulls("max_message_buffer_length", "min_message_buffer_length"),
  shared_block_ids: emptyList,
  id: [text, ({ id }) => `group-${id}`],
  manager_type: [z.enum(managerKinds), "managerType"],
  agent_ids: [texts, ({ agentIds }) => agentIds.map((id) => `agent-${id}`)],
  description: [text, "description"],
  manager_agent_id: [nullableText, ({ managerId }) => (managerId === null ? null : `agent-${managerId}`)],
  termination_token: [nullableText, "terminationToken"],
  max_turns: [whole.nullable(), "maxTurns"],
  sleeptime_agent_frequency: [whole.nullable(), "frequency"],
  turns_counter: [whole.nullable(), "turns"],
  project_id: [nullableText, "projectId"],
  hidden: [flag.nullable(), "isHidden"],
});

type Runtime = Pick<UserRuntime, "agents">;
type Stored = Pick<AgentRecord, "id" | "extensions">;

function leaderOf({ managerId, agentIds }: Pick<Group, "managerId" | "agentIds">): string {
  return managerId ?? agentIds[0]!;
}

/** Returns the groups that an agent leads. The copy of an agent stores the original's groups, too, but does not lead them. */
function groupsLedBy({ id, extensions }: Stored): readonly Group[] {
  return itemsIn(extensions).flatMap((item) => {
    const { data } = groupShape.safeParse(item);
    return data !== undefined && leaderOf(data) === id ? [data] : [];
  });
}

function itemsIn({ [key]: items }: Stored["extensions"]): readonly unknown[] {
  return Array.isArray(items) ? items : [];
}

/** Returns the JSON of the first group that the agent manages; null for none. */
export function managedGroupOf({ record }: { readonly record: Stored }) {
  const managed = groupsLedBy(record).find(({ managerId }) => managerId === record.id);
  return managed === undefined ? null : groupRecord.show(managed);
}

/** Returns all groups, oldest first, without agents that were deleted. */
export async function listGroups({ agents }: Runtime): Promise<readonly Group[]> {
  const all = await agents.list();
  const ids = new Set(all.map(({ id }) => id));
  return all
    .flatMap(groupsLedBy)
    .map((group) => ({ ...group, agentIds: group.agentIds.filter((id) => ids.has(id)) }))
    .toSorted((one, other) => (one.createdAt < other.createdAt ? -1 : 1));
}

/** Returns the group with this UUID. Throws WireFault if there is none. */
export async function findGroup(runtime: Runtime, id: string): Promise<Group> {
  const found = (await listGroups(runtime)).find((group) => group.id === id);
  if (found !== undefined) return found;
  throw new WireFault(404, "agent_not_found", { detail: `Group not found with id='group-${id}'` });
}

/** Creates a group. Throws RequestError `agent_not_found`. */
export async function createGroup(runtime: Runtime, request: z.output<typeof newGroup>): Promise<Group> {
  const { description, agent_ids: agentIds, manager_config: manager, project_id, hidden } = request;
  const { manager_type: managerType, sleeptime_agent_frequency: frequency = null } = manager;
  return saveGroup(runtime, null, {
    id: randomUUID(),
    createdAt: new Date().toISOString(),
    description,
    agentIds,
    managerType,
    managerId: manager.manager_agent_id ?? null,
    maxTurns: manager.max_turns ?? null,
    terminationToken: manager.termination_token ?? (managerType === "dynamic" ? "DONE!" : null),
    frequency,
    turns: frequency === null ? null : 0,
    projectId: project_id ?? null,
    isHidden: hidden ?? null,
    round: null,
  });
}

/** Changes a group. Throws Fault if the type of the manager changes, and RequestError `agent_not_found`. */
export async function changeGroup(runtime: Runtime, id: string, request: z.output<typeof groupChange>): Promise<Group> {
  const before = await findGroup(runtime, id);
  const { manager_type: type = before.managerType, ...manager } = request.manager_config ?? {};
  if (type !== before.managerType)
    throw invalidArgument("manager_config", "The type of a group's manager cannot be changed: create another group.");
  const frequency = manager.sleeptime_agent_frequency;
  return saveGroup(runtime, before, {
    ...before,
    ...given({
      description: request.description,
      agentIds: request.agent_ids,
      managerId: type === "round_robin" ? null : manager.manager_agent_id,
      maxTurns: manager.max_turns,
      terminationToken: manager.termination_token,
      frequency,
      turns: frequency ? (before.turns ?? 0) : null,
      projectId: request.project_id,
    }),
  });
}

/** Stores a group with the agent that leads it, and removes the group from the agent that led it before. */
async function saveGroup(runtime: Runtime, before: Group | null, group: Group): Promise<Group> {
  for (const id of [...group.agentIds, leaderOf(group)]) await runtime.agents.find(id);
  if (before !== null && leaderOf(before) !== leaderOf(group)) await deleteGroup(runtime, before);
  await storeGroups(runtime, group, [group]);
  return group;
}

/** Records that a round of the group begins, or that it has ended. */
export async function keepRound(
  runtime: Runtime,
  group: Group,
  { keys, isUnderWay }: { readonly keys: readonly string[]; readonly isUnderWay: boolean },
): Promise<void> {
  await changeStored(runtime, group, (stored) => {
    const isOther = !isUnderWay && stored.round?.[0] !== keys[0];
    return isOther ? stored : { ...stored, round: isUnderWay ? [...keys] : null };
  });
}

/** Records the number of the manager's turns since the background agents last ran. */
export async function keepTurns(runtime: Runtime, group: Group, turns: number): Promise<void> {
  await changeStored(runtime, group, (stored) => (stored.frequency === null ? stored : { ...stored, turns }));
}

/** Applies `change` to the stored group, unless the group was deleted. */
async function changeStored({ agents }: Runtime, group: Group, change: (stored: Group) => Group): Promise<void> {
  const { id, extensions } = await agents.find(leaderOf(group));
  const items = itemsIn(extensions).map((item) => {
    const { data } = groupShape.safeParse(item);
    return data?.id === group.id ? change(data) : item;
  });
  await agents.setDetails(id, { extensions: { [key]: items } });
}

export async function deleteGroup(runtime: Runtime, group: Group): Promise<void> {
  await storeGroups(runtime, group, []);
}

/**
 * In the record of the group's leader, replaces the group with the id of `group` by `groups`: one group, or none.
 * Entries that cannot be read as groups are kept.
 */
async function storeGroups({ agents }: Runtime, group: Group, groups: readonly Group[]): Promise<void> {
  const { id, extensions } = await agents.find(leaderOf(group));
  const others = itemsIn(extensions).filter((item) => groupShape.safeParse(item).data?.id !== group.id);
  await agents.setDetails(id, { extensions: { [key]: [...others, ...groups] } });
}
