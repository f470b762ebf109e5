// The owner's side of an embedder whose model runs in a worker thread: starts the thread on the first request, matches
// replies to requests, and detects the thread's end.
// Invariant: every request gets exactly one reply with its id, or the thread ends; the thread keeps the process alive
// only while requests wait, and ends after `idleMs` without a request; a closed embedder starts no thread.
import { fileURLToPath } from "node:url";
import { Worker } from "node:worker_threads";
import { appendAll, inBatches } from "../../base/lists.ts";
import { messageOf } from "../../base/thrown-values.ts";
import { EmbeddingError } from "../../base/errors.ts";
import type { Embedder } from "./embedder.ts";
import { unitVectors } from "./unit-vectors.ts";

export interface EmbedRequest {
  readonly id: number;
  /** The texts, prepared by the embedder for its model. */
  readonly texts: readonly string[];
}

/** `vectors` contains the vectors of a request, concatenated; `error` is the error that the model threw. */
export type EmbedReply =
  | { readonly id: number; readonly vectors: Float32Array<ArrayBuffer> }
  | { readonly id: number; readonly error: unknown };

export interface EmbedThread {
  /** Returns the vectors, concatenated. Throws EmbeddingError, or the signal's reason; a dead thread is restarted. */
  request(texts: readonly string[], signal: AbortSignal | undefined): Promise<Float32Array>;
  /** Ends the thread; waiting requests fail. A later request restarts it. */
  stop(): Promise<void>;
}

export interface ThreadEntry {
  /** URL of the compiled module that the worker thread runs. */
  readonly entry: URL;
  readonly workerData?: unknown;
  /** Maximum size of the thread's young generation (its heap for new objects) in megabytes. Default: Node's. */
  readonly youngMegabytes?: number;
  /** Milliseconds without a request after which the thread ends and frees its model. Default 300,000. */
  readonly idleMs?: number;
}

/** Default of `idleMs`. The loaded local model takes 100 MB of memory; loading it again takes a second. */
const defaultIdleMs = 300_000;

interface Waiting {
  readonly resolve: (vectors: Float32Array) => void;
  readonly reject: (reason: unknown) => void;
}

interface RunningThread {
  readonly worker: Worker;
  readonly waiting: Map<number, Waiting>;
  /** The timer that ends the idle thread; set while no request waits. */
  idle?: NodeJS.Timeout;
  /** Ends the thread; the next request starts another. */
  readonly end: () => void;
}

/** Creates a worker thread for the module at `entry`, without starting it. */
export function createEmbedThread(options: ThreadEntry): EmbedThread {
  const { entry, idleMs = defaultIdleMs } = options;
  let running: RunningThread | undefined;
  let lastId = 0;

  function fail(thread: RunningThread, error: EmbeddingError): void {
    if (running === thread) running = undefined;
    for (const { reject } of thread.waiting.values()) reject(error);
    thread.waiting.clear();
  }

  function start(): RunningThread {
    const worker = startWorker(options);
    const end = (): void => {
      if (running === thread) running = undefined;
      void worker.terminate();
    };
    const thread: RunningThread = { worker, waiting: new Map(), end };
    thread.worker.on("message", (reply: EmbedReply) => {
      settle(thread, reply);
      rest(thread, idleMs);
    });
    thread.worker.on("error", (cause) => fail(thread, workerError(cause, entry)));
    thread.worker.on("exit", (code) => fail(thread, endOf(code)));
    return thread;
  }

  return {
    async request(texts, signal) {
      signal?.throwIfAborted();
      running ??= start();
      lastId += 1;
      return ask(running, { id: lastId, texts }, { signal, idleMs });
    },
    async stop() {
      const thread = running;
      if (thread === undefined) return;
      clearTimeout(thread.idle);
      fail(thread, new EmbeddingError("embedding_failed", "The embedder was closed before it had embedded the texts."));
      await thread.worker.terminate();
    },
  };
}

interface AskOptions {
  readonly signal: AbortSignal | undefined;
  readonly idleMs: number;
}

