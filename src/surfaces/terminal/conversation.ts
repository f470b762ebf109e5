// The current conversation of the chat: sends messages to its agent, runs commands, and switches to another conversation.
// Invariant: events go to the store as they happen; there is one agent at any time.
import type { StopReason } from "../../agent/events.ts";
import { withReplies } from "../../agent/fold-turn.ts";
import type { Clock } from "../../base/clock.ts";
import { fileLabel, type FileInput } from "../../base/message/file-part.ts";
import { noUsage } from "../../base/message/message.ts";
import { failureItem } from "./advice.ts";
import { approvalByMode, missedSince, reportingMissed, watchTurn } from "./watch-turn.ts";
import { approvalItem, notice } from "./view/notices.ts";
import type { ChatSession, QueuedFile } from "./chat-session.ts";
import type { ChatStore } from "./chat-store.ts";
import type { ViewStatus } from "./view/chat-view.ts";
import type { BeginTurn, CommandContext, CommandEffect, CommandOutcome } from "./commands/command.ts";
import { runServerPrompt } from "./commands/mcp.ts";
import { commandTopics, findCommand, type TypedCommand, unknownCommand } from "./commands/registry.ts";
import type { DialogHost } from "./dialogs/dialog-host.ts";
import { waitingItems } from "./commands/file.ts";
import type { Agent } from "./runtime-records.ts";
import type { SentInputs } from "./input/sent-inputs.ts";
import type { ViewItem } from "./view/view-item.ts";
import type { WorkEnd } from "./work-line.ts";
import { mentionedPaths, withoutMarks } from "./input/mentions.ts";

/** Stop reasons after which queued inputs return to the editor, because an input typed before a question must not answer it. */
const stopped: ReadonlySet<StopReason> = new Set([
  "model-error",
  "context-overflow",
  "awaiting-approval",
  "awaiting-result",
  "awaiting-reply",
] as const);

interface CurrentState {
  agent: Agent;
  files: readonly QueuedFile[];
  /** The output of the last shell command; null before the first one. */
  output: QueuedFile | null;
}

interface ConversationDeps {
  readonly store: ChatStore;
  readonly clock: Clock;
  readonly dialogs: DialogHost;
  readonly inputs: SentInputs;
}

/** Creates the first conversation of a session. */
export function createConversation(session: ChatSession, deps: ConversationDeps) {
  const { store, clock, dialogs } = deps;
  const current: CurrentState = { agent: session.agent, files: session.files ?? [], output: null };
  const { runtime, host, command: program = "palimpsest" } = session;

  const outcomeOf = (typed: TypedCommand, signal: AbortSignal): Promise<CommandOutcome> => {
    const { agent, files, output } = current;
    const open: CommandContext["open"] = (dialog, until) =>
      dialogs.open(dialog, until === undefined ? signal : AbortSignal.any([signal, until]));
    const parts = { runtime, program, agent, files, output, open, now: () => clock.now(), signal };
    return runCommand(typed, { ...session, ...host, ...parts });
  };

  return {
    agent: () => current.agent,
    send: (text: string, signal: AbortSignal) => sendMessage(text, { session, current, deps, signal }),
    /** Attaches a file to the next message. Throws RequestError for a file that cannot be sent. */
    async attach(input: FileInput): Promise<void> {
      const label = fileLabel(await runtime.files.describe(input));
      current.files = [...current.files, { input, label }];
      store.dispatch({ type: "show", items: waitingItems(current.files) });
    },
    runCommand: async (typed: TypedCommand, signal: AbortSignal) =>
      carryOut(await outcomeOf(typed, signal), { session, current, deps, signal }),
    /** Runs a command that need not wait for the end of the turn (`isAlwaysReady`). */
    async runDuringTurn(typed: TypedCommand): Promise<void> {
      const outcome = await outcomeOf(typed, new AbortController().signal);
      store.dispatch({ type: "show", items: outcome.items });
      if (outcome.effect?.type === "set") store.dispatch(outcome.effect);
    },
  };
}

export type Conversation = ReturnType<typeof createConversation>;

interface Place {
  readonly session: ChatSession;
  readonly current: CurrentState;
  readonly deps: ConversationDeps;
  readonly signal: AbortSignal;
}

