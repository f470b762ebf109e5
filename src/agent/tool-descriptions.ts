// Describes the tools of an open agent for people.
// Invariant: a tool that is listed as waiting for approval waits in a turn, and no other does.
import type { ToolDescription } from "./agent.ts";
import { requiresApproval } from "./rules/tool-rules.ts";
import type { AgentDeps } from "./turn.ts";

export function toolDescriptions({
  tools,
  session,
  agent,
}: Pick<AgentDeps, "agent" | "session" | "tools">): readonly ToolDescription[] {
  return tools.of(session.memory).map(({ name, description, approval, effects }) => {
    const { approvals, toolRules } = agent.settings;
    const asked = approvals.includes(name) || requiresApproval(toolRules, name) ? "setting" : "never";
    return { name, description, effects, approval: approval ? "always" : asked };
  });
}
