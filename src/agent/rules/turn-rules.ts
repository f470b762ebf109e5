// Applies the tool rules of an agent to its turns: which tools the model is offered, the result of a call that violates a
// rule, and what follows a step.
// Invariant: the calls of a turn are read from its stored messages, so a turn that is resumed keeps to the same rules.
import { textOf } from "../../base/message/message.ts";
import { onlyAsks } from "../../base/sentences.ts";
import { rememberName } from "../../memory/facts/remember-tool.ts";
import type { AgentRecord, StoredMessage } from "../../store/port/records.ts";
import type { ToolOutcome } from "../../tool/run-tool-call.ts";
import type { ProtocolRules } from "../protocol/protocol.ts";
import { type AgentTools, inputsOf, type Turn } from "../turn.ts";
import { applicableRules, endByRules, needsCall, refusalByRule, type RuledCall, type RuledEnd } from "./tool-rules.ts";

/** The parts of an open agent that the rules need. */
interface RuleDeps {
  readonly agent: Pick<AgentRecord, "settings">;
  readonly session: { readonly messages: readonly StoredMessage[] };
  readonly tools: Pick<AgentTools, "describe">;
}

function rulesOf({ agent, tools }: RuleDeps) {
  const names = tools.describe().map(({ name }) => name);
  return applicableRules(agent.settings.toolRules, names);
}

type RuledTurn = RuleDeps & Pick<Turn, "turnId">;

function callsOf(messages: readonly StoredMessage[], turnId: string): readonly RuledCall[] {
  return messages
    .filter((message) => message.turnId === turnId)
    .flatMap(({ content }) => content)
    .flatMap((part) =>
      part.type === "tool-result" && part.status === "ok" ? [{ name: part.name, result: part.text }] : [],
    );
}

/** Returns the names of the tools that the next reply may not call; empty without tool rules and without `assist`. */
export function forbiddenTools(turn: RuledTurn): readonly string[] {
  return [...unasked(turn), ...forbiddenByRules(turn)];
}

function forbiddenByRules(turn: RuledTurn): readonly string[] {
  const { agent, session, tools, turnId } = turn;
  if (agent.settings.toolRules.length === 0) return [];
  const rules = rulesOf(turn);
  const calls = callsOf(session.messages, turnId);
  return tools.describe().flatMap(({ name }) => (refusalByRule(rules, calls, name) === null ? [] : [name]));
}

/**
 * With the setting `assist`, forbids the tool `remember` if the user only asked something. Although the tool saves
 * nothing that the user did not say, a small model would call it and give its result as the answer.
 */
function unasked({ agent, session, turnId }: RuledTurn): readonly string[] {
  if (agent.settings.assist !== "on") return [];
  const inputs = inputsOf(session, turnId).map(textOf);
  return inputs.length > 0 && inputs.every(onlyAsks) ? [rememberName] : [];
}

/** Returns whether the next reply must contain a call of an offered tool; without rules, the protocol decides. */
export function toolChoiceOf(turn: RuledTurn & Pick<Turn, "protocol">): ProtocolRules["toolChoice"] {
  const { session, tools, turnId, protocol } = turn;
  const isNeeded = needsCall(rulesOf(turn), callsOf(session.messages, turnId));
  return isNeeded && forbiddenByRules(turn).length < tools.describe().length ? "required" : protocol.toolChoice;
}

/** Returns the result of a call that violates a rule; null if the call may run. `waiting`: tools of earlier, waiting calls. */
export function outcomeAgainstRules(
  deps: RuleDeps,
  { turnId, name, waiting }: { readonly turnId: string; readonly name: string; readonly waiting: readonly string[] },
): ToolOutcome | null {
  const calls = callsOf(deps.session.messages, turnId);
  const rules = rulesOf(deps);
  // A waiting call counts for `max-count-per-turn`, because it will run. For other rules, it is not the turn's last call.
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

/** Returns what the tool rules require after the reply that this message contains. */
export function endOfStep(deps: RuleDeps, message: StoredMessage): RuledEnd {
  const { messages } = deps.session;
  const after = messages.slice(messages.findIndex(({ id }) => id === message.id) + 1);
  const latest = callsOf(after, message.turnId).map(({ name }) => name);
  return endByRules(rulesOf(deps), callsOf(messages, message.turnId), latest);
}
