// Types of what MCP servers ask of a user: an answer to a question, or a sign-in.
// Invariant: types only.

/** A question that a server asks the user during a call of its tool. */
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
  /** The type of the answer. `choice`: one of the options; `choices`: some of them. */
  readonly kind: "text" | "number" | "integer" | "boolean" | "choice" | "choices";
  readonly options: readonly string[];
  readonly isRequired: boolean;
  /** The default answer; null: none. */
  readonly preset: string | number | boolean | readonly string[] | null;
}

/** The user's answer. `content` has a value for each field; numbers, booleans and lists may be given as text. */
export type McpAnswer =
  | { readonly action: "accept"; readonly content: Readonly<Record<string, unknown>> }
  | { readonly action: "decline" };

/** A sign-in to a server that waits for the user. */
export interface McpSignIn {
  /** The page where the user signs in, for a browser. */
  readonly address: string;
  /**
   * Resolves when the user is signed in and a connection was attempted. Rejects with RequestError `mcp_sign_in_failed`, after
   * 10 minutes at the latest.
   */
  readonly ended: Promise<void>;
  /**
   * Completes the sign-in with the address to which the browser was redirected, if the browser cannot reach this machine.
   * Throws RequestError `mcp_sign_in_failed`. If the address belongs to another sign-in, this sign-in continues to wait.
   */
  finish(address: string): Promise<void>;
  /** Cancels the sign-in if it still waits. */
  cancel(): void;
}
