// Which trust class a text has, by what it was made from. What each source has is in docs/memory.md, the reasons in ADR 10.
// Invariant: pure, and no rule gives a text a higher class than the lowest that it was made from.
import type { Trust } from "../message/message.ts";

const order: readonly Trust[] = ["user", "model", "external"];

/** The lowest of the classes: that of a text which was made from all of them. */
export function lowestTrust(first: Trust, ...others: readonly Trust[]): Trust {
  return order[Math.max(order.indexOf(first), ...others.map((trust) => order.indexOf(trust)))] ?? "external";
}

export interface ReplySources {
  /** Of the modules in the prompt. */
  readonly modules: readonly Trust[];
  /** Of all else that the model was sent: the messages and summaries of the window, and what was looked up. */
  readonly window: readonly Trust[];
}

/** Of a model's reply, and of the arguments of its calls. */
export function trustOfReply({ modules, window }: ReplySources): Trust {
  return lowestTrust("model", ...modules, ...window);
}

/** Of a summary, by the class of each message and summary that it was made from. An empty one says nothing. */
export function trustOfSummary(summary: string, from: readonly { readonly trust: Trust }[]): Trust {
  return summary === "" ? "user" : lowestTrust("model", ...from.map(({ trust }) => trust));
}

export interface CallSources {
  /** Of the reply that holds the call. */
  readonly reply: Trust;
  /** Of the modules as the tool found them; a call before it may have changed them. */
  readonly modules: readonly Trust[];
  /** Of what the tool found in recall and archival memory. */
  readonly recalled: readonly Trust[];
  /** Whether the tool is one of the runtime's own, whose result comes from memory alone; undefined for an unknown tool. */
  readonly isOwn: boolean | undefined;
}

/** Of a tool's result, and of everything that the tool wrote. */
export function trustOfCall({ reply, modules, recalled, isOwn }: CallSources): Trust {
  return isOwn === false ? "external" : lowestTrust(reply, ...modules, ...recalled);
}
