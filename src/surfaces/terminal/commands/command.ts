// Defines the type of a slash command: an object with a name, a summary and a function from a context to an outcome.
// Invariant: a command changes the chat only through its outcome; it draws nothing by itself.
import type { AgentEvent } from "../../../agent/events.ts";
import { nearestName } from "../../../base/nearest-name.ts";
import type { ChatHost } from "../chat-host.ts";
import type { ChatSession, QueuedFile } from "../chat-session.ts";
import type { Dialog } from "../dialogs/dialog.ts";
import type { Agent, Runtime } from "../runtime-records.ts";
import { notice } from "../view/notices.ts";
import type { ViewItem } from "../view/view-item.ts";
import type { ViewAction } from "../view/view-state.ts";

type HostPart = "runShell" | "listModels" | "keepMcpTrust" | "openAddress" | "listCommands" | "printOf" | "findFile";

/** The values and functions that a command can use: the conversation, and functions of the session and its host. */
export interface CommandContext
  extends Pick<ChatSession, "textFiles" | "writeClipboard">,
    Partial<Pick<ChatHost, HostPart>> {
  readonly runtime: Runtime;
  readonly agent: Agent;
  /** The command that starts Palimpsest, for hints in panels. In notices, the chat replaces `palimpsest` by this command. */
  readonly program: string;
  /** The text after the command's name, trimmed. */
  readonly argument: string;
  /** The files attached to the next message. */
  readonly files: readonly QueuedFile[];
  /** The output of the last shell command; null before the first one. */
  readonly output: QueuedFile | null;
  /** All commands by topic, for help. */
  readonly topics: readonly CommandTopic[];
  /** Shows a dialog. Resolves to the user's choice, or to null if the user closes the dialog or `until` is aborted. */
  open<Result>(dialog: Dialog<Result>, until?: AbortSignal): Promise<Result | null>;
  now(): Date;
  readonly signal: AbortSignal;
}

/** The effects of a command on the chat. */
export type CommandEffect =
  | Extract<ViewAction, { type: "set" }>
  /** Marks the command as failed: queued inputs return to the editor. */
  | { readonly type: "stop" }
  /** Turns multi-line input on or off. */
  | { readonly type: "multiline" }
  /** Switches to another conversation. */
  | { readonly type: "open"; readonly agent: Agent }
  /** Replaces the files attached to the next message. */
  | { readonly type: "files"; readonly files: readonly QueuedFile[] }
  /** Keeps the output of a shell command, for `/output`. */
  | { readonly type: "output"; readonly output: QueuedFile; readonly isInterrupted: boolean }
  /** Sends a message with additional files. */
  | { readonly type: "send"; readonly text: string; readonly files: readonly QueuedFile[] }
  /** Runs a turn. */
  | { readonly type: "turn"; readonly begin: BeginTurn };

export type BeginTurn = (options: { readonly signal: AbortSignal }) => AsyncGenerator<AgentEvent, void>;

export interface CommandOutcome {
  readonly items: readonly ViewItem[];
  readonly effect?: CommandEffect;
}

export interface Command {
  readonly name: string;
  /** The command and its arguments as they are typed: `/pop [N]`. */
  readonly usage: string;
  readonly summary: string;
  /** The description in docs/cli.md, as Markdown; absent if the summary is sufficient. */
  readonly manual?: string;
  /** Whether the command can run while the agent works; other commands wait for the end of the turn. */
  readonly isAlwaysReady: boolean;
  run(context: CommandContext): Promise<CommandOutcome>;
}

/** Returns a command, which by default waits for the end of the turn. Its name is the first word of the usage without slash. */
export function command(parts: Omit<Command, "name" | "isAlwaysReady"> & Partial<Command>): Command {
  return { name: parts.usage.split(" ")[0]?.slice(1) ?? "", isAlwaysReady: false, ...parts };
}

/** A topic of commands: a page of `/help`, which fits a screen of 24 rows. */
export interface CommandTopic {
  readonly title: string;
  readonly commands: readonly Command[];
}

/** Returns an outcome with a single notice. */
export function noteOutcome(text: string, advice?: string): CommandOutcome {
  return { items: [notice("note", text, advice)] };
}

/** Returns an outcome that refuses the input and says what was expected. */
export function refusalOutcome(text: string, advice?: string): CommandOutcome {
  return { items: [notice("failure", text, advice)] };
}

/** Returns the outcome that refuses an unknown name, and suggests the nearest of `names`, or all if they are few. */
export function unknownName(
  text: string,
  typed: string,
  { names, advice }: { readonly names: readonly string[]; readonly advice: string },
): CommandOutcome {
  const near = nearestName(typed, names);
  const all = names.length === 0 || names.length > maxListed ? "" : ` There are ${names.join(", ")}.`;
  return refusalOutcome(
    `${text} "${typed.slice(0, 60)}".${near === undefined ? all : ` Did you mean ${near}?`}`,
    advice,
  );
}

const maxListed = 10;

/** Returns the item with the number `argument` (from 1), or without such an item, all items for which `isMeant` is true. */
export function elementsMeant<Item>(
  items: readonly Item[],
  argument: string,
  isMeant: (item: Item) => boolean,
): readonly Item[] {
  const byNumber = /^\d{1,3}$/.test(argument) ? items[Number(argument) - 1] : undefined;
  return byNumber === undefined ? items.filter(isMeant) : [byNumber];
}

/** Returns an argument without the quotes around it, such as those around a path that was dragged into the terminal. */
export function unquoted(argument: string): string {
  return /^(["'])(.+)\1$/u.exec(argument)?.[2] ?? argument;
}

/** Returns a path without quotes and without the backslashes that a terminal adds, which never precede letters or digits. */
export function typedPath(argument: string): string {
  const path = unquoted(argument);
  return path === argument && !/^(?:[a-z]:|\\\\)/iu.test(path) ? path.replaceAll(/\\([^\p{L}\p{N}._])/gsu, "$1") : path;
}

/** Returns the values of `NAME=VALUE` pairs by name (`NAME="A VALUE"`); null if the text contains anything else. */
export function readPairs(typed: string): Readonly<Record<string, string>> | null {
  const pairs = [...typed.matchAll(/([\w-]{1,64})=(?:"([^"]*)"|(\S*))(?:\s+|$)/gu)];
  const length = pairs.reduce((sum, [whole]) => sum + whole.length, 0);
  if (length !== typed.length) return null;
  return Object.fromEntries(pairs.map(([, key = "", quoted, plain = ""]) => [key, quoted ?? plain]));
}

/** Reopens the agent in its conversation, with changed settings. Returns the effect. Rejects for an unusable model. */
export async function reopenAgent(
  { runtime, agent }: CommandContext,
  change: { readonly model?: string; readonly baseUrl?: string | null } = {},
): Promise<Extract<CommandEffect, { type: "open" }>> {
  const conversation = { id: agent.conversationId };
  return { type: "open", agent: await runtime.agents.open(agent.record.id, { conversation, ...change }) };
}
