// Runs in an embedder's worker thread: answers the embedder's requests with any model, and loads
// `@huggingface/transformers`.
// Invariant: each request gets one reply, and each text is embedded separately. The request with the fewest remaining texts
// is continued first, so that a search does not wait for a batch of long messages. `@huggingface/transformers` reads only
// the model's folder, and nothing from the network.
import { setImmediate } from "node:timers/promises";
import { pathToFileURL } from "node:url";
import { parentPort } from "node:worker_threads";
import type { EmbedReply, EmbedRequest } from "./embed-thread.ts";

export interface ThreadModel {
  readonly dimensions: number;
  /** Returns a text's vector, of length 1. A thrown error is sent as the reply. */
  readonly embed: (text: string) => Promise<ArrayLike<number>>;
}

/** A request and its vectors so far. */
interface Work extends EmbedRequest {
  readonly vectors: Float32Array<ArrayBuffer>;
  done: number;
}

/** Starts to answer requests. Call it when the model is loaded; until that call, requests wait. */
export function answerRequests(model: ThreadModel): void {
  const waiting = new Set<Work>();
  let isRunning = false;

  async function run(): Promise<void> {
    isRunning = true;
    while (waiting.size > 0) {
      const next = [...waiting].reduce((one, other) => (textsLeft(other) < textsLeft(one) ? other : one));
      const reply = await advance(next, model);
      if (reply !== null) {
        waiting.delete(next);
        parentPort?.postMessage(reply, "vectors" in reply ? [reply.vectors.buffer] : []);
      }
      // Yields to the event loop, so that requests that have arrived meanwhile are received.
      await setImmediate();
    }
    isRunning = false;
  }

  parentPort?.on("message", (request: EmbedRequest) => {
    const vectors = new Float32Array(request.texts.length * model.dimensions);
    waiting.add({ ...request, vectors, done: 0 });
    if (!isRunning) void run();
  });
}

function textsLeft({ texts, done }: Work): number {
  return texts.length - done;
}

/** Embeds the next text of a request. Returns the reply if this text was the last one or failed, otherwise null. */
async function advance(work: Work, { dimensions, embed }: ThreadModel): Promise<EmbedReply | null> {
  const { id, texts, vectors } = work;
  try {
    const text = texts[work.done];
    if (text !== undefined) vectors.set(await embed(text), work.done * dimensions);
    work.done += 1;
    return work.done < texts.length ? null : { id, vectors };
  } catch (error) {
    return { id, error: error instanceof Error ? error : String(error) };
  }
}

interface TransformersSettings {
  /** Path of the library's entry file. */
  readonly library: string;
  readonly folder: string;
}

/** Returns `@huggingface/transformers`. A failed import ends the thread, and the embedder rejects waiting requests. */
export async function loadTransformers<Library extends { readonly env: Record<string, unknown> }>({
  library: entry,
  folder,
}: TransformersSettings): Promise<Library> {
  const loaded = (await import(pathToFileURL(entry).href)) as Library & { readonly default?: Library };
  const library = loaded.default ?? loaded;
  Object.assign(library.env, {
    allowRemoteModels: false,
    allowLocalModels: true,
    localModelPath: folder,
    useFSCache: false,
  });
  return library;
}