function ask(thread: RunningThread, request: EmbedRequest, { signal, idleMs }: AskOptions): Promise<Float32Array> {
  const { worker, waiting } = thread;
  clearTimeout(thread.idle);
  return new Promise((resolve, reject) => {
    const onAbort = (): void => {
      waiting.delete(request.id);
      rest(thread, idleMs);
      reject(signal?.reason);
    };
    const forget = (): void => signal?.removeEventListener("abort", onAbort);
    waiting.set(request.id, {
      resolve: (vectors) => (forget(), resolve(vectors)),
      reject: (reason) => (forget(), reject(reason)),
    });
    signal?.addEventListener("abort", onAbort, { once: true });
    worker.ref();
    worker.postMessage(request);
  });
}

/** If no request waits, lets the process end, and ends the thread after `idleMs`. */
function rest(thread: RunningThread, idleMs: number): void {
  const { worker, waiting } = thread;
  if (waiting.size > 0) return;
  worker.unref();
  clearTimeout(thread.idle);
  thread.idle = setTimeout(thread.end, idleMs).unref();
}

function startWorker({ entry, workerData, youngMegabytes }: ThreadEntry): Worker {
  // The thread's output (deprecation warnings of its packages) is captured and not shown; failures arrive as replies and
  // events. The two streams are not read: reading them would keep the process alive while the thread runs.
  const worker = new Worker(entry, {
    name: "palimpsest-embedder",
    execArgv: [],
    workerData,
    stdout: true,
    stderr: true,
    ...(youngMegabytes === undefined ? {} : { resourceLimits: { maxYoungGenerationSizeMb: youngMegabytes } }),
  });
  worker.unref();
  return worker;
}

function settle({ waiting }: RunningThread, reply: EmbedReply): void {
  const request = waiting.get(reply.id);
  waiting.delete(reply.id);
  if ("vectors" in reply) request?.resolve(reply.vectors);
  else
    request?.reject(
      new EmbeddingError(
        "embedding_failed",
        "The embedding model failed. If it fails again, choose another `embedding`.",
        {
          cause: reply.error,
        },
      ),
    );
}

function workerError(cause: unknown, entry: URL): EmbeddingError {
  // Node's error code for a missing worker file; a package missing in an ES module has ERR_MODULE_NOT_FOUND.
  const isAbsent = typeof cause === "object" && cause !== null && "code" in cause && cause.code === "MODULE_NOT_FOUND";
  const message = isAbsent
    ? `The embedder cannot start: its file ${fileURLToPath(entry)} is missing. Install palimpsest again.`
    : `The embedder's thread crashed, and the next call starts a new one: ${messageOf(cause)}`;
  return new EmbeddingError("embedding_failed", message, { cause });
}

function endOf(code: number): EmbeddingError {
  return new EmbeddingError(
    "embedding_failed",
    `The embedder's thread ended unexpectedly (exit code ${code}). The next call starts a new one.`,
  );
}

interface ThreadEmbedderOptions extends Omit<Embedder, "embed" | "close"> {
  readonly thread: ThreadEntry;
  /** Converts any text to one that the model can read. */
  readonly prepare: (text: string) => string;
}

// Texts per request to the thread: after an abort, at most this many texts are still embedded.
const batchSize = 8;

/** Creates an embedder whose thread starts with the first `embed`. */
export function createThreadEmbedder({ thread: entry, prepare, ...facts }: ThreadEmbedderOptions): Embedder {
  const thread = createEmbedThread(entry);
  let closed = false;
  return {
    ...facts,
    async embed(texts, { signal } = {}) {
      signal?.throwIfAborted();
      const vectors: (readonly number[])[] = [];
      for (const part of inBatches(texts, batchSize)) {
        if (closed) throw new EmbeddingError("embedding_failed", `The embedder ${facts.name} is closed.`);
        const batch = part.map(prepare);
        const flat = await thread.request(batch, signal);
        appendAll(vectors, unitVectors(flat, { count: batch.length, dimensions: facts.dimensions }));
      }
      return vectors;
    },
    async close() {
      closed = true;
      await thread.stop();
    },
  };
}
