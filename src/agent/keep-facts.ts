// Keeps the facts that the user stated in a turn, for agents with the setting `assist`: a small model answers, and often
// saves nothing or something that was not said.
// Invariant: only what the user said in this turn is kept, as a revision of the turn's last reply; a failure becomes a
// warning, changes nothing and never fails the turn.
import { askForFacts, factsRequest } from "../context/extract-facts.ts";
import { isInput } from "../context/window/unfinished-turn.ts";
import { ToolError } from "../errors.ts";
import { factsSection } from "../memory/facts/remember-tool.ts";
import { isKnown, isStated, noteOf, statementsIn } from "../memory/facts/stated-facts.ts";
import type { StoredMessage } from "../memory/records.ts";
import { trustOfReply } from "../memory/trust.ts";
import { noUsage, textOf, type Usage } from "../message/message.ts";
import type { AgentEvent } from "./events.ts";
import { callForMemory } from "./memory-call.ts";
import { memoryEdit } from "./run-tool-calls.ts";
import type { Turn } from "./turn.ts";

export interface EndedTurn {
  /** Its last step. */
  readonly step: number;
  /** Usage of the turn so far. */
  readonly usage: Usage;
}

/** Returns the usage of the call. Throws only what a commit of the turn throws. */
export async function* keepFacts(turn: Turn, { step, usage }: EndedTurn): AsyncGenerator<AgentEvent, Usage> {
  const messages = turn.session.messages.filter(({ turnId }) => turnId === turn.turnId);
  const reply = messages.findLast(({ role }) => role === "assistant");
  const inputs = messages.filter(isInput);
  const said = statementsIn(inputs.map(textOf).join("\n"));
  const { memory } = turn.session;
  if (reply === undefined || said === "" || turn.signal.aborted || !memory.labels().includes(factsSection)) {
    return noUsage;
  }
  const known = memory.read(factsSection);
  const answer = yield* callForMemory(turn, {
    request: factsRequest(said),
    ask: (request, signal) => askForFacts(turn.summarizer, request, signal),
    usage,
    warn: (reason) => failed(turn, reason),
  });
  if (answer === null) return noUsage;
  const facts = answer.facts.filter((fact) => isStated(fact, said) && !isKnown(fact, known));
  if (facts.length > 0) yield* commit(turn, { facts, reply, inputs, step });
  return answer.usage;
}

interface StatedFacts extends Pick<EndedTurn, "step"> {
  readonly facts: readonly string[];
  readonly reply: StoredMessage;
  readonly inputs: readonly StoredMessage[];
}

async function* commit(turn: Turn, { facts, reply, inputs, step }: StatedFacts): AsyncGenerator<AgentEvent, void> {
  const { session } = turn;
  // The model saw only these messages and the section.
  const window = [...inputs.map(({ trust }) => trust), session.window.modules.get(factsSection) ?? "user"];
  const trust = trustOfReply({ modules: [], window });
  const external = inputs
    .filter((input) => input.trust === "external")
    .map(({ id }) => ({ kind: "message", id }) as const);
  try {
    const memory = session.memory.draft();
    for (const fact of facts) memory.append(factsSection, noteOf(fact));
    const changes = await session.commitMemory({ messageId: reply.id, memory, trust, external });
    yield* changes.map((change) => memoryEdit(turn, { change, callId: null, step }));
  } catch (error) {
    if (!(error instanceof ToolError)) throw error;
    if (error.code === "revision_conflict") await session.refreshMemory();
    yield failed(turn, error.message);
  }
}

function failed(turn: Turn, reason: string): AgentEvent {
  const message = `The facts of this message were not kept: ${reason}`;
  return turn.event({ type: "warning", code: "facts-not-kept", message });
}
