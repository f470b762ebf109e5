// Opens the embedder that searches conversations' buffers, and creates message buffers for programs, both from the settings.
// Invariant: a buffer's embedder belongs to the runtime, which closes it.
import type { Clock } from "../../base/clock.ts";
import { messageOf } from "../../base/thrown-values.ts";
import type { BufferConfig } from "../../config/settings/retrieval-settings.ts";
import { createBufferSummarizer } from "../../context/buffer/buffer-summarizer.ts";
import { MessageBuffer, type MessageBufferDeps } from "../../context/buffer/message-buffer.ts";
import type { GuardedEmbedder } from "../../model/embedding/embedder.ts";
import { ConfigError } from "../../base/errors.ts";
import type { Model } from "../../model/llm/model.ts";
import type { Embedders } from "../../memory/vectors/embedders.ts";
import type { BufferDeps } from "../operations/operation-deps.ts";

/**
 * Returns the dependencies of buffer searches. If a setting for the buffer's embedder is missing, closes the embedders and
 * throws ConfigError.
 */
export async function openBuffer(config: BufferConfig, embedders: Embedders): Promise<BufferDeps> {
  const { bufferSize: size, bufferSearch: search } = config;
  return { size, search, embedder: search === "meaning" ? await embedderOf(config, embedders) : null };
}

async function embedderOf({ bufferEmbedding }: BufferConfig, embedders: Embedders): Promise<GuardedEmbedder | null> {
  if (bufferEmbedding === null) return embedders.default?.embedder ?? null;
  if (bufferEmbedding === "none") return null;
  try {
    return (await embedders.open(bufferEmbedding)).embedder;
  } catch (cause) {
    await embedders.close();
    if (!(cause instanceof ConfigError)) throw cause;
    throw new ConfigError(
      `The buffer's embedder (bufferEmbedding, or memory.buffer.embedding_model): ${messageOf(cause)}`,
      { cause },
    );
  }
}

export interface MessageBufferSources {
  readonly config: BufferConfig;
  readonly buffer: BufferDeps;
  /** Returns the model that writes summaries. */
  readonly model: () => Model;
  readonly countFor: (model: string) => (text: string) => number;
  readonly clock: Clock;
}

export function createMessageBuffer(
  sources: MessageBufferSources,
  own: MessageBufferDeps,
  json: unknown,
): MessageBuffer {
  const { config, buffer, model, countFor, clock } = sources;
  const deps: MessageBufferDeps = {
    summarizer: createBufferSummarizer({ model, countFor }),
    embedder: buffer.embedder,
    vectorSearch: buffer.search === "meaning",
    clock,
    ...own,
  };
  if (json !== undefined) return MessageBuffer.fromJSON(json, deps);
  return new MessageBuffer({ size: config.bufferSize, multiplier: config.bufferMultiplier, ...deps });
}
