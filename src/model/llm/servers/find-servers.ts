// Finds model servers on this machine, at their usual ports.
// Invariant: all ports are queried concurrently, none for longer than the time-out; the only request is for the list of
// models.
import { ModelError } from "../../../base/errors.ts";
import { openaiListing } from "../model-provider.ts";
import { listModels } from "./list-models.ts";

export interface ServerPort {
  /** The program that usually uses the port. */
  readonly title: string;
  readonly port: number;
}

/** The usual ports, from the programs' documentation. */
export const usualPorts: readonly ServerPort[] = [
  { title: "Ollama", port: 11_434 },
  { title: "LM Studio", port: 1234 },
  { title: "llama.cpp", port: 8080 },
  { title: "vLLM", port: 8000 },
];

export interface FoundServer {
  readonly title: string;
  readonly baseUrl: string;
  readonly models: readonly string[];
  /** Why there are no models although a server answers; null if there is nothing to report. */
  readonly problem: string | null;
}

/** Returns the servers that answer. Throws the signal's reason if it is aborted. */
export async function findServers(
  ports: readonly ServerPort[],
  options: { readonly timeoutMs: number; readonly signal: AbortSignal },
): Promise<readonly FoundServer[]> {
  const found = await Promise.all(ports.map((port) => examine(port, options)));
  return found.flatMap((server) => server ?? []);
}

async function examine(
  { title, port }: ServerPort,
  options: { readonly timeoutMs: number; readonly signal: AbortSignal },
): Promise<FoundServer | null> {
  const baseUrl = `http://localhost:${port}/v1`;
  try {
    const place = `localhost:${port}`;
    const server = { provider: "openai", title: place, url: baseUrl, listing: openaiListing, key: null };
    const models = await listModels(server, options);
    return { title, baseUrl, models, problem: models.length === 0 ? "it has no models yet" : null };
  } catch (error) {
    if (!(error instanceof ModelError)) throw error;
    return error.cause === "ECONNREFUSED" ? null : { title, baseUrl, models: [], problem: problemOf(error) };
  }
}

function problemOf({ code, status }: ModelError): string {
  if (code === "model_auth") return "it requires a key";
  if (code === "model_unavailable" && status === undefined) return "it does not speak HTTP";
  if (code === "model_timeout") return "it did not list its models in time";
  return status === undefined ? "it has no list of models" : `it has no list of models (${status})`;
}
