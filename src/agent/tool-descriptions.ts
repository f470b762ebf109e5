// Describes the tools of an open agent for people.
// Invariant: a tool that is listed as waiting for approval waits in a turn, and no other does.
import type { ToolDescription } from "./agent.ts";
import type { AgentDeps } from "./turn.ts";

export function toolDescriptions({
  toolsFor,
  session,
  agent,
}: Pick<AgentDeps, "agent" | "session" | "toolsFor">): readonly ToolDescription[] {
  return toolsFor(session.memory).map(({ name, description, approval, effects }) => {
    const asked = agent.settings.approvals.includes(name) ? "setting" : "never";
    return { name, description, effects, approval: approval ? "always" : asked };
  });
}
