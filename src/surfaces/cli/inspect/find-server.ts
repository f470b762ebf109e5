// Finds a server of this program that already runs at a port of this machine.
// Invariant: the key is sent only to a server that has proved that it can read the data folder.
import { randomBytes } from "node:crypto";
import { systemErrorCode } from "../../../base/thrown-values.ts";

export type FoundServer =
  /** Nothing listens there. */
  | { readonly type: "none" }
  | { readonly type: "ours"; readonly url: string }
  /** A server of this program that has another data folder or store. */
  | { readonly type: "other-store" }
  /** Something else listens there. */
  | { readonly type: "other-program" };

const longestWaitMs = 3000;

/** Returns a new code of this data folder (`inspector-codes.ts`). */
export async function newCode(dataDir: string): Promise<string> {
  const { writeCode } = await import("../../http/inspector/inspector-codes.ts");
  return writeCode(dataDir, new Date());
}

export async function findServer(
  port: number,
  { secret, dataDir }: { readonly secret: string; readonly dataDir: string },
): Promise<FoundServer> {
  const url = `http://127.0.0.1:${port}`;
  const health = await answer(`${url}/health`, {});
  if (health === "refused") return { type: "none" };
  if (health === "silent" || health.status !== 200 || !isHealth(health.json)) return { type: "other-program" };
  if (!(await provesFolder(url, port, dataDir))) return { type: "other-store" };
  const usage = await answer(`${url}/api/usage`, { authorization: `Bearer ${secret}` });
  if (typeof usage === "object" && usage.status === 200) return { type: "ours", url };
  return { type: "other-store" };
}

/** Asks for a proof that only a program with access to the folder can compute. */
async function provesFolder(url: string, port: number, dataDir: string): Promise<boolean> {
  const { proofOf } = await import("../../http/inspector/inspector-codes.ts");
  const code = await newCode(dataDir);
  const nonce = randomBytes(24).toString("base64url");
  const answered = await answer(`${url}/inspect/proof?nonce=${nonce}`, {});
  const { proof } = (typeof answered === "object" ? (answered.json ?? {}) : {}) as { readonly proof?: unknown };
  return proof === proofOf(code, nonce, port);
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
