// Requests to the adapter itself: a forced call, a prefix that is read once, an abort, a request that is too long.
import { resolve } from "node:path";
import { systemClock } from "../../src/base/clock.ts";
import { createIds } from "../../src/base/ids.ts";
import { ContextOverflowError } from "../../src/base/errors.ts";
import { createGgufModel } from "../../src/model/llm/gguf/gguf-model.ts";
import { readGgufFile } from "../../src/model/llm/gguf/gguf-file.ts";
import type { Model, ModelEvent, ModelRequest } from "../../src/model/llm/model.ts";

export interface Trial {
  readonly file: string;
  readonly contextWindow: number;
  readonly log: (line: string) => void;
}

const remember = {
  name: "remember",
  description: "Stores a fact about the user.",
  parameters: {
    type: "object",
    properties: {
      fact: { type: "string", minLength: 1 },
      importance: { type: "string", enum: ["low", "high"] },
      page: { type: "integer" },
    },
    required: ["fact", "importance"],
  },
};

/** What does not hold. */
export async function askDirectly({ file, contextWindow, log }: Trial): Promise<readonly string[]> {
  const head = readGgufFile(resolve(file));
  log(
    `file: ${(head.bytes / 1e6).toFixed(0)} MB, trained with ${head.trainedTokens} tokens, ${head.tokenBytes} bytes a token`,
  );
  const window = Math.min(contextWindow, head.trainedTokens ?? contextWindow);
  const parts = { path: resolve(file), contextWindow: window, clock: systemClock, ids: createIds(), log };
  const model = createGgufModel(parts);
  try {
    return [...(await forcedCall(model, log)), ...(await repeated(model, log)), ...(await limits(model, log))];
  } finally {
    const before = process.memoryUsage.rss();
    await model.close?.();
    log(`freed: ${((before - process.memoryUsage.rss()) / 1e6).toFixed(0)} MB of ${(before / 1e6).toFixed(0)} MB`);
  }
}

function request(text: string, more: Partial<ModelRequest> = {}): ModelRequest {
  const system = {
    instructions: "You are a helpful assistant with a memory. Answer in one short sentence.",
    memory: "",
  };
  const messages = [{ role: "user", content: [{ type: "text", text }] }] as const;
  return { system, messages, tools: [], maxOutputTokens: 60, ...more };
}

interface Answer {
  readonly events: readonly ModelEvent[];
  readonly firstMs: number;
  readonly totalMs: number;
}

async function ask(model: Model, asked: ModelRequest, signal?: AbortSignal): Promise<Answer> {
  const began = performance.now();
  let firstMs = 0;
  const events: ModelEvent[] = [];
  for await (const event of model.stream(asked, signal === undefined ? {} : { signal })) {
    if (events.length === 0) firstMs = performance.now() - began;
    events.push(event);
  }
  return { events, firstMs, totalMs: performance.now() - began };
}

function paces({ events, firstMs, totalMs }: Answer): string {
  const end = events.findLast((event) => event.type === "end");
  const { inputTokens = 0, cachedInputTokens = 0, outputTokens = 0 } = end?.usage ?? {};
  const read = inputTokens - cachedInputTokens;
  return (
    `${inputTokens} tokens in (${read} read), ${outputTokens} out, first after ${Math.round(firstMs)} ms, ` +
    `${Math.round(totalMs)} ms in all, ${((outputTokens * 1000) / Math.max(totalMs - firstMs, 1)).toFixed(1)} tokens/s`
  );
}

async function forcedCall(model: Model, log: Trial["log"]): Promise<readonly string[]> {
  const answer = await ask(
    model,
    request("My name is Ada.", { tools: [remember], toolChoice: "required", maxOutputTokens: 200 }),
  );
  const calls = answer.events.filter((event) => event.type === "tool-call");
  log(`required: ${calls.map((call) => `${call.name} ${call.arguments}`).join(", ")}; ${paces(answer)}`);
  const cut = answer.events.some((event) => event.type === "end" && event.stopReason === "length");
  if (cut) return [];
  return calls.length > 0 && calls.every((call) => isValid(call.arguments)) ? [] : ["required: no valid call came"];
}

function isValid(text: string): boolean {
  const { fact, importance, page = 0 } = JSON.parse(text) as Record<string, unknown>;
  return (
    typeof fact === "string" && fact !== "" && /^(?:low|high)$/u.test(String(importance)) && Number.isInteger(page)
  );
}

async function repeated(model: Model, log: Trial["log"]): Promise<readonly string[]> {
  const asked = request(`${"The ship sails on. ".repeat(60)} What sails on?`);
  const first = await ask(model, asked);
  const second = await ask(model, asked);
  log(`once:     ${paces(first)}`);
  log(`again:    ${paces(second)}`);
  const usage = second.events.findLast((event) => event.type === "end")?.usage;
  const isKept = usage !== undefined && usage.cachedInputTokens > usage.inputTokens * 0.9;
  return isKept ? [] : ["again: the same prompt was read anew"];
}

async function limits(model: Model, log: Trial["log"]): Promise<readonly string[]> {
  const stop = new AbortController();
  const text = Array.from({ length: 1500 }, (_, index) => `word ${index}`).join(" ");
  const reading = ask(model, request(text), stop.signal).then(
    () => null,
    () => performance.now(),
  );
  await systemClock.sleep(1000);
  const abortedAt = performance.now();
  stop.abort(new Error("enough"));
  const seenAt = await reading;
  const began = performance.now();
  await ask(model, request("Hi", { maxOutputTokens: 1 }));
  const nextMs = Math.round(performance.now() - began);
  const abortMs = seenAt === null ? null : Math.round(seenAt - abortedAt);
  log(`aborted:  seen after ${abortMs ?? "its end, so not at all:"} ms; the next request took ${nextMs} ms`);
  const overflow = await ask(model, request("word ".repeat(model.contextWindow * 2))).catch((error: unknown) => error);
  log(`overflow: ${overflow instanceof Error ? overflow.message : "none"}`);
  return overflow instanceof ContextOverflowError ? [] : ["overflow: the request was not refused as too long"];
}
