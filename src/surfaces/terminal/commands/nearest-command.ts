// Suggests the nearest command for an unknown one.
// Invariant: pure; the suggested command exists.
import { nearestName } from "../../../base/nearest-name.ts";

/** Names of commands in MemGPT and similar programs. */
const otherNames: Readonly<Record<string, string>> = {
  "?": "help",
  commands: "help",
  q: "exit",
  quit: "exit",
  bye: "exit",
  clear: "new",
  reset: "new",
  savechat: "save",
  dumpraw: "dump",
  load: "attach",
  sources: "attach",
  sessions: "resume",
  conversations: "resume",
  continue: "resume",
  regenerate: "retry",
  rewind: "pop",
  edit: "rewrite",
  system: "systemswap",
  prompt: "systemswap",
  status: "context",
  cost: "usage",
  tokens: "usage",
  find: "search",
  recall: "search",
  permissions: "tools",
  ask: "btw",
  models: "model",
};

/** Minimum length for a suggestion: a shorter name is one typing error away from most commands. */
const minLetters = 2;

/** Matches by an alias, by edit distance or by prefix; undefined without a match. */
export function nearestCommand(typed: string, names: readonly string[]): string | undefined {
  const other = Object.hasOwn(otherNames, typed) ? otherNames[typed] : undefined;
  if (other !== undefined && names.includes(other)) return other;
  if (typed.length < minLetters) return undefined;
  const near = nearestName(typed, names);
  if (near !== undefined) return near;
  // The shortest command with that prefix.
  return names
    .filter((name) => name.startsWith(typed))
    .reduce<string | undefined>(
      (best, name) => (best === undefined || name.length < best.length ? name : best),
      undefined,
    );
}
