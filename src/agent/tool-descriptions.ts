// The tools of an open agent as a person looks at them.
// Invariant: what waits for approval here is what waits in a turn.
import type { ToolDescription } from "./agent.ts";
import type { AgentDeps } from "./turn.ts";

export function toolDescriptions({
  toolsFor,
  session,
  agent,
}: Pick<AgentDeps, "agent" | "session" | "toolsFor">): readonly ToolDescription[] {
  return toolsFor(session.memory).map(({ name, description, approval }) => {
    const asked = agent.settings.approvals.includes(name) ? "setting" : "never";
    return { name, description, approval: approval ? "always" : asked };
  });
}
