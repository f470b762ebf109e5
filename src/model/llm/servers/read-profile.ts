// Requests a model's profile from its server: first the list of models, then, if the list does not state the window,
// the APIs that only Ollama, LM Studio or llama.cpp has.
// Invariant: reading never fails: an answer of another shape than documented is ignored. A server that lists no models gets
// no further requests.
import * as z from "zod";
import { openaiListing } from "../model-provider.ts";
import { type ModelServer, readJson } from "./list-models.ts";
import { type ModelAbilities, type ModelProfile, unknownAbilities, windowBounds } from "./model-profile.ts";

export interface ProfileOptions {
  /** Time-out of each answer in milliseconds. */
  readonly timeoutMs: number;
  /**
   * Time-out in milliseconds for loading the model, which is requested only if the server (Ollama) chooses the window when it
   * loads a model. 0: the model is not loaded.
   */
  readonly loadMs: number;
  readonly signal: AbortSignal;
}

type Ask = (path: string, body?: object, timeoutMs?: number) => Promise<unknown>;

/** Returns the model's profile; null if the server states nothing about it. Throws only the signal's reason. */
export async function readProfile(
  server: ModelServer,
  model: string,
  { timeoutMs, loadMs, signal }: ProfileOptions,
): Promise<ModelProfile | null> {
  const { url, listing } = server;
  const askAt = asker(server, { timeoutMs, signal });
  const list = listShape.safeParse(await askAt(url)(listing.path));
  if (!list.success) return null;
  const listed = ofEntry(list.data.data.find((entry) => isNamed(entry.id, model)));
  const isComplete = listed !== null && listed.window !== null;
  if (isComplete || listing !== openaiListing) return listed;
  const ask = askAt(rootOf(server));
  const own = await Promise.all([askOllama(ask, model, loadMs), askLmStudio(ask, model), askLlama(ask)]);
  return own.find((profile) => profile !== null) ?? listed;
}

/**
 * Returns the abilities of models by name, as Ollama or LM Studio states them; empty for other servers. Only the first 50 names
 * are looked up. Throws only the signal's reason.
 */
export async function readAbilities(
  server: ModelServer,
  names: readonly string[],
  options: Omit<ProfileOptions, "loadMs">,
): Promise<ReadonlyMap<string, ModelAbilities>> {
  const ask = asker(server, options)(rootOf(server));
  const read = async (name: string): Promise<readonly (readonly [string, ModelAbilities])[]> => {
    const profile = (await askOllama(ask, name, 0)) ?? (await askLmStudio(ask, name));
    return profile === null ? [] : [[name, profile.abilities]];
  };
  const [first, ...others] = names.slice(0, 50);
  if (first === undefined || server.listing !== openaiListing) return new Map();
  const found = await read(first);
  return new Map(found.length === 0 ? [] : [found, ...(await Promise.all(others.map(read)))].flat());
}

function asker({ listing, key }: ModelServer, { timeoutMs, signal }: Omit<ProfileOptions, "loadMs">) {
  const headers = { "content-type": "application/json", ...(key === null ? {} : listing.headers(key)) };
  return (place: string): Ask =>
    async (path, body, ms = timeoutMs) => {
      const call = { method: body === undefined ? "GET" : "POST", headers, redirect: "error" } as const;
      const bounded = { ...call, signal: AbortSignal.any([signal, AbortSignal.timeout(ms)]) };
      try {
        const response = await fetch(`${place}${path}`, { ...bounded, ...(body && { body: JSON.stringify(body) }) });
        if (response.ok) return await readJson(response);
        await response.body?.cancel();
        return null;
      } catch {
        // A server that does not answer is not reported here, but when the model is called.
        signal.throwIfAborted();
        return null;
      }
    };
}

/** Returns the address of a server's own API: the base URL without the `/v1` of OpenAI's API. */
function rootOf({ url }: ModelServer): string {
  return url.replace(/\/v\d{1,2}$/u, "");
}

const tokens = z.number().int().min(windowBounds.min).max(windowBounds.max);
const support = z.object({ supported: z.boolean() }).optional().catch(undefined);
/** A window's size; an implausible number is ignored without invalidating the rest of the answer. */
const size = tokens.optional().catch(undefined);

/** An entry of a list of models in OpenAI's format, with the fields that vLLM, Anthropic and gateways add. */
const entryShape = z.object({
  id: z.string().min(1).max(500),
  owned_by: z.string().optional().catch(undefined),
  max_model_len: size,
  max_input_tokens: size,
  context_length: size,
  context_window: size,
  max_context_length: size,
  max_tokens: size,
  capabilities: z.object({ image_input: support, thinking: support }).optional().catch(undefined),
});
/** The fields that contain a window, the most precise first. */
const windowNames = [
  "max_model_len",
  "max_input_tokens",
  "context_length",
  "context_window",
  "max_context_length",
] as const;
const listShape = z.object({ data: z.array(entryShape).max(5000) });

