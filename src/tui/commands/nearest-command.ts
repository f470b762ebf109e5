// Which command someone probably meant who typed one that does not exist.
// Invariant: pure; what it names exists.
import { nearestName } from "../../base/nearest-name.ts";

/** What other programs of this kind, and MemGPT, call some of them. */
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

/** Of fewer letters, every other command is a slip away. */
const minLetters = 2;

/** By another name for it, by a slip of the fingers, by its beginning; undefined when none of these finds one. */
export function nearestCommand(typed: string, names: readonly string[]): string | undefined {
  const other = Object.hasOwn(otherNames, typed) ? otherNames[typed] : undefined;
  if (other !== undefined && names.includes(other)) return other;
  if (typed.length < minLetters) return undefined;
  const near = nearestName(typed, names);
  if (near !== undefined) return near;
  // The shortest of those that begin so.
  return names
    .filter((name) => name.startsWith(typed))
    .reduce<string | undefined>(
      (best, name) => (best === undefined || name.length < best.length ? name : best),
      undefined,
    );
}
