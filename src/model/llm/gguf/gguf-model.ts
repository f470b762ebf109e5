// Implements the Model port for a GGUF file, which llama.cpp runs in this process through `node-llama-cpp`.
// Invariant: the model is loaded once, with the first request; requests run one at a time, since there is one context;
// no data leaves the machine; all emitted events are read in order before a failure is thrown.
import { basename } from "node:path";
import type { Clock } from "../../../base/clock.ts";
import { messageOf } from "../../../base/thrown-values.ts";
import { ModelError, ModelRequestError, reasonMark } from "../../../base/errors.ts";
import type { Ids } from "../../../base/ids.ts";
import { createQueue } from "../../../base/waiting.ts";
import { quoteProvider } from "../failure/model-errors.ts";
import type { Model, ModelEvent, ModelRequest } from "../model.ts";
import { type FileRules, loadFiles, notAcceptedReason } from "../wire/load-files.ts";
import { withWrittenCalls } from "../written/written-call-model.ts";
import { type LlamaLibrary, loadLlamaLibrary } from "./llama-package.ts";
import { type LoadedLlama, loadLlama } from "./load-llama.ts";
import { runRequest } from "./run-request.ts";
import { toChatHistory } from "./to-chat-history.ts";

export interface GgufModelOptions {
  /** Absolute path of the GGUF file. */
  readonly path: string;
  readonly contextWindow: number;
  readonly clock: Clock;
  readonly ids: Ids;
  /** Called with the progress of loading. */
  readonly log: (line: string) => void;
  /** Default: the installed `node-llama-cpp`. */
  readonly loadLibrary?: () => Promise<LlamaLibrary>;
}

/** The file rules of a model that reads only text, which includes text documents. */
const textOnlyRules: FileRules = { refusal: () => notAcceptedReason, maxCharacters: 1_000_000, maxFiles: 0 };

/** Creates the model `gguf/PATH`. Its calls throw ModelErrors; if loading failed, the next call loads the model again. */
export function createGgufModel(options: GgufModelOptions): Model {
  const { path, contextWindow, clock, ids, log, loadLibrary = loadLlamaLibrary } = options;
  const queue = createQueue();
  let loaded: LoadedLlama | null = null;

  const run = (request: ModelRequest, signal: AbortSignal, emit: (event: ModelEvent) => void): Promise<void> =>
    queue.run(async () => {
      signal.throwIfAborted();
      const files = await loadFiles(request, textOnlyRules);
      loaded ??= await loadLlama({ path, contextSize: contextWindow, clock, log, loadLibrary }, signal);
      const history = toChatHistory(request, files);
      await runRequest(loaded, { path, request, history, nextCallId: () => ids.next(), emit, signal });
    });

  async function* stream(
    request: ModelRequest,
    { signal }: { readonly signal?: AbortSignal },
  ): AsyncGenerator<ModelEvent> {
    const pipe = createEventPipe<ModelEvent>();
    const given = new AbortController();
    const abortRequest = (): void => {
      given.abort(signal?.reason);
      // The reader gets the error at once; the model stops after its current piece of the prompt or token of the reply.
      pipe.fail(signal?.reason);
    };
    if (signal?.aborted === true) abortRequest();
    signal?.addEventListener("abort", abortRequest, { once: true });
    run(request, given.signal, pipe.emit).then(pipe.end, (error: unknown) => pipe.fail(toModelFailure(path, error)));
    try {
      yield* pipe.read();
    } finally {
      signal?.removeEventListener("abort", abortRequest);
      // If the reader stops early, the generation is cancelled.
      given.abort();
    }
  }

  const model: Model = {
    name: `gguf/${path}`,
    contextWindow,
    stream,
    close: () =>
      queue.run(async () => {
        const { free } = loaded ?? {};
        loaded = null;
        await free?.();
      }),
  };
  // Also reads tool calls written as text: local models, such as Qwen 2.5 Coder, often omit their template's marker.
  return withWrittenCalls(model, ids);
}

function toModelFailure(path: string, error: unknown): unknown {
  if (error instanceof ModelError) return error;
  return new ModelRequestError(
    `${basename(path)} failed while it read the prompt or wrote the reply. Try again; if it fails again, try a smaller \`contextWindow\` or another model. ${reasonMark} ${quoteProvider(messageOf(error), [])}`,
    { provider: "gguf", cause: error },
  );
}

interface EventPipe<Item> {
  readonly emit: (item: Item) => void;
  readonly end: () => void;
  /** Ends the pipe with an error, which the reader throws after it has read all earlier items. */
  readonly fail: (error: unknown) => void;
  readonly read: () => AsyncGenerator<Item>;
}

function createEventPipe<Item>(): EventPipe<Item> {
  const waiting: Item[] = [];
  let ending: { readonly error?: unknown } | null = null;
  let wake = (): void => undefined;

  const finish = (how: { readonly error?: unknown }): void => {
    ending ??= how;
    wake();
  };

  return {
    emit: (item) => {
      waiting.push(item);
      wake();
    },
    end: () => finish({}),
    fail: (error) => finish({ error }),
    async *read() {
      for (;;) {
        for (let item = waiting.shift(); item !== undefined; item = waiting.shift()) yield item;
        if (ending !== null) break;
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
      if ("error" in ending) throw ending.error;
    },
  };
}
