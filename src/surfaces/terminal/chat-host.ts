// Defines the chat's port to its host: shell, editor, files and input history.
// Invariant: types only; the command line implements it. A chat without a host works, and reports what is not available.
import type { ApprovalMode } from "./approval-mode.ts";
import type { FolderEntry } from "./input/completion.ts";

/** The outcome of an edit: the new text, or the reason why the editor failed and the text is unchanged. */
export type EditEnd =
  | { readonly type: "edited"; readonly text: string }
  | { readonly type: "failed"; readonly reason: string };

/** How a shell command ended. `problem`: why the command failed, such as `exit code 2`; null on success. */
export interface ShellEnd {
  /** Standard output and error; a long output lacks its middle. */
  readonly text: string;
  readonly problem: string | null;
  readonly isInterrupted: boolean;
}

/** A model that can be chosen. `about` says where the model runs. */
export interface ModelOffer {
  readonly model: string;
  /** The address of the server; null for the provider's own server, and for models without a server. */
  readonly baseUrl: string | null;
  readonly about: string;
}

export interface ModelOffers {
  readonly offers: readonly ModelOffer[];
  /** Why further models are not listed, one sentence each. */
  readonly notes: readonly string[];
}

/** The image in the clipboard; for `none`, one or two sentences that say why there is no image. */
export type ClipboardImage =
  | { readonly type: "image"; readonly data: Uint8Array }
  | { readonly type: "none"; readonly reason: string };

/** The definition of an MCP server's tool that the user trusts: with it, the tool runs without approval. */
export interface McpTrust {
  readonly hash: string;
  readonly definition: string;
}

/** A command that the user has defined: it sends a text to the agent. */
export interface OwnCommand {
  readonly name: string;
  readonly summary: string;
  /** The arguments of the command, as help shows them: `FILE [FOCUS]`; empty for a command without arguments. */
  readonly form: string;
  /** Returns the text to send with these arguments. */
  textFor(argument: string): string;
}

/** Facts about the chat for the status line that the user has configured. */
export interface StatusFacts {
  readonly agent: string;
  readonly model: string;
  readonly conversation: string;
  readonly windowTokens: number;
  readonly windowLimit: number;
  /** Share of the window that is used, from 0 to 100. */
  readonly windowPercent: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
  /** In dollars; null for an unknown price. */
  readonly cost: number | null;
  readonly approvals: ApprovalMode;
}

/** During `suspend` and `edit`, the chat draws nothing and reads no key. */
export interface ChatHost {
  /** Passes each line of the runtime's log to `show`. On stderr, the lines would be written over the chat. */
  watchLog(show: (line: string) => void): void;
  /** Stops this process, as Ctrl+Z in a shell does. Resolves when the process is continued. */
  suspend(): Promise<void>;
  /** Opens a text in the user's editor. Resolves to the outcome when the editor exits. */
  edit(text: string): Promise<EditEnd>;
  /** Runs a command in the user's shell, with limits on time and output. Absent if the user has not allowed shell commands. */
  readonly runShell?: (command: string, signal: AbortSignal) => Promise<ShellEnd>;
  /** Returns the models of servers on this machine and of providers with a key. Throws the signal's reason on abort. */
  listModels(signal: AbortSignal): Promise<ModelOffers>;
  /** Saves the trusted definition of an MCP server's tool; null removes it. Returns the path of the configuration file. */
  keepMcpTrust(server: string, toolName: string, trusted: McpTrust | null): Promise<string>;
  /** Opens a page in the user's browser. Returns whether that worked. */
  openAddress(address: string): Promise<boolean>;
  readClipboardImage(): Promise<ClipboardImage>;
  /** Runs a command of the command line, such as `agents list`, and returns what the command prints. */
  readonly printOf?: (words: string) => Promise<string>;
  /** Returns the commands that the user has defined, sorted by name. */
  listCommands(): Promise<readonly OwnCommand[]>;
  /** Returns the text of the status line, or throws an error with the reason. Absent if none is configured. */
  readonly statusLine?: (facts: StatusFacts) => Promise<string>;
  /** The inputs of earlier chats, oldest first. */
  readonly inputs: readonly string[];
  /** Saves an input for later chats. Returns the reason of a failure; null on success. */
  keepInput(input: string): Promise<string | null>;
  /** Returns the entries of a folder, sorted by name, up to a limit; empty if the path is not a folder. */
  listFolder(folder: string): Promise<readonly FolderEntry[]>;
  /** Returns the visible entries below the subfolders of a folder, up to a limit, the least nested first. */
  listPaths(folder: string): Promise<readonly FolderEntry[]>;
  /** Returns the absolute path of an existing file; null for anything else. */
  findFile(path: string): Promise<string | null>;
}
