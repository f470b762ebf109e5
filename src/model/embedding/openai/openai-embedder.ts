// Implements the Embedder port for OpenAI's embedding models and compatible servers. The SDK is loaded with the first request,
// so that importing this file is cheap.
// Invariant: every text that is not blank is sent, clipped at the window, and no request exceeds a limit of the server. Vectors
// have length 1 and the declared dimensions. An error that every text would cause, such as a wrong key or an exceeded rate,
// is `embedder_unavailable`.
import type OpenAI from "openai";
import type * as openai from "openai";
import { appendAll } from "../../../base/lists.ts";
import type { Clock } from "../../../base/clock.ts";
import { codePointLength, storableText, takeCodePoints } from "../../../base/code-points.ts";
import {
  ContextOverflowError,
  EmbeddingError,
  ModelAuthError,
  ModelError,
  ModelRateLimitError,
  ModelRequestError,
  ModelTimeoutError,
} from "../../../base/errors.ts";
import { toModelError, describeProvider, type Provider } from "../../llm/failure/model-errors.ts";
import { readSdkError } from "../../llm/failure/sdk-error.ts";
import { withoutCustomHeaders } from "../../llm/wire/wire-stream.ts";
import { callWithRetries } from "../../llm/retry/backoff.ts";
import { createEncodingCounter } from "../../tokens/encoding-counter.ts";
import { estimateTokens } from "../../tokens/token-counter.ts";
import type { Embedder, Vector } from "../embedder.ts";
import { unitVector } from "../unit-vectors.ts";
import { chooseModel, type ModelChoice } from "./known-models.ts";

export interface OpenAIEmbedderOptions {
  /** The API's name of the model, without `openai/`; `NAME@N` requests vectors of N dimensions. */
  readonly model: string;
  /** May be empty for servers that require no key. */
  readonly apiKey: string;
  /** Name of the environment variable with the API key, for error messages. */
  readonly keyOption: string;
  readonly baseUrl?: string | undefined;
  /** Dimensions of an unknown model's vectors. */
  readonly dimensions?: number | undefined;
  /** Overrides the published window of the model. */
  readonly windowTokens?: number | undefined;
  readonly clock: Clock;
  /** Returns a number from 0 up to 1, like `Math.random`. */
  readonly random: () => number;
  readonly fetch?: typeof globalThis.fetch | undefined;
}

/** Short delays: searches wait for them, and the back-fill retries anyway. */
const backoff = { maxAttempts: 3, baseDelayMs: 250, maxRetryAfterMs: 5000 } as const;

/** Window in tokens for an unknown model: that of most open sentence encoders. */
const commonWindow = 512;

/** Maximum number of times that a text is halved if the server rejects it as too long, although it fits by our token count. */
const maxCuts = 6;

interface Connection {
  readonly options: OpenAIEmbedderOptions;
  readonly choice: ModelChoice;
  readonly name: string;
  readonly provider: Provider;
  readonly client: () => Promise<{ readonly sdk: typeof openai; readonly client: OpenAI }>;
}

/**
 * Creates `openai/NAME`. Long texts are clipped at the model's window; blank ones have no vector (null). Throws ConfigError if
 * the dimensions of the model's vectors are unknown.
 */
export function createOpenAIEmbedder(options: OpenAIEmbedderOptions): Embedder {
  const choice = chooseModel(options.model, options.dimensions);
  const { known, dimensions } = choice;
  const limits: RequestLimits = {
    ...openaiRequest,
    windowTokens: options.windowTokens ?? known?.windowTokens ?? commonWindow,
    countTokens: known?.isOpenAI === true ? createEncodingCounter("cl100k_base").count : estimateTokens,
  };
  const connection = connect(options, choice);
  return {
    name: connection.name,
    dimensions,
    isRemote: true,
    ...(known?.similarityFloor === undefined ? {} : { similarityFloor: known.similarityFloor }),
    windowTokens: limits.windowTokens,
    countTokens: limits.countTokens,
    async embed(texts, { signal } = {}) {
      signal?.throwIfAborted();
      const asked = texts.filter((text) => !isBlank(text));
      const vectors: Vector[] = [];
      for (const batch of planRequests(asked, limits)) appendAll(vectors, await request(connection, batch, signal));
      let next = 0;
      return texts.map((text) => (isBlank(text) ? null : (vectors[next++] ?? null)));
    },
    close: async () => undefined,
  };
}

