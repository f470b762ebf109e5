// Keeps the facts that the user stated in a turn, for agents with the setting `assist`: a small model answers, and often
// saves nothing or something that was not said.
// Invariant: only what the user said in this turn is kept, as a revision of the turn's last reply; a failure becomes a
// warning, changes nothing and never fails the turn.
import { askForFacts, factsRequest } from "../context/extract-facts.ts";
import { factsSection } from "../memory/facts/remember-tool.ts";
import { isKnown, isStated, noteOf, statementsIn } from "../memory/facts/stated-facts.ts";
import type { StoredMessage } from "../store/port/records.ts";
import { trustOfReply } from "../memory/trust.ts";
import { noUsage, textOf, type Usage } from "../base/message/message.ts";
import type { AgentEvent } from "./events.ts";
import { callForMemory, commitUpdate } from "./memory-call.ts";
import type { MemoryEdit } from "./session/session-deps.ts";
import { inputsOf, type Turn } from "./turn.ts";

export interface EndedTurn {
  /** Its last step. */
  readonly step: number;
  /** Usage of the turn so far. */
  readonly usage: Usage;
}

/** Returns the usage of the call. Throws only what a commit of the turn throws. */
export async function* keepFacts(turn: Turn, { step, usage }: EndedTurn): AsyncGenerator<AgentEvent, Usage> {
  const reply = turn.session.messages.findLast(({ role, turnId }) => role === "assistant" && turnId === turn.turnId);
  const inputs = inputsOf(turn.session, turn.turnId);
  const said = statementsIn(inputs.map(textOf).join("\n"));
  const { memory } = turn.session;
  if (reply === undefined || said === "" || turn.signal.aborted || !memory.labels().includes(factsSection)) {
    return noUsage;
  }
  const known = memory.read(factsSection);
  const warn = (reason: string): AgentEvent => failed(turn, reason);
  const answer = yield* callForMemory(turn, {
    request: factsRequest(turn.models.summarizer, said),
    ask: (request, signal) => askForFacts(turn.models.summarizer, request, signal),
    usage,
    warn,
  });
  if (answer === null) return noUsage;
  const facts = answer.facts.filter((fact) => isStated(fact, said) && !isKnown(fact, known));
  if (facts.length === 0) return answer.usage;
  yield* commitUpdate(turn, {
    messageId: reply.id,
    edit: (draft) => facts.forEach((fact) => draft.append(factsSection, noteOf(fact))),
    ...sourcesOf(inputs),
    step,
    warn,
  });
  return answer.usage;
}

/** Returns the trust and the external sources of the facts: the model saw only these messages. */
function sourcesOf(inputs: readonly StoredMessage[]): Pick<MemoryEdit, "trust" | "external"> {
  const window = inputs.map(({ trust }) => trust);
  const external = inputs
    .filter((input) => input.trust === "external")
    .map(({ id }) => ({ kind: "message", id }) as const);
  return { trust: trustOfReply({ modules: [], window }), external };
}

function failed(turn: Turn, reason: string): AgentEvent {
  const message = `The facts of this message were not kept: ${reason}`;
  return turn.event({ type: "warning", code: "facts-not-kept", message });
}
