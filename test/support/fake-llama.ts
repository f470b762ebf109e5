// The small part of node-llama-cpp that the adapter uses, without a model: a token is a word, and replies follow a script.
import type {
  ChatItem,
  ContextState,
  LlamaLibrary,
  LlamaStopReason,
  ReplyOptions,
  Token,
} from "../../src/model/llm/gguf/llama-package.ts";

export type ScriptedStep =
  | { readonly say: string }
  | { readonly think: string }
  | { readonly call: string; readonly params: unknown }
  /** A piece of a call's arguments. */
  | { readonly call: string; readonly piece: string; readonly done: boolean }
  /** Waits until it is let go on, or until the signal aborts. */
  | { readonly wait: Promise<void> };

export interface ScriptedAnswer {
  readonly steps: readonly ScriptedStep[];
  readonly stopReason?: LlamaStopReason;
  readonly fails?: Error;
}

export interface FakeLlama {
  readonly loadLibrary: () => Promise<LlamaLibrary>;
  /** What every reply was asked with. */
  readonly asked: {
    readonly history: readonly ChatItem[];
    readonly options: ReplyOptions;
    readonly isForced: boolean;
  }[];
  /** Tokens of each piece of a prompt that was read. */
  readonly pieces: number[];
  readonly counts: { loads: number; frees: number; running: number; maxAtOnce: number; threads: number };
}

export interface FakeLlamaOptions {
  readonly answers?: readonly ScriptedAnswer[];
  readonly contextSize?: number;
  /** Shares that the loading tells of. */
  readonly shares?: readonly (() => Promise<number>)[];
  readonly loadFails?: Error;
  /** Called when a piece of a prompt is read. */
  readonly onPiece?: () => void;
}

export function createFakeLlama(options: FakeLlamaOptions = {}): FakeLlama {
  const { contextSize = 4096, shares = [], loadFails } = options;
  const asked: FakeLlama["asked"] = [];
  const pieces: number[] = [];
  const counts = { loads: 0, frees: 0, running: 0, maxAtOnce: 0, threads: 0 };
  const meter = { usedInputTokens: 0, usedOutputTokens: 0 };
  let held: Token[] = [];
  const sequence = {
    get nextTokenIndex() {
      return held.length;
    },
    tokenMeter: { getState: () => ({ ...meter }) },
    async adaptStateToTokens(tokens: Token[]) {
      const same = held.findIndex((token, index) => tokens[index] !== token);
      held = held.slice(0, same === -1 ? tokens.length : same);
    },
    async evaluateWithoutGeneratingNewTokens(tokens: Token[]) {
      options.onPiece?.();
      held = [...held, ...tokens];
      pieces.push(tokens.length);
      meter.usedInputTokens += tokens.length;
    },
  };

  class FakeChat {
    readonly #forced: boolean;
    readonly chatWrapper = { generateContextState: contextStateOf };
    constructor({ chatWrapper }: { readonly chatWrapper?: typeof FakeChat.prototype.chatWrapper }) {
      const state = chatWrapper?.generateContextState({ chatHistory: [] });
      this.#forced = state?.["functionCall"] !== undefined;
    }
    dispose(): void {
      counts.frees += 0;
    }
    async generateResponse(history: readonly ChatItem[], reply: ReplyOptions) {
      asked.push({ history, options: reply, isForced: this.#forced });
      const answer = (options.answers ?? [])[asked.length - 1] ?? { steps: [{ say: "Hi" }] };
      counts.running += 1;
      counts.maxAtOnce = Math.max(counts.maxAtOnce, counts.running);
      try {
        for (const step of answer.steps) await take(step, reply);
        if (answer.fails !== undefined) throw answer.fails;
      } finally {
        counts.running -= 1;
      }
      meter.usedInputTokens += 1;
      return { metadata: { stopReason: answer.stopReason ?? "eogToken" } };
    }
  }

  async function take(step: ScriptedStep, reply: ReplyOptions): Promise<void> {
    meter.usedOutputTokens += 1;
    if ("say" in step) reply.onResponseChunk({ text: step.say });
    else if ("think" in step) reply.onResponseChunk({ type: "segment", text: step.think });
    else if ("piece" in step) {
      const { call: functionName, piece: paramsChunk, done } = step;
      reply.onFunctionCallParamsChunk?.({ functionName, paramsChunk, done });
    } else if ("call" in step) reply.onFunctionCall?.({ functionName: step.call, params: step.params });
    else await Promise.race([step.wait, abortOf(reply.signal)]);
  }

  const library: LlamaLibrary = {
    LlamaChat: FakeChat as unknown as LlamaLibrary["LlamaChat"],
    getLlama: async ({ logger }) => ({
      cpuMathCores: 4,
      async loadModel({ onLoadProgress, loadSignal }) {
        counts.loads += 1;
        for (const share of shares) onLoadProgress(await share());
        loadSignal.throwIfAborted();
        if (loadFails !== undefined) {
          logger("error", "tensor data is out of bounds");
          throw loadFails;
        }
        return {
          tokenizer: null,
          async createContext({ threads }) {
            counts.threads = threads;
            return { contextSize, getSequence: () => sequence };
          },
        };
      },
      async dispose() {
        counts.frees += 1;
        held = [];
      },
    }),
  };
  return { loadLibrary: async () => library, asked, pieces, counts };
}

function abortOf(signal: AbortSignal): Promise<never> {
  return new Promise((_resolve, reject) => {
    signal.addEventListener("abort", () => reject(signal.reason), { once: true });
  });
}

const vocabulary = new Map<string, Token>();

/** One token for each word of the texts of the items. */
function contextStateOf({ chatHistory }: { readonly chatHistory: readonly ChatItem[] }): ContextState {
  const words = chatHistory.flatMap((item) =>
    (item.type === "model" ? JSON.stringify(item.response) : item.text).split(/\s+/u),
  );
  const tokens = words.map((word) => {
    if (!vocabulary.has(word)) vocabulary.set(word, vocabulary.size);
    return vocabulary.get(word)!;
  });
  return { contextText: { tokenize: () => tokens }, stopGenerationTriggers: [] };
}