function connect(options: OpenAIEmbedderOptions, choice: ModelChoice): Connection {
  const { apiKey, baseUrl, keyOption } = options;
  const { model } = choice;
  let client: OpenAI | undefined;
  return {
    options,
    choice,
    name: `openai/${options.model}`,
    provider: describeProvider({ id: "openai", brand: "OpenAI", model, keyOption, apiKey, baseUrl }),
    client: async () => {
      const sdk = await import("openai");
      client ??= createClient(sdk, options);
      return { sdk, client };
    },
  };
}

/** Returns the vectors of texts that fit into one request. Throws EmbeddingError. */
async function request(
  connection: Connection,
  texts: readonly string[],
  signal: AbortSignal | undefined,
): Promise<readonly Vector[]> {
  const { clock, random } = connection.options;
  let sent = texts;
  for (let cuts = 0; ; cuts += 1) {
    try {
      const answer = await callWithRetries(() => callOnce(connection, sent, signal), {
        ...backoff,
        clock,
        random,
        signal,
      });
      const { name, choice } = connection;
      return readVectors(answer, { name, texts: sent.length, dimensions: choice.dimensions });
    } catch (error) {
      const half = cuts < maxCuts && error instanceof ContextOverflowError ? halfOf(sent) : null;
      if (half === null) throw error instanceof ModelError ? toEmbeddingError(error) : error;
      sent = half;
    }
  }
}

/** Returns the first half of a single text; null for several texts, which the caller must request one by one. */
function halfOf([text = "", ...others]: readonly string[]): readonly string[] | null {
  if (others.length > 0 || text.length < 2) return null;
  return [takeCodePoints(text, Math.floor(text.length / 2))];
}

/** Sends one request and returns the answer. Throws ModelError, or the signal's reason. */
async function callOnce(
  { options, choice, provider, client: open }: Connection,
  texts: readonly string[],
  signal: AbortSignal | undefined,
): Promise<unknown> {
  const { sdk, client } = await open();
  const { model, dimensions, isShortened } = choice;
  const body = { model, input: [...texts], encoding_format: "float" as const };
  // The SDK never removes its listener from a signal: without a separate signal per request, many requests would
  // accumulate listeners.
  const own = signal === undefined ? null : AbortSignal.any([signal]);
  try {
    return await client.embeddings.create(isShortened ? { ...body, dimensions } : body, { signal: own });
  } catch (error) {
    signal?.throwIfAborted();
    // An error that is not the SDK's occurred while the answer was read: the answer is truncated, or is not JSON.
    const stage = error instanceof sdk.APIError ? "request" : "stream";
    throw toModelError(readSdkError(error, sdk, stage), provider, options.clock.now());
  }
}

function isBlank(text: string): boolean {
  return text.trim() === "";
}

// Sets every option that the SDK would otherwise read from environment variables.
function createClient(sdk: typeof openai, options: OpenAIEmbedderOptions): OpenAI {
  return withoutCustomHeaders(
    new sdk.OpenAI({
      apiKey: options.apiKey || "none",
      baseURL: options.baseUrl ?? "https://api.openai.com/v1",
      organization: null,
      project: null,
      maxRetries: 0,
      logLevel: "off",
      ...(options.fetch === undefined ? {} : { fetch: options.fetch }),
    }),
  );
}

/**
 * Returns the error as an EmbeddingError: `embedder_unavailable` if it concerns every text. A refusal, a server error (5xx) and
 * an invalid answer are `embedding_failed`, because some servers fail in these ways for single texts.
 */
function toEmbeddingError(error: ModelError): EmbeddingError {
  const code = concernsAllTexts(error) ? "embedder_unavailable" : "embedding_failed";
  return new EmbeddingError(code, error.message, { cause: error });
}

// HTTP statuses of errors that concern every text: the quota is used up (402, 429), or there is no such model (404).
const forAll = new Set([402, 404, 429]);

