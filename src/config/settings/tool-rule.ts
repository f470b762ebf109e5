// Defines the rules in an agent's setting `toolRules`, which restrict the order of its tool calls.
// Invariant: types only; src/agent/rules/tool-rules.ts applies the rules.

/** A rule about one tool, which `tool` names. */
export type ToolRule =
  /** The first call of a turn must be of this tool, or of another tool with this rule. */
  | { readonly type: "run-first"; readonly tool: string }
  /** The turn ends after a call of this tool, with the stop reason `tool-rule`. */
  | { readonly type: "exit-loop"; readonly tool: string }
  /** The model is called again after a call of this tool, in every protocol. */
  | { readonly type: "continue-loop"; readonly tool: string }
  /** After a call of this tool, only the `children` may be called. */
  | { readonly type: "constrain-child-tools"; readonly tool: string; readonly children: readonly string[] }
  /**
   * After a call of this tool, only one tool may be called: the one that `children` names for the text of the result,
   * or else `otherwise`. If both are absent, any tool may be called.
   */
  | {
      readonly type: "conditional";
      readonly tool: string;
      readonly children: Readonly<Record<string, string>>;
      readonly otherwise?: string | undefined;
    }
  | { readonly type: "max-count-per-turn"; readonly tool: string; readonly count: number }
  /** The `children` may be called only directly after a call of this tool. */
  | { readonly type: "parent-last-tool"; readonly tool: string; readonly children: readonly string[] }
  /** The turn does not end before a call of this tool, unless it is interrupted or a limit is reached. */
  | { readonly type: "required-before-exit"; readonly tool: string }
  /** Each call of this tool waits until the user approves it. */
  | { readonly type: "requires-approval"; readonly tool: string };
