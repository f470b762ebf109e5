// A proxy on loopback that passes requests on and keeps their bodies, for programs whose fetch cannot be replaced.
import { createServer } from "node:http";
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
  const server = createServer(async (request, response) => {
    const body = await text(request);
    if (body !== "") bodies.push(JSON.parse(body));
    const headers = Object.entries(request.headers).flatMap(([name, value]) =>
      typeof value === "string" && !["host", "connection", "content-length", "transfer-encoding"].includes(name)
        ? [[name, value] as [string, string]]
        : [],
    );
    const answer = await fetch(`${target}${request.url ?? ""}`, {
      method: request.method ?? "GET",
      headers,
      ...(body === "" ? {} : { body }),
    });
    response.writeHead(answer.status, { "content-type": answer.headers.get("content-type") ?? "text/plain" });
    for await (const chunk of answer.body ?? []) response.write(chunk);
    response.end();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    bodies,
    close: () =>
      new Promise((resolve, reject) => server.close((error) => (error === undefined ? resolve() : reject(error)))),
  };
}
