// Checks that the configured model and embedder can be created and that they work, and whether the model is too small
// to use memory tools on its own.
// Invariant: nothing is sent to another machine without `online`; no finding contains a key.
import type { Embedder } from "../../model/embedding/embedder.ts";
import type { Model } from "../../model/llm/model.ts";
import type { Finding } from "./contract.ts";
import { numberText, windowSourceText } from "../../base/window-words.ts";
import { failed, failedBy, ok, warning } from "./finding.ts";

export interface ModelExamination {
  readonly name: string;
  /** Returns a model. Throws ConfigError for a model with a missing key. */
  readonly resolve: (name: string, baseUrl: string | null) => Model;
  /** The address of the model's server; null: the provider's own address. */
  readonly baseUrl: string | null;
  /** Whether one small call of the model is made. */
  readonly online: boolean;
  readonly signal?: AbortSignal;
}

export async function modelFinding({ name, baseUrl, resolve, online, signal }: ModelExamination): Promise<Finding> {
  try {
    const model = resolve(name, baseUrl);
    const place = baseUrl === null || name === "demo" ? "" : ` at ${baseUrl}`;
    if (!online)
      return ok("model", `${name}${place} is configured; --online tests it with a small call.${windowText(model)}`);
    await model.prepare?.(signal);
    const reply = await askForCall(model, signal);
    if (reply === "call") return ok("model", `${name}${place} answers and calls tools.${windowText(model)}`);
    const how = reply === "length" ? `its reply was cut at ${numberText(replyTokens)} tokens` : "it called no tool";
    const found = `${name}${place} answers, but ${how} when it was asked to call one. Agents need tools to remember.`;
    return warning("model", found, "Choose a model that can call tools; `configure` tests one with an agent's prompt.");
  } catch (error) {
    signal?.throwIfAborted();
    return failedBy("model", error);
  }
}

function windowText({ contextWindow, windowFrom }: Model): string {
  const source = windowSourceText(windowFrom);
  return source === "" ? "" : ` Its window has ${numberText(contextWindow)} tokens, ${source}.`;
}

/** Suggests the setting `assist` for a small model without it; returns no finding for other models. */
export function assistFindings(name: string, assist: "off" | "on"): readonly Finding[] {
  if (assist === "on" || !isSmallModel(name)) return [];
  const found = `${name} is a small model, and small models often save nothing, or facts that nobody stated.`;
  return [warning("assist", found, "Create agents for this model with --assist on.")];
}

export interface EmbedderExamination {
  readonly embedder: Embedder | null;
  /** Whether an embedder on another machine is called too. */
  readonly online: boolean;
  readonly signal?: AbortSignal;
}

/** Checks that the embedder loads and returns vectors with its stated number of dimensions. */
export async function embedderFinding({ embedder, online, signal }: EmbedderExamination): Promise<Finding> {
  if (embedder === null) return ok("embedder", "No embedder is configured: memory searches compare words only.");
  const { name, dimensions } = embedder;
  if (embedder.isRemote === true && !online) {
    return ok("embedder", `${name} is configured; --online tests it with a small call.`);
  }
  try {
    const [vector] = await embedder.embed(["palimpsest"], signal === undefined ? {} : { signal });
    if (vector?.length === dimensions) return ok("embedder", `${name} returns vectors of ${dimensions} dimensions.`);
    const found = `Expected vectors of ${dimensions} dimensions from ${name}, got one of ${vector?.length ?? 0}.`;
    return failed("embedder", found, "Choose another embedder with --embedding, or none.");
  } catch (error) {
    signal?.throwIfAborted();
    return failedBy("embedder", error);
  }
}

// Enough tokens for a model that thinks before it answers, on a server that counts thoughts toward the limit.
const replyTokens = 4096;

/**
 * Makes the smallest call that shows whether an agent can use a model: asks it to save a fact with a tool. Returns `call` if
 * the reply has a call, otherwise its stop reason. Throws ConfigError or ModelError.
 */
async function askForCall(model: Model, signal: AbortSignal | undefined): Promise<string> {
  const text = "My name is Ada. Call a tool now to save that in core memory.";
  const properties = { name: { type: "string", enum: ["human"] }, content: { type: "string" } };
  const request = {
    system: { instructions: "You save what the user says with tools.", memory: "" },
    messages: [{ role: "user" as const, content: [{ type: "text" as const, text }] }],
    tools: [
      {
        name: "core_memory_append",
        description: "Adds a line to core memory.",
        parameters: { type: "object", properties, required: ["name", "content"] },
      },
    ],
    maxOutputTokens: replyTokens,
  };
  let [isCalled, ended] = [false, ""];
  for await (const event of model.stream(request, signal === undefined ? {} : { signal })) {
    isCalled ||= event.type === "tool-call";
    if (event.type === "end") ended = event.stopReason;
  }
  return isCalled ? "call" : ended;
}

const maxBillions = 4;

/** Returns whether the name states at most four billion parameters: `qwen2.5-1.5b-instruct.gguf`, `openai/llama3.2:3b`. */
export function isSmallModel(name: string): boolean {
  const [, number = "", unit = ""] = /(?<![\p{L}\d.])(\d+(?:\.\d+)?)([bm])(?![\p{L}\d])/iu.exec(name) ?? [];
  return number !== "" && (unit.toLowerCase() === "m" || Number(number) <= maxBillions);
}
