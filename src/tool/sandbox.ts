// Declares the port to a sandbox, which runs source code that users have stored.
// Invariant: source code never runs in this process.

/** The declaration of a tool in its source code. */
export interface SourceDescription {
  readonly name: string;
  /** The function's docstring; empty if it has none. */
  readonly description: string;
  /** A JSON Schema of an object. */
  readonly parameters: Readonly<Record<string, unknown>>;
}

export interface SourceCall {
  readonly source: string;
  /** The name of the function to run. */
  readonly name: string;
  readonly args: Readonly<Record<string, unknown>>;
  readonly signal?: AbortSignal;
}

export interface SourceResult {
  /** `failed`: the code raised an error, exceeded a limit, or ended without a result. */
  readonly status: "ok" | "failed";
  /** The returned value as text, or the reason of the failure. */
  readonly text: string;
  /** The code's standard output, cut at the sandbox's limit. */
  readonly stdout: string;
  /** The code's standard error, cut at the same limit; for a failed call, with the lines of code that raised the error. */
  readonly stderr: string;
}

export interface Sandbox {
  /**
   * Returns the declaration of a function without running it. `name`: the name of the function; default: the only public
   * function. Throws RequestError `tool_source_invalid`, with the line and what was expected.
   */
  describe(source: string, name?: string): Promise<SourceDescription>;
  /** Runs a function in a separate process. Throws the signal's reason. */
  run(call: SourceCall): Promise<SourceResult>;
  close(): Promise<void>;
}