function concernsAllTexts(error: ModelError): boolean {
  if (error instanceof ModelAuthError || error instanceof ModelRateLimitError || error instanceof ModelTimeoutError) {
    return true;
  }
  return error instanceof ModelRequestError && error.status !== undefined && forAll.has(error.status);
}

/**
 * Returns the vectors in an answer. Throws EmbeddingError: `embedding_dimensions_mismatch` for other dimensions, otherwise
 * `embedding_failed`. Messages contain no part of the answer.
 */
function readVectors(
  answer: unknown,
  expected: { readonly name: string; readonly texts: number; readonly dimensions: number },
): readonly (readonly number[])[] {
  const entries = fieldOf(answer, "data");
  const { name, texts } = expected;
  if (!Array.isArray(entries) || entries.length !== texts) {
    const got = Array.isArray(entries) ? `${entries.length}` : "an answer without a list of vectors";
    throw new EmbeddingError("embedding_failed", `Expected ${texts} vectors from ${name}, got ${got}.`);
  }
  const ordered: unknown[] = entries.map(() => undefined);
  for (const [place, entry] of entries.entries()) {
    const index = fieldOf(entry, "index") ?? place;
    ordered[index as number] = fieldOf(entry, "embedding");
  }
  const remedy = (width: number) => `If the model has ${width} dimensions, set embeddingDimensions to ${width}.`;
  return ordered.slice(0, texts).map((vector) => unitVector(vector, { ...expected, remedy }));
}

function fieldOf(value: unknown, field: string): unknown {
  return typeof value === "object" && value !== null ? (value as Record<string, unknown>)[field] : undefined;
}

interface RequestLimits {
  /** Maximum tokens of a text. */
  readonly windowTokens: number;
  /** Maximum texts and tokens of a request. */
  readonly requestTexts: number;
  readonly requestTokens: number;
  readonly countTokens: (text: string) => number;
}

/** OpenAI's limits ("Create embeddings": 2,048 texts and 300,000 tokens); known limits of other servers are not lower. */
const openaiRequest = { requestTexts: 2048, requestTokens: 300_000 } as const;

/** Returns the texts of each request, in order. */
function planRequests(texts: readonly string[], limits: RequestLimits): readonly (readonly string[])[] {
  const clipped = texts.map((text) => clipText(text, limits));
  const sizes = sizesOf(clipped, limits);
  const requests: string[][] = [];
  let tokens = 0;
  for (const [index, text] of clipped.entries()) {
    const size = sizes[index] as number;
    const last = requests.at(-1);
    tokens += size;
    if (last !== undefined && last.length < limits.requestTexts && tokens <= limits.requestTokens) last.push(text);
    else {
      requests.push([text]);
      tokens = size;
    }
  }
  return requests;
}

/** Returns the prefix of the text that fits into the window, without lone surrogates and NUL. */
function clipText(text: string, { windowTokens, countTokens }: RequestLimits): string {
  // A text has at most as many tokens as bytes, so most texts need no counting.
  if (text.length <= windowTokens && byteLength(text) <= windowTokens) return storableText(text);
  // Almost no text has more than 16 characters per token, so this bounds the work for any length of the text.
  let fitting = storableText(takeCodePoints(text, windowTokens * 16));
  let length = codePointLength(fitting);
  for (let tokens = countTokens(fitting); tokens > windowTokens; tokens = countTokens(fitting)) {
    length = Math.min(length - 1, Math.floor((length * windowTokens) / tokens));
    fitting = takeCodePoints(fitting, length);
  }
  return fitting;
}

/** Returns each text's tokens, or, if the bytes of all texts fit into one request, each text's bytes as an upper bound. */
function sizesOf(texts: readonly string[], { requestTokens, countTokens }: RequestLimits): readonly number[] {
  const bytes = texts.map(byteLength);
  const isSmall = bytes.reduce((sum, size) => sum + size, 0) <= requestTokens;
  return isSmall ? bytes : texts.map(countTokens);
}

function byteLength(text: string): number {
  return Buffer.byteLength(text, "utf8");
}