/** Sends a message with the attached files and the files that its text mentions. */
async function sendMessage(text: string, place: Place): Promise<WorkEnd> {
  const { session, current, deps } = place;
  const { agent, files: waiting } = current;
  const { dispatch, getState } = deps.store;
  const before = getState().turn.turnId;
  current.files = [];
  try {
    const named = await mentionedFiles(text, session);
    dispatch({ type: "show", items: waitingItems(named, "this message") });
    const files = [...waiting, ...named].map(({ input }) => input);
    return await converse((options) => agent.send(text, { ...options, files }), place);
  } catch (error) {
    const { turn, queue } = getState();
    if (!["", before].includes(turn.turnId)) throw error;
    // Nothing was sent: the files stay attached to the next message, and the text returns to the prompt with the queue.
    current.files = [...waiting, ...current.files];
    if (place.signal.aborted) throw error;
    dispatch({ type: "show", items: [failureItem(error, "message")] });
    // The text may come from a command that the user has defined. If it begins like a command, a space keeps it a message.
    dispatch({ type: "set", change: { queue: [text.replace(/^(?=[!#/])/u, " "), ...queue] } });
    return "stopped";
  }
}

async function converse(begin: BeginTurn, place: Place): Promise<WorkEnd> {
  const { session, current, deps, signal } = place;
  const { clock, store } = deps;
  const { dispatch } = store;
  const show = (items: readonly ViewItem[]): void => dispatch({ type: "show", items });
  const { agent } = current;
  const approval = approvalByMode(agent, () => store.getState().approvalMode, show);
  // Waits before the next check for the reply of another agent. Resolves to false if the user interrupts the wait.
  const pause = (ms: number) =>
    clock.sleep(ms, signal).then(
      () => true,
      () => false,
    );
  const events = withReplies({ agent, turns: session.runtime.turns }, begin({ signal }), pause);
  const turn = reportingMissed(approval.withoutQuestion(events), agent, show);
  const stopReason = await watchTurn(turn, { clock, dispatch });
  const next = stopReason === "awaiting-approval" ? approval.approve() : null;
  if (next !== null) return converse(next, place);
  if (stopReason === "interrupted" || signal.aborted) return "interrupted";
  return stopReason !== null && stopped.has(stopReason) ? "stopped" : "done";
}

/** Shows the items of a command's outcome and applies its effect. */
async function carryOut({ items, effect }: CommandOutcome, place: Place): Promise<WorkEnd> {
  const { dispatch } = place.deps.store;
  if (effect?.type === "open") open(effect.agent, place);
  dispatch({ type: "show", items });
  return effect === undefined ? "done" : perform(effect, place);
}

function open(agent: Agent, { current, deps }: Place): void {
  current.agent = agent;
  deps.store.dispatch({ type: "open", status: statusOf(agent), history: deps.inputs.with(agent) });
}

async function perform(effect: CommandEffect, place: Place): Promise<WorkEnd> {
  const { current, deps } = place;
  const { dispatch } = deps.store;
  switch (effect.type) {
    case "open":
      dispatch({ type: "show", items: current.agent.pendingApprovals.map(approvalItem) });
      return "done";
    case "files":
      current.files = effect.files;
      return "done";
    case "output":
      current.output = effect.output;
      return effect.isInterrupted ? "interrupted" : "done";
    case "send":
      current.files = [...current.files, ...effect.files];
      return sendMessage(effect.text, place);
    case "set":
      dispatch(effect);
      return "done";
    case "multiline": {
      const isMultiline = !deps.store.getState().isMultiline;
      dispatch({ type: "set", change: { isMultiline } });
      dispatch({ type: "show", items: [notice("note", multilineTexts[`${isMultiline}`])] });
      return "done";
    }
    case "turn":
      return converse(effect.begin, place);
    case "stop":
      return "stopped";
  }
}

const multilineTexts = {
  true: "Multi-line input is on: Enter inserts a new line, Alt+Enter sends. // and Alt+Enter turn it off.",
  false: "Multi-line input is off: Enter sends.",
} as const;

/** Returns the agent's part of the status line. */
export function statusOf({ record, conversationId, window, price, pendingApprovals }: Agent): ViewStatus {
  const waitsForApproval = pendingApprovals.length > 0;
  const { name: agentName, model } = record;
  return { agentName, model, conversationId, window, usage: noUsage, price, waitsForApproval };
}

/** Runs a command and returns its outcome, or the reason if the command is unknown or fails. Rethrows an abort. */
export async function runCommand(
  { name, argument }: TypedCommand,
  context: Omit<CommandContext, "argument" | "topics">,
): Promise<CommandOutcome> {
  const command = findCommand(name);
  const whole = { ...context, argument, topics: commandTopics };
  const missed = missedSince(context.agent);
  try {
    if (command !== undefined) return await command.run(whole);
    const sent = name.includes(":") ? await runServerPrompt(name, whole) : await runOwnCommand(name, whole);
    return sent ?? unknownCommand(name);
  } catch (error) {
    if (context.signal.aborted) throw error;
    return { items: [...missed(), failureItem(error, "command")], effect: { type: "stop" } };
  }
}

/** Returns the outcome that sends the text of the user's command with this name; null if there is no such command. */
export async function runOwnCommand(
  name: string,
  { argument, listCommands }: Pick<CommandContext, "argument" | "listCommands">,
): Promise<CommandOutcome | null> {
  const found = (await listCommands?.())?.find((one) => one.name === name);
  if (found === undefined) return null;
  return { items: [], effect: { type: "send", text: found.textFor(argument), files: [] } };
}

type Session = Pick<ChatSession, "host" | "runtime">;

/**
 * Returns the files to attach: existing files that the text names by `@path`, and resources of configured MCP servers, by
 * `@server:resource`. Other words with an `@` are text. Throws RequestError for a file or resource that cannot be sent.
 */
export async function mentionedFiles(text: string, session: Session): Promise<readonly QueuedFile[]> {
  const found: QueuedFile[] = [];
  for (const mention of mentionedPaths(text)) {
    const path = await pathOf(mention, session);
    const inputs = path === null ? await resourceOf(mention, session) : [{ path }];
    for (const input of inputs) found.push({ input, label: fileLabel(await session.runtime.files.describe(input)) });
  }
  return found;
}

async function pathOf(mention: string, { host }: Session): Promise<string | null> {
  if (host === undefined) return null;
  return (await host.findFile(mention)) ?? host.findFile(withoutMarks(mention));
}

/** Returns the resource that a mention names; empty if no server has the name before the colon. */
async function resourceOf(mention: string, { runtime }: Session): Promise<readonly FileInput[]> {
  const [, name, resource = ""] = /^([a-zA-Z0-9_-]{1,32}):(.+)$/u.exec(withoutMarks(mention)) ?? [];
  if (name === undefined) return [];
  const servers = await runtime.mcp.servers();
  const server = servers.find((one) => one.name.toLowerCase() === name.toLowerCase());
  return server === undefined ? [] : runtime.mcp.readResource(server.name, resource);
}
