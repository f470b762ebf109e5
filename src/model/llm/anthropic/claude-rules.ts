// Returns the request options that a Claude model accepts, by the model's name. Sources (platform.claude.com): "Thinking",
// "Effort", "Structured outputs", "Preserved thinking", "What's new in Claude Opus 4.7" and "5.5".

const named = /^claude-(?<family>opus|sonnet|haiku|fable|mythos)-(?<major>\d+)(?:-(?<minor>\d{1,2})(?!\d))?/u;
/** The only model before version 4 that thinks. In its name, the version precedes the family. */
const firstThinking = /^claude-3-7-sonnet/u;

/** The first version of each family that binds thoughts (`isBound`). */
const firstBound: Readonly<Record<string, number>> = { opus: 5.5, sonnet: 5.5, haiku: 5.5, fable: 5.1, mythos: 5.1 };

export interface ClaudeRules {
  /**
   * `adaptive`: the model decides how much it thinks, guided by `effort`. `budget`: the model thinks only if the
   * request sets a budget.
   */
  readonly thinking: "adaptive" | "budget" | "none";
  /** Whether the model thinks unless the request says otherwise. */
  readonly thinksByDefault: boolean;
  /** The least thinking that can be requested: none, only between tool calls, or as little as a low effort causes. */
  readonly least: "disabled" | "between_tools" | "effort";
  /** Whether a tool call can be forced while thinking is off. */
  readonly canForceCalls: boolean;
  /** Whether the model accepts a temperature while it does not think. */
  readonly hasTemperature: boolean;
  /** Whether the API can ensure that a reply's text matches a JSON Schema. */
  readonly hasStructuredOutput: boolean;
  /** Whether the API accepts a thought only if everything before it in the request is the same as when the model wrote it. */
  readonly isBound: boolean;
  /** Whether messages of the role `system` are accepted after a user's message ("Mid-conversation system messages"). */
  readonly takesSystemMessages: boolean;
  /** Whether the API accepts the memory tool by its type alone, without a description and a schema. */
  readonly hasMemoryTool: boolean;
}

const withoutThinking: ClaudeRules = {
  thinking: "none",
  thinksByDefault: false,
  least: "disabled",
  canForceCalls: true,
  hasTemperature: true,
  hasStructuredOutput: false,
  isBound: false,
  takesSystemMessages: false,
  hasMemoryTool: false,
};

/**
 * Returns the rules of a model, by the API's name. An unknown name gets the rules of the earliest models, because
 * every model accepts requests by these rules.
 */
export function claudeRules(model: string): ClaudeRules {
  if (firstThinking.test(model)) return { ...withoutThinking, thinking: "budget" };
  const { family, major, minor = "0" } = named.exec(model)?.groups ?? {};
  if (family === undefined) return withoutThinking;
  const version = Number(`${major}.${minor}`);
  if (version < 4) return withoutThinking;
  const hasStructuredOutput = version >= 4.5;
  const hasMemoryTool = true;
  if (version < 4.6) return { ...withoutThinking, thinking: "budget", hasStructuredOutput, hasMemoryTool };
  const isBound = version >= firstBound[family]!;
  const least = leastOf(family, isBound);
  const canForceCalls = !isBound && least === "disabled";
  return {
    thinking: "adaptive",
    thinksByDefault: version >= 5,
    least,
    canForceCalls,
    hasTemperature: version < 4.7,
    hasStructuredOutput,
    isBound,
    takesSystemMessages: isBound || (family === "opus" && version >= 4.8),
    hasMemoryTool,
  };
}

function leastOf(family: string, isBound: boolean): ClaudeRules["least"] {
  if (family === "fable" || family === "mythos" || (family === "opus" && isBound)) return "effort";
  return family === "sonnet" && isBound ? "between_tools" : "disabled";
}
