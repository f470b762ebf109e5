// A service that speaks as much S3 over HTTP as the driver needs, with one bucket, and the faults that servers of that kind have: conditions of a
// write (`If-None-Match`, `If-Match`) are not heeded, a wrong secret is accepted, chunks that a client has framed are stored with
// their framing, and of a connection that breaks in a PUT the part that has come is kept.
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { ObjectsLocation } from "../../src/store/object-storage/object-files.ts";

export interface ObjectServer {
  /** As the setting `objects` names it. */
  readonly setting: string;
  readonly place: ObjectsLocation;
  /** What is stored, by path. */
  readonly objects: ReadonlyMap<string, Buffer>;
  /** Requests by method. */
  readonly requests: Readonly<Record<string, number>>;
  /** Every request is refused with 503 while it is down. */
  isDown: boolean;
  /** Called before an answer is sent; it may wait. */
  delay: (method: string) => Promise<void>;
  put(path: string, bytes: Buffer): void;
  drop(path: string): void;
  close(): Promise<void>;
}

export async function startObjectServer(): Promise<ObjectServer> {
  const objects = new Map<string, Buffer>();
  const requests: Record<string, number> = {};
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("close", () => {
      if (!request.complete && request.method === "PUT") objects.set(request.url!, Buffer.concat(chunks));
    });
    request.on("end", () => void handle(request, response, Buffer.concat(chunks)));
  });
  const handle = async (request: IncomingMessage, response: ServerResponse, body: Buffer): Promise<void> => {
    const { url = "", method = "" } = request;
    requests[method] = (requests[method] ?? 0) + 1;
    await self.delay(method);
    const isSigned = request.headers.authorization?.startsWith("AWS4-HMAC-SHA256 ") === true;
    if (self.isDown || !isSigned) response.writeHead(self.isDown ? 503 : 403).end();
    else if (url.startsWith("/things?list-type=2")) response.writeHead(200).end(listing(objects, url));
    else if (!url.startsWith("/things/")) response.writeHead(404).end();
    else answer(objects, request, { response, body });
  };
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const keys = { region: "us-east-1", accessKeyId: "id", secretAccessKey: "secret" };
  const self: ObjectServer = {
    setting: `s3:${endpoint}/things`,
    place: { kind: "s3", endpoint, bucket: "things", ...keys },
    objects,
    requests,
    isDown: false,
    delay: async () => undefined,
    put: (path, bytes) => void objects.set(path, bytes),
    drop: (path) => void objects.delete(path),
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return self;
}

/** Two objects on a page, so that whoever lists has to ask for more. */
function listing(objects: ReadonlyMap<string, Buffer>, url: string): string {
  const from = Number(new URL(url, "http://any").searchParams.get("continuation-token") ?? 0);
  const paths = [...objects.keys()].map((path) => path.slice("/things/".length)).toSorted();
  const keys = paths.slice(from, from + 2).map((path) => `<Contents><Key>${path}</Key></Contents>`);
  const next = from + 2 < paths.length ? `<NextContinuationToken>${from + 2}</NextContinuationToken>` : "";
  return `<?xml version="1.0"?><ListBucketResult>${keys.join("")}${next}</ListBucketResult>`;
}

interface Asked {
  readonly response: ServerResponse;
  readonly body: Buffer;
}

function answer(objects: Map<string, Buffer>, { url = "", method }: IncomingMessage, { response, body }: Asked): void {
  const found = objects.get(url);
  if (method === "PUT") response.writeHead(200).end(void objects.set(url, body));
  else if (method === "DELETE") response.writeHead(204).end(void objects.delete(url));
  else if (found === undefined) response.writeHead(404).end();
  else response.writeHead(200).end(method === "HEAD" ? undefined : found);
}