/** Whether a listed name is the model's name, ignoring Ollama's tag `latest` and Anthropic's date. */
function isNamed(listed: string, model: string): boolean {
  return listed === model || listed === `${model}:latest` || listed.replace(/-\d{8}$/u, "") === model;
}

function ofEntry(entry: z.infer<typeof entryShape> | undefined): ModelProfile | null {
  if (entry === undefined) return null;
  const { image_input: images, thinking } = entry.capabilities ?? {};
  return {
    window: windowNames.map((name) => entry[name]).find((found) => found !== undefined) ?? null,
    assumedWindow: null,
    maxOutputTokens: entry.max_tokens ?? null,
    abilities: { ...unknownAbilities, images: images?.supported ?? null, thinking: thinking?.supported ?? null },
    program: entry.owned_by === "vllm" ? "vLLM" : null,
  };
}

/** The window with which Ollama or LM Studio loads a model unless another is configured. */
const usualWindow = 4096;

const showShape = z.object({
  model_info: z.record(z.string(), z.unknown()),
  parameters: z.string().max(100_000).optional(),
  capabilities: z.array(z.string()).max(100).optional(),
});
const running = z.object({ name: z.string(), context_length: size });
const runningShape = z.object({ models: z.array(running).max(1000) });

const ollamaNames = { tools: "tools", images: "vision", thinking: "thinking", embeddings: "embedding" } as const;

async function askOllama(ask: Ask, model: string, loadMs: number): Promise<ModelProfile | null> {
  const shown = showShape.safeParse(await ask("/api/show", { model }));
  if (!shown.success) return null;
  const { model_info: facts, parameters = "", capabilities } = shown.data;
  const trained = tokens.safeParse(Object.entries(facts).find(([name]) => name.endsWith(".context_length"))?.[1]).data;
  const configured = size.parse(Number(/^num_ctx\s+(\d{1,9})\s*$/mu.exec(parameters)?.[1]));
  const loadedWindow = async (): Promise<number | undefined> => {
    const listed = runningShape.safeParse(await ask("/api/ps"));
    return listed.data?.models.find(({ name }) => isNamed(name, model))?.context_length;
  };
  let window = (await loadedWindow()) ?? configured;
  const abilities = abilitiesIn(capabilities, ollamaNames);
  if (window === undefined && loadMs > 0 && abilities.embeddings !== true) {
    // A request without a prompt only loads the model, with the same window as for a chat.
    await ask("/api/generate", { model, stream: false }, loadMs);
    window = await loadedWindow();
  }
  return {
    window: window === undefined ? null : Math.min(window, trained ?? window),
    assumedWindow: Math.min(usualWindow, trained ?? usualWindow),
    maxOutputTokens: null,
    abilities,
    program: "Ollama",
  };
}

const studioShape = z.object({
  type: z.enum(["llm", "vlm", "embeddings"]),
  state: z.string(),
  max_context_length: tokens,
  loaded_context_length: size,
  capabilities: z.array(z.string()).max(100).optional(),
});

async function askLmStudio(ask: Ask, model: string): Promise<ModelProfile | null> {
  const answer = studioShape.safeParse(
    await ask(`/api/v0/models/${model.split("/").map(encodeURIComponent).join("/")}`),
  );
  if (!answer.success) return null;
  const { type, max_context_length: most, loaded_context_length: loaded, capabilities } = answer.data;
  return {
    window: loaded ?? null,
    assumedWindow: Math.min(usualWindow, most),
    maxOutputTokens: null,
    abilities: {
      ...abilitiesIn(capabilities, { tools: "tool_use" }),
      images: type === "vlm",
      embeddings: type === "embeddings",
    },
    program: "LM Studio",
  };
}

const propsShape = z.object({
  default_generation_settings: z.object({ n_ctx: tokens }),
  modalities: z.object({ vision: z.boolean() }).optional().catch(undefined),
});

/** Returns the profile of the only model that a llama.cpp server runs. */
async function askLlama(ask: Ask): Promise<ModelProfile | null> {
  const answer = propsShape.safeParse(await ask("/props"));
  if (!answer.success) return null;
  return {
    window: answer.data.default_generation_settings.n_ctx,
    assumedWindow: null,
    maxOutputTokens: null,
    abilities: { ...unknownAbilities, images: answer.data.modalities?.vision ?? null },
    program: "llama.cpp",
  };
}

/** Returns the abilities by a list of names: an ability that is not listed is false; without a list, all are unknown. */
function abilitiesIn(
  list: readonly string[] | undefined,
  names: Partial<Record<keyof ModelAbilities, string>>,
): ModelAbilities {
  if (list === undefined) return unknownAbilities;
  const found = Object.entries(names).map(([ability, name]) => [ability, list.includes(name)]);
  return { ...unknownAbilities, ...(Object.fromEntries(found) as Partial<ModelAbilities>) };
}
