// The process of a server that trials end, and start again.
// Invariant: a request always goes to a process that was not asked to end.
import { type Child, type Place, placeArguments, startChild } from "./start-child.ts";

export interface RunningServer {
  /** Sends a request to the process that runs, which is started if there is none. */
  send(path: string, body?: unknown, method?: string): Promise<Response>;
  /** Sends a request with the key, as `fetch` does. */
  fetch(path: string, init: RequestInit): Promise<Response>;
  /** Kills the process. */
  kill(): void;
  /** Ends the process in order. */
  end(): void;
  stop(): Promise<void>;
}

/** Returns a server that is started with a request, and again after it was killed. */
export function createServer(place: Place): RunningServer {
  let running: Promise<{ readonly child: Child; readonly url: string; readonly key: string }> | null = null;
  const start = () =>
    new Promise<{ readonly child: Child; readonly url: string; readonly key: string }>((resolve, reject) => {
      const child = startChild("server-child.js", placeArguments(place), (word, rest) => {
        const [url = "", key = ""] = rest.split(" ");
        if (word === "ready") resolve({ child, url, key });
      });
      void child.ended.then(({ errors }) => reject(new Error(`The server ended: ${errors}`)));
    });
  const request = async (path: string, init: RequestInit): Promise<Response> => {
    const { url, key } = await (running ??= start());
    const headers = { ...(init.headers as Record<string, string>), authorization: `Bearer ${key}` };
    return fetch(`${url}${path}`, { ...init, headers });
  };
  const signal = (name: "SIGKILL" | "SIGTERM"): void => {
    // At once: a request after this one goes to the next process, not to the port of one that is about to end.
    const left = running;
    running = null;
    void left?.then(({ child }) => child.kill(name));
  };
  return {
    send(path, body, method = "POST") {
      const sent = body === undefined ? {} : { body: JSON.stringify(body) };
      return request(path, { method, headers: { "content-type": "application/json" }, ...sent });
    },
    fetch: request,
    kill: () => signal("SIGKILL"),
    end: () => signal("SIGTERM"),
    async stop() {
      const last = await running;
      last?.child.kill();
      await last?.child.ended;
    },
  };
}
