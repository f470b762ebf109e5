// The conversation that the chat is in: sends messages to its agent, runs commands on it, and changes to another.
// Invariant: what happens is told to the store as it happens; there is one agent at any time.
import type { StopReason } from "../agent/events.ts";
import type { Clock } from "../base/clock.ts";
import { noUsage } from "../message.ts";
import { failureItem } from "./advice.ts";
import { approvalItem } from "./approval-item.ts";
import type { ChatSession, QueuedFile } from "./chat-session.ts";
import type { ChatStore } from "./chat-store.ts";
import type { ViewStatus } from "./chat-view.ts";
import type { CommandContext, CommandEffect, CommandOutcome } from "./commands/command.ts";
import { commands, findCommand, type TypedCommand, unknownCommand } from "./commands/registry.ts";
import { waitingItems } from "./commands/file.ts";
import type { DialogHost } from "./dialogs/dialog-host.ts";
import { mentionedFiles } from "./mentioned-files.ts";
import { tellingMissed } from "./missed-messages.ts";
import type { SentInputs } from "./sent-inputs.ts";
import type { Agent } from "./runtime-records.ts";
import { watchTurn } from "./watch-turn.ts";
import type { WorkEnd } from "./work-line.ts";

export interface Conversation {
  agent(): Agent;
  send(text: string, signal: AbortSignal): Promise<WorkEnd>;
  runCommand(typed: TypedCommand, signal: AbortSignal): Promise<WorkEnd>;
  /** Runs a command that changes nothing, while a turn goes on. Returns true when it asks to leave. */
  runBesides(typed: TypedCommand): Promise<boolean>;
}

/** After these, what was queued goes back to the editor. A message that was written before the question must not answer it. */
const stopped: ReadonlySet<StopReason> = new Set(["model-error", "context-overflow", "awaiting-approval"] as const);

type BeginTurn = Extract<CommandEffect, { type: "turn" }>["begin"];

export interface ConversationParts {
  readonly store: ChatStore;
  readonly clock: Clock;
  readonly dialogs: DialogHost;
  readonly inputs: SentInputs;
}

/** The conversation that a session was opened with. */
export function createConversation(
  session: ChatSession,
  { store, clock, dialogs, inputs }: ConversationParts,
): Conversation {
  const { dispatch } = store;
  const parts = { runtime: session.runtime, commands, now: () => clock.now() };
  let agent = session.agent;
  let files: readonly QueuedFile[] = session.files ?? [];

  const converse = async (begin: BeginTurn, signal: AbortSignal): Promise<WorkEnd> => {
    const turn = tellingMissed(begin({ signal }), agent, (items) => dispatch({ type: "show", items }));
    const stopReason = await watchTurn(turn, { clock, dispatch });
    if (stopReason === "interrupted") return "interrupted";
    return stopReason !== null && stopped.has(stopReason) ? "stopped" : "done";
  };

  const outcomeOf = async ({ name, argument }: TypedCommand, signal: AbortSignal): Promise<CommandOutcome> => {
    const command = findCommand(name);
    if (command === undefined) return unknownCommand(name);
    const open: CommandContext["open"] = (dialog) => dialogs.open(dialog, signal);
    return command.run({ ...parts, agent, argument, files, open, signal });
  };

  const open = (opened: Agent): void => {
    agent = opened;
    dispatch({ type: "open", status: statusOf(agent), history: inputs.with(agent) });
  };

  return {
    agent: () => agent,
    async send(text, signal) {
      const waiting = files;
      const named = await mentionedFiles(text, session);
      dispatch({ type: "show", items: waitingItems(named, "this message") });
      files = [];
      try {
        const inputs = [...waiting, ...named].map(({ input }) => input);
        return await converse((options) => agent.send(text, { ...options, files: inputs }), signal);
      } catch (error) {
        // Nothing was sent: they go with the message that is.
        files = waiting;
        throw error;
      }
    },
    async runCommand(typed, signal) {
      const { items, effect } = await outcomeOf(typed, signal);
      if (effect?.type === "open") open(effect.agent);
      if (effect?.type === "files") ({ files } = effect);
      dispatch({ type: "show", items });
      if (effect?.type === "open") dispatch({ type: "show", items: agent.pendingApprovals.map(approvalItem) });
      if (effect?.type === "leave") dispatch({ type: "leave" });
      return effect?.type === "turn" ? converse(effect.begin, signal) : "done";
    },
    async runBesides(typed) {
      const outcome = await outcomeOf(typed, new AbortController().signal).catch(
        (error: unknown): CommandOutcome => ({ items: [failureItem(error)] }),
      );
      dispatch({ type: "show", items: outcome.items });
      return outcome.effect?.type === "leave";
    },
  };
}

/** What the status line says of an agent. */
export function statusOf({ record, conversationId, window, price }: Agent): ViewStatus {
  return { agentName: record.name, model: record.model, conversationId, window, usage: noUsage, price };
}
