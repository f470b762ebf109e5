// Finds a server of this program that already runs at a port of this machine.
// Invariant: the key is sent only to a server that has the version and the health check of this program.
import { systemErrorCode } from "../../base/system-error.ts";

export type FoundServer =
  /** Nothing listens there. */
  | { readonly type: "none" }
  | { readonly type: "ours"; readonly url: string }
  /** A server of this program that does not know the key: it has another store. */
  | { readonly type: "other-store" }
  /** Something else listens there. */
  | { readonly type: "other-program" };

const longestWaitMs = 3000;

export async function findServer(port: number, key: string): Promise<FoundServer> {
  const url = `http://127.0.0.1:${port}`;
  const health = await answer(`${url}/health`, {});
  if (health === "refused") return { type: "none" };
  if (health === "silent" || health.status !== 200 || !isHealth(health.json)) return { type: "other-program" };
  const usage = await answer(`${url}/api/usage`, { authorization: `Bearer ${key}` });
  if (typeof usage === "object" && usage.status === 200) return { type: "ours", url };
  return { type: "other-store" };
}

interface Answer {
  readonly status: number;
  readonly json: unknown;
}

async function answer(url: string, headers: Readonly<Record<string, string>>): Promise<Answer | "refused" | "silent"> {
  try {
    const response = await fetch(url, { headers, signal: AbortSignal.timeout(longestWaitMs), redirect: "error" });
    return { status: response.status, json: await response.json().catch(() => null) };
  } catch (error) {
    return isRefusal(error) ? "refused" : "silent";
  }
}

function isRefusal(error: unknown): boolean {
  return error instanceof Error && systemErrorCode(error.cause) === "ECONNREFUSED";
}

function isHealth(json: unknown): boolean {
  const { status, version } = (json ?? {}) as { readonly status?: unknown; readonly version?: unknown };
  return status === "ok" && typeof version === "string";
}
