// Runs one conversation of 200 turns with 40 memory edits through the real loop and adapter, and records its requests.
// Invariant: the texts are the same in every run; the run fails unless the modules in every request body equal the agent's.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import type { Agent } from "../src/agent/agent.ts";
import type { AgentEvent } from "../src/agent/events.ts";
import { createRuntime } from "../src/runtime/compose/compose.ts";
import { createAnthropicModel } from "../src/model/llm/anthropic/anthropic-model.ts";
import type { CompactionStrategy } from "../src/store/port/records.ts";
import { prefixShares, sentBytes, type SentBytes, type SentRequest } from "./prefix.ts";
import { readModules } from "./read-modules.ts";
import { createScriptedProvider, type SeenBody } from "./scripted-provider.ts";

export interface ReplayKind {
  /** `recompiled`: inline, with the counts and the time of the last change before core memory, as in MemGPT's prompt. */
  readonly layout: "stable" | "inline" | "recompiled";
  readonly strategy: CompactionStrategy;
}

export interface Replay extends ReplayKind {
  readonly shares: ReturnType<typeof prefixShares>;
  readonly bytes: SentBytes;
  /** Counted tokens of all requests together. */
  readonly sentTokens: number;
  readonly compactions: number;
  /** Number of changes of the prompt without a compaction. */
  readonly renewals: number;
}

const turns = 200;
const edits = 40;
const window = 32_768;

export async function replayConversation(kind: ReplayKind): Promise<Replay> {
  const folder = mkdtempSync(path.join(tmpdir(), "palimpsest-replay-"));
  const requests: ReplayedRequest[] = [];
  let agent: Agent | undefined;
  let compacted = false;
  const see = ({ text, isSummary }: SeenBody): void => {
    if (isSummary) return;
    requireCurrent(text, agent);
    const { body, system } = promptOf(text);
    const sent = kind.layout === "recompiled" ? recompiled(body, requests.length) : body;
    requests.push({ body: sent, system: kind.layout === "recompiled" ? sent : system, afterCompaction: compacted });
    compacted = false;
  };
  const provider = createScriptedProvider(see);
  const model = createAnthropicModel({ model: "bench", apiKey: "none", contextWindow: window, fetch: provider.fetch });
  const layout = kind.layout === "stable" ? "stable" : "inline";
  const runtime = await createRuntime({
    dataDir: folder,
    model: model.name,
    models: [model],
    embedder: null,
    layout,
    compaction: kind.strategy,
  });
  const counts = { sentTokens: 0, compactions: 0 };
  const count = (event: AgentEvent): void => {
    if (event.type === "step-start") counts.sentTokens += event.window.tokens;
    if (event.type === "compaction") {
      counts.compactions += 1;
      compacted = true;
    }
    if (event.type === "turn-end" && event.stopReason !== "end-turn") {
      throw new Error(`A turn ended with ${event.stopReason}: ${event.error?.message}`);
    }
  };
  try {
    agent = await runtime.agents.open("bench", { create: {} });
    const words = createWords(20_261_121);
    for (let turn = 0; turn < turns; turn += 1) {
      if (turn % (turns / edits) === 2) provider.replies.push({ call: editOf(turn, words) });
      provider.replies.push({ text: words.text(100, 2000) });
      for await (const event of agent.send(words.text(100, 2000))) count(event);
    }
  } finally {
    await runtime.close();
    rmSync(folder, { recursive: true, force: true });
  }
  return {
    ...kind,
    shares: prefixShares(requests),
    bytes: sentBytes(requests),
    ...counts,
    renewals: renewalsIn(requests),
  };
}

interface ReplayedRequest extends SentRequest {
  readonly system: string;
}

/** Returns what the model reads, in its order, and the system prompt. The marks of the cache move and are no part of the prompt. */
function promptOf(text: string): Pick<ReplayedRequest, "body" | "system"> {
  const { tools, system, messages } = JSON.parse(text) as Readonly<Record<"tools" | "system" | "messages", unknown>>;
  const write = (value: unknown): string =>
    JSON.stringify(value, (key, part: unknown) => (key === "cache_control" ? undefined : part));
  return { body: write([tools, system, messages]).slice(0, -"]]".length), system: write(system) };
}

/** Requires the modules in the body to equal the agent's. */
function requireCurrent(body: string, agent: Agent | undefined): void {
  const read = readModules(body);
  for (const { label, value } of agent?.memory.modules ?? []) {
    if (read.get(label) !== value) {
      throw new Error(
        `The request shows ${label} as ${JSON.stringify(read.get(label))}, not ${JSON.stringify(value)}.`,
      );
    }
  }
}

function renewalsIn(requests: readonly ReplayedRequest[]): number {
  return requests.filter(
    ({ system, afterCompaction }, at) => at > 0 && system !== requests[at - 1]?.system && !afterCompaction,
  ).length;
}

/** MemGPT's lines before the modules: "### Memory [last modified: …]", and the sizes of recall and archival memory. */
function recompiled(body: string, requests: number): string {
  const minute = String(requests % 60).padStart(2, "0");
  const head = `### Memory [last modified: 2026-11-21 10:${minute}:00 AM]\\n${2 * requests} previous messages between you and the user are stored in recall memory\\n`;
  return body.replace("<persona characters", `${head}<persona characters`);
}

interface Words {
  /** Returns a text with a length in the given range, in characters. */
  text(min: number, max: number): string;
}

const vocabulary =
  "boat tide harbour mast rope anchor island letter morning evening captain weather chart lantern market bridge window garden river winter summer story answer question plan number ticket train coffee bread".split(
    " ",
  );

/** Returns a deterministic random generator (linear congruential). */
function createWords(seed: number): Words {
  let state = seed;
  const next = (below: number): number => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
  return {
    text(min, max) {
      const length = min + next(max - min);
      let text = "";
      while (text.length < length) text += `${vocabulary[next(vocabulary.length)]} `;
      return text.slice(0, length).trim();
    },
  };
}

function editOf(turn: number, words: Words) {
  const name = turn % 2 === 0 ? "human" : "persona";
  return { name: "core_memory_append", arguments: { name, content: words.text(30, 90) } };
}
