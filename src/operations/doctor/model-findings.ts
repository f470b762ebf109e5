// The model and the embedder that are configured: whether they can be made, and whether they work.
// Invariant: nothing leaves this machine unless a call was asked for; no key is ever part of a finding.
import type { Embedder } from "../../embedding/embedder.ts";
import type { Model } from "../../llm/model.ts";
import type { Finding } from "../../runtime/doctor.ts";
import { callOnce } from "./call-once.ts";
import { failed, failedBy, ok } from "./finding.ts";

export interface ModelExamination {
  readonly name: string;
  /** Throws ConfigError for a model that lacks its key. */
  readonly resolve: (name: string, baseUrl: string | null) => Model;
  /** Where it is asked; null: at its provider's own address. */
  readonly baseUrl: string | null;
  /** Also makes one tiny call. */
  readonly online: boolean;
  readonly signal?: AbortSignal;
}

export async function modelFinding({ name, baseUrl, resolve, online, signal }: ModelExamination): Promise<Finding> {
  try {
    const model = resolve(name, baseUrl);
    const place = baseUrl === null ? "" : ` at ${baseUrl}`;
    if (!online)
      return ok("model", `${name}${place} has what it needs by its configuration; --online makes a tiny call.`);
    await callOnce(model, signal);
    return ok("model", `${name}${place} answers.`);
  } catch (error) {
    signal?.throwIfAborted();
    return failedBy("model", error);
  }
}

export interface EmbedderExamination {
  readonly embedder: Embedder | null;
  /** Also asks one that is on another machine. */
  readonly online: boolean;
  readonly signal?: AbortSignal;
}

/** Whether the embedder loads and makes vectors of its width. */
export async function embedderFinding({ embedder, online, signal }: EmbedderExamination): Promise<Finding> {
  if (embedder === null) return ok("embedder", "No embedder is configured: memory is searched by words alone.");
  const { name, dimensions } = embedder;
  if (embedder.isRemote === true && !online) {
    return ok("embedder", `${name} has what it needs by its configuration; --online makes a tiny call.`);
  }
  try {
    const [vector] = await embedder.embed(["palimpsest"], signal === undefined ? {} : { signal });
    if (vector?.length === dimensions) return ok("embedder", `${name} makes vectors of ${dimensions} dimensions.`);
    const found = `${name} should make vectors of ${dimensions} dimensions, and made one of ${vector?.length ?? 0}.`;
    return failed("embedder", found, "Choose another embedder with --embedding, or none.");
  } catch (error) {
    signal?.throwIfAborted();
    return failedBy("embedder", error);
  }
}
