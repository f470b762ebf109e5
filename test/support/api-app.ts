// The server as a function from requests to responses, for tests that need no socket.
import { systemClock } from "../../src/base/clock.ts";
import type { Host } from "../../src/runtime/host.ts";
import { createApp } from "../../src/surfaces/http/create-app.ts";
import type { Door } from "../../src/surfaces/http/door.ts";
import { createUnprovenConnections } from "../../src/surfaces/http/connection.ts";
import { createUserShares } from "../../src/surfaces/http/user-shares.ts";
import { documentCheck } from "./api-document.ts";

export interface Answer {
  readonly status: number;
  readonly text: string;
}

export interface Sent {
  readonly key: string;
  /** A form, or a value to send as JSON. */
  readonly body?: unknown;
  /** Sent as it is. */
  readonly rawBody?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

export type Ask = (method: string, path: string, sent: Sent) => Promise<Answer>;

/** No test without a socket is about limits. */
const share = { requestsPerMinute: 100_000, requests: 1000, streams: 1000, bytes: 100_000_000 };

/** Returns a function that sends a request. A failure of the server, and an answer that is not as documented, throws. */
export function createTestApp(host: Host, doors: readonly Door[]): Ask {
  const failures: unknown[] = [];
  const checks = doors.map(documentCheck);
  const app = createApp({
    doors,
    version: "0.0.0",
    runtimeOf: (userId) => host.forUser(userId),
    health: () => host.health(),
    verify: (secret) => host.keys.verify(secret),
    isDraining: () => false,
    shares: createUserShares(share, systemClock),
    connections: createUnprovenConnections(1),
    maxBodyBytes: 1_000_000,
    address: { isLoopback: true, origins: [] },
    clock: systemClock,
    onRequest: () => undefined,
    onFailure: (_id, error) => failures.push(error),
  });
  return async (method, path, { key, body, rawBody, headers }) => {
    const init = {
      method,
      headers: { authorization: `Bearer ${key}`, host: "localhost", ...headers },
      ...contentOf(body, rawBody),
    };
    // There is no socket.
    const response = await app.request(`http://localhost${path}`, init, {});
    const text = await response.text();
    if (failures.length > 0) throw failures[0];
    const contentType = response.headers.get("content-type");
    for (const check of checks) check({ method, path, status: response.status, contentType, text });
    return { status: response.status, text };
  };
}

function contentOf(body: unknown, rawBody: string | undefined): { readonly body?: string | FormData } {
  if (rawBody !== undefined) return { body: rawBody };
  if (body === undefined) return {};
  return { body: body instanceof FormData ? body : JSON.stringify(body) };
}
