// Which trust class a text has, by what it was made from. What each source has is in docs/memory.md, the reasons in ADR 10.
// Invariant: pure, and no rule gives a text a higher class than the lowest that it was made from.
import type { Trust } from "../message.ts";

const order: readonly Trust[] = ["user", "model", "external"];

/** The lowest of the classes: that of a text which was made from all of them. */
export function lowestTrust(first: Trust, ...others: readonly Trust[]): Trust {
  return order[Math.max(order.indexOf(first), ...others.map((trust) => order.indexOf(trust)))] ?? "external";
}

export interface ReplySources {
  /** Of the modules in the prompt. */
  readonly modules: readonly Trust[];
  /** Of the messages of the running turn so far: its input, replies and tool results; and of what was looked up for it. */
  readonly turn: readonly Trust[];
}

/** Of a model's reply, and of the arguments of its calls. */
export function trustOfReply({ modules, turn }: ReplySources): Trust {
  return lowestTrust("model", ...modules, ...turn);
}

export interface CallSources {
  /** Of the reply that holds the call. */
  readonly reply: Trust;
  /** Of the modules as the tool found them; a call before it may have changed them. */
  readonly modules: readonly Trust[];
  /** Of what the tool found in recall and archival memory. */
  readonly recalled: readonly Trust[];
  /** What the tool says of itself; undefined when there is no such tool. */
  readonly effects: "memory" | "external" | undefined;
}

/** Of a tool's result, and of everything that the tool wrote. */
export function trustOfCall({ reply, modules, recalled, effects }: CallSources): Trust {
  return effects === "external" ? "external" : lowestTrust(reply, ...modules, ...recalled);
}
