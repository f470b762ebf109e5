// Computes the trust class of a text from the texts that it was made from, and the external sources in a window, which
// lower the class of the model's texts and are recorded with them. Classes by source: docs/memory.md; reasons: ADR 10.
// Invariant: pure; no text gets a higher class than the lowest that it was made from; everything in the window counts,
// whichever turn added it; no class is lowered without a source.
import { type ExternalSource, filesOf, lowestTrust, type Trust } from "../base/message/message.ts";
import type { CompactionRecord, StoredMessage } from "../store/port/records.ts";

export interface ReplySources {
  /** Classes of the modules in the prompt. */
  readonly modules: readonly Trust[];
  /** Classes of everything else that the model was sent: messages and summaries of the window, and retrieved items. */
  readonly window: readonly Trust[];
}

/** Returns the class of a model's reply and of its calls' arguments. */
export function trustOfReply({ modules, window }: ReplySources): Trust {
  return lowestTrust(["model", ...modules, ...window]);
}

/**
 * Returns the class of a summary, from the messages and summaries that it was made from. An empty summary has the highest
 * class.
 */
export function trustOfSummary(summary: string, from: readonly { readonly trust: Trust }[]): Trust {
  return summary === "" ? "user" : lowestTrust(["model", ...from.map(({ trust }) => trust)]);
}

export interface CallSources {
  /** Class of the reply that contains the call. */
  readonly reply: Trust;
  /** Classes of the modules when the tool ran; an earlier call may have changed them. */
  readonly modules: readonly Trust[];
  /** Classes of what the tool found in recall and archival memory. */
  readonly recalled: readonly Trust[];
  /**
   * Whether the tool is one of the runtime's own, whose result comes from memory only; undefined for an unknown tool.
   */
  readonly isOwn: boolean | undefined;
}

/** Returns the class of a tool's result, and of everything that the tool wrote. */
export function trustOfCall({ reply, modules, recalled, isOwn }: CallSources): Trust {
  return isOwn === false ? "external" : lowestTrust([reply, ...modules, ...recalled]);
}

export interface WindowContent {
  readonly messages: readonly StoredMessage[];
  readonly summaries: readonly Pick<CompactionRecord, "id" | "summary" | "trust">[];
  /** Classes of the modules, by label. */
  readonly modules: ReadonlyMap<string, Trust>;
  /** Trust class of core memory as the prompt shows it; null for none. */
  readonly prompt: Trust | null;
  readonly synopsis: Trust | null;
  /** The items that were looked up for the messages. */
  readonly retrieved: readonly { readonly id: string; readonly trust: Trust }[];
}

/** Returns the classes of the memory in the prompt and in state entries. */
export function memoryTrust({ modules, prompt, synopsis }: WindowContent): readonly Trust[] {
  return [...modules.values(), ...[prompt, synopsis].filter((trust) => trust !== null)];
}

/** Returns the classes of messages, summaries and retrieved items, each once. */
export function windowTrust({ messages, summaries, retrieved }: WindowContent): readonly Trust[] {
  const classes = new Set<Trust>();
  for (const items of [messages, summaries, retrieved]) {
    for (const { trust } of items) classes.add(trust);
  }
  for (const { stated } of messages) if (stated?.trust !== undefined) classes.add(stated.trust);
  return [...classes];
}

/** Maximum number of recorded sources; only the newest are recorded. */
const maxSources = 16;

/** Returns the external sources in the window, oldest first. `isOwn`: whether a tool is one of the runtime's own. */
export function externalSources(
  content: WindowContent,
  isOwn: (toolName: string) => boolean,
): readonly ExternalSource[] {
  const { summaries, modules, prompt, synopsis, retrieved } = content;
  const low = <Item extends { readonly trust: Trust }>(items: readonly Item[]) =>
    items.filter(({ trust }) => trust === "external");
  const { external, derived } = messageSources(content.messages, isOwn);
  const sources = [
    ...(prompt === "external" ? [{ kind: "prompt" as const, id: "" }] : []),
    ...[...modules].flatMap(([id, trust]) => (trust === "external" ? [{ kind: "module" as const, id }] : [])),
    ...(synopsis === "external" ? [{ kind: "synopsis" as const, id: "" }] : []),
    ...low(summaries).map(({ id }) => ({ kind: "summary" as const, id })),
    ...external,
    ...low(retrieved).map(({ id }) => ({ kind: "passage" as const, id })),
  ];
  return (sources.length === 0 ? derived : sources).slice(-maxSources);
}

/**
 * Returns the newest messages with external text (`external`), and the newest message that was only made from such text
 * (`derived`), which counts only if the window has no other external source. Reads backwards, because only the newest
 * sources are recorded.
 */
function messageSources(
  messages: readonly StoredMessage[],
  isOwn: (toolName: string) => boolean,
): Readonly<Record<"external" | "derived", readonly ExternalSource[]>> {
  const external: ExternalSource[] = [];
  let derived: ExternalSource | null = null;
  for (let at = messages.length - 1; at >= 0 && external.length < maxSources; at -= 1) {
    const message = messages[at] as StoredMessage;
    if (message.trust !== "external") continue;
    const source = sourceOf(message);
    const isDerived =
      message.role === "assistant" ||
      (source.kind === "tool" && isOwn(source.name ?? "") && trustOfCaller(messages, at) === "external");
    if (isDerived) derived ??= source;
    else external.unshift(source);
  }
  return { external, derived: derived === null ? [] : [derived] };
}

/** Returns the class of the reply before the message at the index `at`. */
function trustOfCaller(messages: readonly StoredMessage[], at: number): Trust {
  let before = at - 1;
  while (before >= 0 && messages[before]?.role !== "assistant") before -= 1;
  return messages[before]?.trust ?? "user";
}

function sourceOf(message: StoredMessage): ExternalSource {
  const { id, role, content } = message;
  const result = content.find((part) => part.type === "tool-result");
  if (result !== undefined) return { kind: "tool", id, name: result.name };
  return { kind: role === "user" && filesOf(message).length > 0 ? "file" : "message", id };
}
