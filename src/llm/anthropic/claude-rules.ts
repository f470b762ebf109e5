// What Claude's current models accept that earlier ones do not, by the name of the model
// (platform.claude.com, "What's new in Claude Opus 5.5" and "Preserved thinking").

const named = /^claude-(?<family>opus|sonnet|haiku|fable|mythos)-(?<major>\d+)(?:-(?<minor>\d{1,2})(?!\d))?/u;

/** The first versions whose thinking is bound to the request before it. */
const firstBound: Readonly<Record<string, number>> = { opus: 5.5, sonnet: 5.5, haiku: 5.5, fable: 5.1, mythos: 5.1 };

/**
 * Returns whether a model always thinks, adaptively: it refuses a thinking budget and a forced tool call, and each thought is
 * bound to everything before it. `model` is the API's name.
 */
export function alwaysThinks(model: string): boolean {
  const { family = "", major, minor = "0" } = named.exec(model)?.groups ?? {};
  return Number(`${major}.${minor}`) >= (firstBound[family] ?? Number.POSITIVE_INFINITY);
}
