// Writes the texts about a group for its agents: the end of their system prompts, and the question for the manager.
// Invariant: pure.
import type { AgentRecord } from "../runtime-records.ts";
import type { Group } from "./group-record.ts";

export interface GroupMembers {
  /** Null for a group without a manager. */
  readonly manager: AgentRecord | null;
  readonly agents: readonly AgentRecord[];
}

/** Returns the text about a group for an agent's system prompt; "" for a manager with agents in the background. */
export function groupContext({ managerType, description }: Group, members: GroupMembers, { id }: AgentRecord): string {
  const about = `What it is for: ${description}`;
  const others = members.agents.filter((agent) => agent.id !== id);
  if (managerType === "sleeptime")
    return id === members.manager?.id
      ? ""
      : `You work in the background of a conversation of ${members.manager?.name} with its user, which you read afterwards. Nobody reads your answers: keep in memory what is worth keeping, with your tools. ${about}`;
  if (id !== members.manager?.id)
    return `You speak in a group with ${namesOf(others)}. All read what you answer. Speak for yourself, to what was said last. ${about}`;
  const task =
    managerType === "supervisor"
      ? "You answer the user. Ask the agents with send_message_to_agent_and_wait_for_reply."
      : "You only choose who speaks next, and do not speak yourself.";
  return `You lead a group of agents. ${task} ${about}\n\n${others.map(lineOf).join("\n")}`;
}

/** Returns the question that asks the manager which agent speaks next. */
export function choiceQuestion(agents: readonly AgentRecord[]): string {
  return `Who speaks next: ${namesOf(agents)}? Answer with the name alone, or with "nobody" if all has been said.`;
}

function namesOf(agents: readonly AgentRecord[]): string {
  return agents.map(({ name }) => name).join(", ");
}

function lineOf({ id, name, description }: AgentRecord): string {
  return `- ${name} (agent-${id})${description === null ? "" : `: ${description}`}`;
}
