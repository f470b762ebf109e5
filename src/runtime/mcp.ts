// Operations on the MCP servers of the setting `mcpServers`, which all users of a host share.
// Invariant: types only.

import type { FileInput } from "../base/message/file-part.ts";

/** A tool of an MCP server. */
export interface McpToolRecord {
  /** The tool's name for agents: `server__tool`. */
  readonly name: string;
  /** The tool's name on the server. */
  readonly toolName: string;
  readonly description: string;
  /** `asks`: each call waits for approval. `trusted`: calls run at once. `changed`: it was trusted, with another definition. */
  readonly approval: "asks" | "trusted" | "changed";
  /** The hash of the server and of the tool's definition. */
  readonly hash: string;
  /** Everything that the server says about the tool, as text. */
  readonly definition: string;
  /** The lines that differ from the trusted definition, each after `- ` or `+ `; null if nothing differs. */
  readonly change: string | null;
}

/** A text or a file that a server has. */
export interface McpResourceRecord {
  readonly uri: string;
  readonly name: string;
  readonly description: string | null;
}

/** A text that a server writes from arguments, to be sent to an agent. */
export interface McpPromptRecord {
  readonly name: string;
  readonly description: string | null;
  readonly arguments: readonly {
    readonly name: string;
    readonly description: string | null;
    readonly isRequired: boolean;
  }[];
}

/** What a server asks the user during a call. */
export interface McpQuestion {
  readonly id: string;
  readonly server: string;
  readonly message: string;
  readonly fields: readonly McpQuestionField[];
}

export interface McpQuestionField {
  readonly name: string;
  readonly title: string | null;
  readonly description: string | null;
  /** `choice`: one of the options, `choices`: some of them. */
  readonly kind: "text" | "number" | "integer" | "boolean" | "choice" | "choices";
  readonly options: readonly string[];
  readonly isRequired: boolean;
  /** The default value of the field; null: none. */
  readonly preset: string | number | boolean | readonly string[] | null;
}

/** `content`: a value for each field; numbers, truth values and lists may be texts. */
export type McpAnswer =
  | { readonly action: "accept"; readonly content: Readonly<Record<string, unknown>> }
  | { readonly action: "decline" };

/** An MCP server and what it offers now. */
export interface McpServerRecord {
  readonly name: string;
  /** The command with its arguments, or the URL. May contain secrets. */
  readonly location: string;
  readonly state: "connected" | "needs-sign-in" | "failed";
  /** Why it is not connected. */
  readonly problem: string | null;
  /** Why some of its tools are not used. */
  readonly notes: readonly string[];
  readonly tools: readonly McpToolRecord[];
  readonly resources: readonly McpResourceRecord[];
  readonly prompts: readonly McpPromptRecord[];
}

/** A sign-in to a server that waits for the user. */
export interface McpSignIn {
  /** The page where the user signs in, for a browser. */
  readonly address: string;
  /**
   * Resolves when the user is signed in and the server was tried. Rejects with RequestError `mcp_sign_in_failed`, at the latest
   * after 10 minutes.
   */
  readonly ended: Promise<void>;
  /**
   * Ends the sign-in with the address to which the browser was redirected, if the browser cannot reach this machine. Throws
   * RequestError `mcp_sign_in_failed`; after an address of another sign-in, this one still waits.
   */
  finish(address: string): Promise<void>;
  /** Ends a sign-in that still waits. */
  cancel(): void;
}

/** A definition whose calls run without approval. */
export interface TrustedDefinition {
  readonly hash: string;
  readonly definition: string;
}

export interface McpOperations {
  /** Returns all servers, after an attempt to connect those that are not connected. */
  servers(): Promise<readonly McpServerRecord[]>;
  /** Returns the questions that wait for an answer. */
  questions(): readonly McpQuestion[];
  /**
   * Sets the listener, which receives each question that a server asks during a call; the call waits for the answer, at most 30
   * minutes. Without a listener, questions are declined.
   */
  watchQuestions(listener: ((question: McpQuestion) => void) | null): void;
  /** Answers a question. Throws RequestError `input_invalid` for an answer that does not fit; then the question still waits. */
  answer(questionId: string, answer: McpAnswer): Promise<void>;
  /**
   * Lets calls of a tool, `server__tool`, run without approval until the host is closed, for all users, as long as its
   * definition stays as it is. Returns what to add to `trusted` in the configuration. Throws RequestError `tool_not_found`.
   */
  trust(tool: string): Promise<TrustedDefinition & { readonly server: string; readonly toolName: string }>;
  /**
   * Returns a resource of a server, by its URI or name, as files to send with a message, which have the trust `external`.
   * Throws RequestError `file_unreadable`.
   */
  readResource(server: string, resource: string): Promise<readonly FileInput[]>;
  /**
   * Returns what a prompt of a server says, as files to send with a message. Throws RequestError `file_unreadable`, and
   * `input_invalid` for a missing or an unknown argument.
   */
  readPrompt(server: string, prompt: string, args?: Readonly<Record<string, string>>): Promise<readonly FileInput[]>;
  /**
   * Begins a sign-in to a server by OAuth, for all users of the process. The tokens are kept in `dataDir`, and renewed. Throws
   * RequestError `mcp_sign_in_failed`.
   */
  signIn(server: string): Promise<McpSignIn>;
  /**
   * Forgets the tokens of a server. Returns whether there were some. Throws RequestError `mcp_sign_in_failed` for an unknown
   * server.
   */
  signOut(server: string): Promise<boolean>;
  /** Makes calls of a tool wait for approval. Throws RequestError `tool_not_found`. */
  distrust(tool: string): Promise<{ readonly server: string; readonly toolName: string }>;
}

/** A server as in the configuration file. */
export type McpServerEntry = Readonly<Record<string, unknown>>;

/** Operations on the servers in the configuration file. */
export interface McpSetup {
  /** Returns the servers in the file, connected, and closes the connections. */
  list(names?: readonly string[]): Promise<readonly McpServerRecord[]>;
  /** Adds or replaces a server; the other content of the file stays. Throws ConfigError for an entry that is not valid. */
  add(name: string, entry: McpServerEntry): Promise<{ readonly file: string; readonly isNew: boolean }>;
  /**
   * Signs the user in to a server. `accompany` shows the page, and may pass on what the user types. Rejects with the error of
   * `accompany`, and with RequestError `mcp_sign_in_failed`.
   */
  signIn(name: string, accompany: (signIn: McpSignIn) => Promise<void>): Promise<void>;
  /** Returns whether the user was signed in. */
  signOut(name: string): Promise<boolean>;
  /** Removes the server, and its sign-in. Throws ConfigError if there is none of this name. */
  remove(name: string): Promise<{ readonly file: string }>;
  /** Writes which definition of a tool is trusted; null: none. Throws ConfigError for an unknown server. */
  keepTrust(server: string, toolName: string, trusted: TrustedDefinition | null): Promise<{ readonly file: string }>;
}
