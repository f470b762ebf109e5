// A proxy on loopback that passes requests on and keeps their bodies, for programs whose fetch cannot be replaced.
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";

export interface RecordingProxy {
  readonly url: string;
  /** The bodies of the requests so far, parsed. */
  readonly bodies: readonly unknown[];
  close(): Promise<void>;
}

export async function startRecordingProxy(target: string): Promise<RecordingProxy> {
  const bodies: unknown[] = [];
  const server = createServer((request, response) => {
    forward(request, response).catch((error: Error) => response.destroy(error));
  });

  async function forward(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await text(request);
    const { method = "GET", url = "" } = request;
    // The others ask a server for its models.
    if (body !== "" && url.startsWith("/v1/")) bodies.push(JSON.parse(body));
    const answer = await fetch(`${target}${url}`, {
      method,
      headers: [...passedOn(request)],
      ...(body === "" ? {} : { body }),
    });
    response.writeHead(answer.status, { "content-type": answer.headers.get("content-type") ?? "text/plain" });
    for await (const chunk of answer.body ?? []) response.write(chunk);
    response.end();
  }

  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    bodies,
    close: () =>
      new Promise((resolve, reject) => server.close((error) => (error === undefined ? resolve() : reject(error)))),
  };
}

const ownHeaders = ["host", "connection", "content-length", "transfer-encoding"];

const passedOn = ({ headers }: IncomingMessage): readonly [string, string][] =>
  Object.entries(headers).flatMap(([name, value]) =>
    typeof value === "string" && !ownHeaders.includes(name) ? [[name, value] as [string, string]] : [],
  );
