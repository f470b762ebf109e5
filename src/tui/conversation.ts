// The conversation that the chat is in: sends messages to its agent, runs commands on it, and changes to another.
// Invariant: what happens is told to the store as it happens; there is one agent at any time.
import type { StopReason } from "../agent/events.ts";
import type { Clock } from "../base/clock.ts";
import { failureItem } from "./advice.ts";
import { approvalItem } from "./approval-item.ts";
import type { ChatSession, QueuedFile } from "./chat-session.ts";
import type { ChatStore } from "./chat-store.ts";
import type { ViewStatus } from "./chat-view.ts";
import type { CommandContext, CommandEffect, CommandOutcome } from "./commands/command.ts";
import { commands, findCommand, type TypedCommand, unknownCommand } from "./commands/registry.ts";
import type { DialogHost } from "./dialogs/dialog-host.ts";
import { pastInputs } from "./past-items.ts";
import type { Agent } from "./runtime-records.ts";
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

/** The conversation that a session was opened with. */
export function createConversation(
  session: ChatSession,
  { store, clock, dialogs }: { readonly store: ChatStore; readonly clock: Clock; readonly dialogs: DialogHost },
): Conversation {
  const { dispatch } = store;
  const parts = { runtime: session.runtime, commands, now: () => clock.now() };
  let agent = session.agent;
  let sent: readonly string[] = [];
  let files: readonly QueuedFile[] = session.files ?? [];

  const converse = async (begin: BeginTurn, signal: AbortSignal): Promise<WorkEnd> => {
    const stopReason = await watchTurn(begin({ signal }), { clock, dispatch });
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
    dispatch({ type: "open", status: statusOf(agent), history: [...pastInputs(agent.messages), ...sent] });
  };

  return {
    agent: () => agent,
    remember(line) {
      sent = [...sent, line];
    },
    async send(text, signal) {
      const taken = files;
      files = [];
      try {
        const inputs = taken.map(({ input }) => input);
        return await converse((options) => agent.send(text, { ...options, files: inputs }), signal);
      } catch (error) {
        // Nothing was sent: they go with the message that is.
        files = taken;
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
export function statusOf({ record, conversationId, window }: Agent): ViewStatus {
  return { agentName: record.name, model: record.model, conversationId, window };
}
