// Applies the rules of an agent to its turns: what the model is offered, what a call against a rule returns, and what
// follows a step.
// Invariant: called only for agents with rules; the calls of a turn are read from its stored messages, so a turn that is
// resumed keeps to the same rules.
import type { ToolSpecification } from "../../model/llm/model.ts";
import type { AgentRecord, StoredMessage } from "../../store/port/records.ts";
import type { ToolOutcome } from "../../tool/run-tool-call.ts";
import type { ProtocolRules } from "../protocol/protocol.ts";
import { applicableRules, endByRules, needsCall, refusalByRule, type RuledCall, type RuledEnd } from "./tool-rules.ts";

/** The parts of an open agent that are used here. */
interface RuleDeps {
  readonly agent: Pick<AgentRecord, "settings">;
  readonly session: { readonly messages: readonly StoredMessage[] };
  readonly describeTools: () => readonly ToolSpecification[];
}

function rulesOf({ agent, describeTools }: RuleDeps) {
  return applicableRules(
    agent.settings.toolRules,
    describeTools().map(({ name }) => name),
  );
}

function callsOf(messages: readonly StoredMessage[], turnId: string): readonly RuledCall[] {
  return messages
    .filter((message) => message.turnId === turnId)
    .flatMap(({ content }) => content)
    .flatMap((part) =>
      part.type === "tool-result" && part.status === "ok" ? [{ name: part.name, result: part.text }] : [],
    );
}

/** Returns the names of the tools that the next reply may not call. */
export function forbiddenByRules(deps: RuleDeps, turnId: string): readonly string[] {
  const rules = rulesOf(deps);
  const calls = callsOf(deps.session.messages, turnId);
  return deps.describeTools().flatMap(({ name }) => (refusalByRule(rules, calls, name) === null ? [] : [name]));
}

/** Returns how the next reply may choose among the offered tools. */
export function toolChoiceByRules(
  deps: RuleDeps & { readonly protocol: Pick<ProtocolRules, "toolChoice"> },
  turnId: string,
): ProtocolRules["toolChoice"] {
  const isNeeded = needsCall(rulesOf(deps), callsOf(deps.session.messages, turnId));
  return isNeeded && forbiddenByRules(deps, turnId).length < deps.describeTools().length
    ? "required"
    : deps.protocol.toolChoice;
}

/** Returns the result of a call against a rule; null if the call may run. `waiting`: earlier calls of its reply that wait. */
export function outcomeAgainstRules(
  deps: RuleDeps,
  { turnId, name, waiting }: { readonly turnId: string; readonly name: string; readonly waiting: readonly string[] },
): ToolOutcome | null {
  const calls = callsOf(deps.session.messages, turnId);
  const rules = rulesOf(deps);
  // A call that waits counts as one that will run, but not as the last one.
  const counted = [...waiting.map((tool) => ({ name: tool, result: "" })), ...calls];
  const refusal =
    refusalByRule(rules, calls, name) ??
    refusalByRule(
      rules.filter(({ type }) => type === "max-count-per-turn"),
      counted,
      name,
    );
  if (refusal === null) return null;
  return { status: "failed", text: `${name} was not run: ${refusal}.` };
}

/** Returns what the rules say after the reply of this message. */
export function endOfStep(deps: RuleDeps, message: StoredMessage): RuledEnd {
  const { messages } = deps.session;
  const after = messages.slice(messages.findIndex(({ id }) => id === message.id) + 1);
  const latest = callsOf(after, message.turnId).map(({ name }) => name);
  return endByRules(rulesOf(deps), callsOf(messages, message.turnId), latest);
}
