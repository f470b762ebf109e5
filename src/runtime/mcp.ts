// Describes the operations on the MCP servers of the setting `mcpServers`, which all users of a host share.
// Invariant: types only.
import type { FileInput } from "../base/message/file-part.ts";
import type { McpAnswer, McpQuestion, McpSignIn } from "../tool/mcp-dialogue.ts";

export type { McpAnswer, McpQuestion, McpQuestionField, McpSignIn } from "../tool/mcp-dialogue.ts";

export interface McpToolRecord {
  /** The tool's name for agents: `server__tool`. */
  readonly name: string;
  /** The tool's name on the server. */
  readonly toolName: string;
  readonly description: string;
  /** `asks`: calls wait for approval. `trusted`: calls run at once. `changed`: calls wait, because the definition changed. */
  readonly approval: "asks" | "trusted" | "changed";
  /** A hash of the server and the tool's definition. */
  readonly hash: string;
  /** Everything that the server says about the tool, as text. */
  readonly definition: string;
  /** The lines that differ from the trusted definition, each after `- ` or `+ `; null if nothing differs. */
  readonly change: string | null;
}

/** A text or a file that a server offers. */
export interface McpResourceRecord {
  readonly uri: string;
  readonly name: string;
  readonly description: string | null;
}

/** A text that a server creates from arguments, for a user to send to an agent. */
export interface McpPromptRecord {
  readonly name: string;
  readonly description: string | null;
  readonly arguments: readonly {
    readonly name: string;
    readonly description: string | null;
    readonly isRequired: boolean;
  }[];
}

/** An MCP server and what it offers now. */
export interface McpServerRecord {
  readonly name: string;
  /** The command with its arguments, or the URL. May contain secrets. */
  readonly location: string;
  readonly state: "connected" | "needs-sign-in" | "failed";
  /** Why the server is not connected; null if it is. */
  readonly problem: string | null;
  /** Why some of the server's tools are not used, one sentence each. */
  readonly notes: readonly string[];
  readonly tools: readonly McpToolRecord[];
  readonly resources: readonly McpResourceRecord[];
  readonly prompts: readonly McpPromptRecord[];
}

/** A tool's definition that is trusted: calls of the tool run without approval until the server changes the definition. */
export interface TrustedDefinition {
  readonly hash: string;
  readonly definition: string;
}

export interface McpOperations {
  /** Returns all servers, after an attempt to connect those that are not connected yet. */
  servers(): Promise<readonly McpServerRecord[]>;
  /** Returns the questions that wait for an answer. */
  questions(): readonly McpQuestion[];
  /**
   * Sets the listener that receives each question of a server during a call, or removes it (null). The call waits for the
   * answer for at most 30 minutes. Without a listener, questions are declined.
   */
  watchQuestions(listener: ((question: McpQuestion) => void) | null): void;
  /** Answers a question. Throws RequestError `input_invalid` for an answer of the wrong form; the question then stays open. */
  answer(questionId: string, answer: McpAnswer): Promise<void>;
  /**
   * Trusts a tool, `server__tool`: all users' calls run without approval until the tool's definition changes or the host is
   * closed. Returns what to add to `trusted` in the configuration. Throws RequestError `tool_not_found`.
   */
  trust(tool: string): Promise<TrustedDefinition & { readonly server: string; readonly toolName: string }>;
  /**
   * Returns a resource of a server, by its URI or name, as files to send with a message. The files have the trust `external`.
   * Throws RequestError `file_unreadable`.
   */
  readResource(server: string, resource: string): Promise<readonly FileInput[]>;
  /**
   * Returns the text and files of a server's prompt, as files to send with a message. Throws RequestError `file_unreadable`,
   * and `input_invalid` for a missing or an unknown argument.
   */
  readPrompt(server: string, prompt: string, args?: Readonly<Record<string, string>>): Promise<readonly FileInput[]>;
  /**
   * Begins a sign-in to a server by OAuth, for all users of the process. The tokens are stored in `dataDir` and renewed. Throws
   * RequestError `mcp_sign_in_failed`.
   */
  signIn(server: string): Promise<McpSignIn>;
  /**
   * Deletes the tokens of a server. Returns false if there were none. Throws RequestError `mcp_sign_in_failed` for an unknown
   * server.
   */
  signOut(server: string): Promise<boolean>;
  /** Makes calls of a tool wait for approval again. Throws RequestError `tool_not_found`. */
  distrust(tool: string): Promise<{ readonly server: string; readonly toolName: string }>;
}

/** An entry for a server, in the form of the configuration file. */
export type McpServerEntry = Readonly<Record<string, unknown>>;

/** Operations on the servers in the configuration file. */
export interface McpSetup {
  /** Connects to the servers in the file, returns their records, and closes the connections. */
  list(names?: readonly string[]): Promise<readonly McpServerRecord[]>;
  /** Adds or replaces a server; the other content of the file stays. Throws ConfigError for an invalid entry. */
  add(name: string, entry: McpServerEntry): Promise<{ readonly file: string; readonly isNew: boolean }>;
  /**
   * Signs the user in to a server. The function `accompany` must show the address of the sign-in page, and may call `finish`
   * with an address that the user copies from the browser. Rejects with the error of `accompany`, and with RequestError
   * `mcp_sign_in_failed`.
   */
  signIn(name: string, accompany: (signIn: McpSignIn) => Promise<void>): Promise<void>;
  /** Signs the user out of a server. Returns false if the user was not signed in. */
  signOut(name: string): Promise<boolean>;
  /** Removes the server and its sign-in. Throws ConfigError if there is no server with this name. */
  remove(name: string): Promise<{ readonly file: string }>;
  /** Saves a tool's trusted definition in the file; null removes it. Throws ConfigError for an unknown server. */
  keepTrust(server: string, toolName: string, trusted: TrustedDefinition | null): Promise<{ readonly file: string }>;
}
