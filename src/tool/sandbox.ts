// The port to a sandbox: what runs source code that users have stored.
// Invariant: source code never runs in this process.

/** What the source code of a tool declares. */
export interface SourceDescription {
  readonly name: string;
  /** Empty if the function has no docstring. */
  readonly description: string;
  /** A JSON Schema of an object. */
  readonly parameters: Readonly<Record<string, unknown>>;
}

export interface SourceCall {
  readonly source: string;
  /** The function in it. */
  readonly name: string;
  readonly args: Readonly<Record<string, unknown>>;
  readonly signal?: AbortSignal;
}

export interface SourceResult {
  /** `failed`: the code raised an error, exceeded a limit, or ended without a result. */
  readonly status: "ok" | "failed";
  /** The returned value as text, or what went wrong. */
  readonly text: string;
  /** What the code printed, cut at the sandbox's limit. */
  readonly stdout: string;
  /** The same for its errors; of a failed call, with the lines of the code that raised the error. */
  readonly stderr: string;
}

export interface Sandbox {
  /**
   * Reads a function without running it. `name`: which one; default the only public one. Throws RequestError
   * `tool_source_invalid`, with the line and what was expected.
   */
  describe(source: string, name?: string): Promise<SourceDescription>;
  /** Runs a function in a process of its own. Throws the signal's reason. */
  run(call: SourceCall): Promise<SourceResult>;
  close(): Promise<void>;
}
