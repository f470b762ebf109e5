// The conversation that the chat is in: sends messages to its agent, runs commands on it, and changes to another.
// Invariant: what happens is told to the store as it happens; there is one agent at any time.
import type { StopReason } from "../agent/events.ts";
import type { Clock } from "../base/clock.ts";
import { approvalItem } from "./approval-item.ts";
import type { ChatSession, QueuedFile } from "./chat-session.ts";
import type { ChatStore } from "./chat-store.ts";
import type { ViewStatus } from "./chat-view.ts";
import type { CommandContext, CommandEffect, CommandOutcome } from "./commands/command.ts";
import type { TypedCommand } from "./commands/registry.ts";
import type { DialogHost } from "./dialogs/dialog-host.ts";
import { pastInputs } from "./past-items.ts";
import type { Agent } from "./runtime-records.ts";
import { runCommand } from "./run-command.ts";
import type { ViewItem } from "./view-item.ts";
import { watchTurn } from "./watch-turn.ts";
import type { WorkEnd } from "./work-line.ts";

export interface Conversation {
  agent(): Agent;
  /** Remembers an input for Up and Down, also after changing the conversation. */
  remember(line: string): void;
  send(text: string, signal: AbortSignal): Promise<WorkEnd>;
  runCommand(typed: TypedCommand, signal: AbortSignal): Promise<WorkEnd>;
  /** Runs a command that changes nothing, while a turn goes on. Returns true when it asks to leave. */
  runBesides(typed: TypedCommand): Promise<boolean>;
}

/** After these, what was queued goes back to the editor. A message that was written before the question must not answer it. */
const stopped: ReadonlySet<StopReason> = new Set([
  "interrupted",
  "model-error",
  "context-overflow",
  "awaiting-approval",
] as const);

type BeginTurn = Extract<CommandEffect, { type: "turn" }>["begin"];

/** What the chat stands on. */
interface Standing {
  agent: Agent;
  sent: readonly string[];
  files: readonly QueuedFile[];
}

interface ConversationParts {
  readonly store: ChatStore;
  readonly clock: Clock;
  readonly dialogs: DialogHost;
}

/** The conversation that a session was opened with. */
export function createConversation(session: ChatSession, parts: ConversationParts): Conversation {
  const { store, clock, dialogs } = parts;
  const standing: Standing = { agent: session.agent, sent: [], files: session.files ?? [] };
  const { runtime, textFiles, writeClipboard } = session;
  const reach = {
    ...(textFiles === undefined ? {} : { textFiles }),
    ...(writeClipboard === undefined ? {} : { writeClipboard }),
  };

  const outcomeOf = (typed: TypedCommand, signal: AbortSignal): Promise<CommandOutcome> => {
    const { agent, files } = standing;
    const open: CommandContext["open"] = (dialog) => dialogs.open(dialog, signal);
    return runCommand(typed, { ...reach, runtime, agent, files, open, now: () => clock.now(), signal });
  };

  return {
    agent: () => standing.agent,
    remember(line) {
      standing.sent = [...standing.sent, line];
    },
    async send(text, signal) {
      const { agent, files } = standing;
      standing.files = [];
      try {
        const inputs = files.map(({ input }) => input);
        return await converse((options) => agent.send(text, { ...options, files: inputs }), parts, signal);
      } catch (error) {
        // Nothing was sent: they go with the message that is.
        standing.files = files;
        throw error;
      }
    },
    runCommand: async (typed, signal) => carryOut(await outcomeOf(typed, signal), { standing, parts, signal }),
    async runBesides(typed) {
      const outcome = await outcomeOf(typed, new AbortController().signal);
      store.dispatch({ type: "show", items: outcome.items });
      return outcome.effect?.type === "leave";
    },
  };
}

async function converse(begin: BeginTurn, { store, clock }: ConversationParts, signal: AbortSignal): Promise<WorkEnd> {
  const stopReason = await watchTurn(begin({ signal }), { clock, dispatch: store.dispatch });
  return stopReason !== null && stopped.has(stopReason) ? "stopped" : "done";
}

interface Place {
  readonly standing: Standing;
  readonly parts: ConversationParts;
  readonly signal: AbortSignal;
}

/** Shows what came of a command, and does what it asks for. */
async function carryOut({ items, effect }: CommandOutcome, place: Place): Promise<WorkEnd> {
  const { dispatch } = place.parts.store;
  if (effect?.type === "open") open(effect.agent, place);
  dispatch({ type: "show", items });
  return effect === undefined ? "done" : perform(effect, place);
}

function open(agent: Agent, { standing, parts }: Place): void {
  standing.agent = agent;
  const history = [...pastInputs(agent.messages), ...standing.sent];
  parts.store.dispatch({ type: "open", status: statusOf(agent), history });
}

async function perform(effect: CommandEffect, { standing, parts, signal }: Place): Promise<WorkEnd> {
  const { dispatch } = parts.store;
  switch (effect.type) {
    case "open":
      dispatch({ type: "show", items: standing.agent.pendingApprovals.map(approvalItem) });
      return "done";
    case "files":
      standing.files = effect.files;
      return "done";
    case "leave":
      dispatch({ type: "leave" });
      return "done";
    case "theme":
      dispatch({ type: "theme", name: effect.name });
      return "done";
    case "multiline":
      dispatch({ type: "multiline" });
      dispatch({ type: "show", items: [multilineNotice(parts.store.getState().isMultiline)] });
      return "done";
    case "turn":
      return converse(effect.begin, parts, signal);
    case "stop":
      return "stopped";
  }
}

function multilineNotice(isOn: boolean): ViewItem {
  const text = isOn
    ? "Multi-line input is on: Enter begins a new line, Alt+Enter sends. // and Alt+Enter turn it off."
    : "Multi-line input is off: Enter sends.";
  return { kind: "notice", level: "note", text };
}

/** What the status line says of an agent. */
export function statusOf({ record, conversationId, window }: Agent): ViewStatus {
  return { agentName: record.name, model: record.model, conversationId, window };
}
