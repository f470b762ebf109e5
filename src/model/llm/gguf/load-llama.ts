// Loads a model from its file into memory: the library, the weights, one context with one sequence.
// Invariant: after a failure everything loaded before is freed; a failure is a ModelRequestError that says what to do.
import { basename } from "node:path";
import type { Clock } from "../../../base/clock.ts";
import type { Log } from "../../../base/log.ts";
import { messageOf } from "../../../base/thrown-values.ts";
import { ModelRequestError, reasonMark } from "../../../base/errors.ts";
import { quoteProvider } from "../failure/model-errors.ts";
import type { Chat, Llama, LlamaLibrary, LlamaModel, Sequence } from "./llama-package.ts";

export interface LoadedLlama {
  readonly library: LlamaLibrary;
  readonly model: LlamaModel;
  readonly sequence: Sequence;
  readonly chat: Chat;
  /** Tokens of the model's context; llama.cpp rounds the requested number up. */
  readonly contextSize: number;
  readonly free: () => Promise<void>;
}

export interface LlamaOptions {
  readonly path: string;
  readonly contextSize: number;
  readonly clock: Clock;
  /** Called with the progress of loading, one line every few seconds. */
  readonly log: Log;
  readonly loadLibrary: () => Promise<LlamaLibrary>;
}

/**
 * Returns the loaded model. Throws ModelRequestError, the signal's reason, or the error of `loadLibrary`, and then keeps
 * nothing in memory.
 */
export async function loadLlama(request: LlamaOptions, signal: AbortSignal): Promise<LoadedLlama> {
  const library = await request.loadLibrary();
  const complaints: string[] = [];
  let llama: Llama | undefined;
  try {
    llama = await library.getLlama({
      build: "never",
      skipDownload: true,
      progressLogs: false,
      // stdout is reserved for results; llama.cpp's messages are reported if loading fails.
      logger: (level, message) => {
        if (level === "error" || level === "fatal") complaints.push(message);
      },
    });
    signal.throwIfAborted();
    return await loadModel(request, { library, llama, signal });
  } catch (error) {
    await llama?.dispose();
    signal.throwIfAborted();
    throw loadFailure(request, { error, complaints });
  }
}

async function loadModel(
  request: LlamaOptions,
  { library, llama, signal }: { readonly library: LlamaLibrary; readonly llama: Llama; readonly signal: AbortSignal },
): Promise<LoadedLlama> {
  const model = await llama.loadModel({
    modelPath: request.path,
    loadSignal: signal,
    onLoadProgress: createProgress(request),
  });
  const context = await model.createContext({
    contextSize: request.contextSize,
    sequences: 1,
    threads: threadsOf(llama.cpuMathCores),
  });
  const sequence = context.getSequence();
  const chat = new library.LlamaChat({ contextSequence: sequence });
  return { library, model, sequence, chat, contextSize: context.contextSize, free: () => llama.dispose() };
}

/**
 * Returns the number of threads, which leaves one core for the database and the embedder: llama.cpp's threads synchronize after
 * every layer, so one thread without a core delays all. Measured on 2 cores, one of them busy: 47 tokens per second with one
 * thread, 3 with two.
 */
export function threadsOf(cores: number): number {
  return Math.max(1, cores - 1);
}

const progressMs = 2000;

/** Returns a function that logs the progress of loading, but nothing for loads under two seconds. */
function createProgress({ path, clock, log }: LlamaOptions): (share: number) => void {
  let reportedAt = clock.now().getTime();
  return (share) => {
    const now = clock.now().getTime();
    if (now - reportedAt < progressMs) return;
    reportedAt = now;
    log(`loading ${basename(path)} ${Math.floor(share * 100)} %`, "info");
  };
}

interface LoadFailure {
  readonly error: unknown;
  readonly complaints: readonly string[];
}

function loadFailure({ path, contextSize }: LlamaOptions, { error, complaints }: LoadFailure): Error {
  const reasons = quoteProvider([messageOf(error), ...complaints].join(" "), []);
  return new ModelRequestError(
    `${path} cannot be loaded with a context of ${contextSize} tokens. If memory does not suffice, set a smaller \`contextWindow\` or use a smaller model; if the file is damaged, download it again. ${reasonMark} ${reasons}`,
    { provider: "gguf", cause: error },
  );
}
