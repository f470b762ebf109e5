// Requests to the MCP servers of users, with a server of this machine and a resolver of names that the test scripts.
import type { LookupAddress } from "node:dns";
import { once } from "node:events";
import { createServer, type Server } from "node:http";
import { createHttpFetch } from "../../../../src/tool/mcp/user-servers.ts";

let http: Server;
let port: number;
const seen: string[] = [];

beforeAll(async () => {
  http = createServer((request, response) => {
    seen.push(`${request.method} ${request.url} ${String(request.headers["x-a"])}`);
    if (request.url === "/moved") response.writeHead(302, { location: "/" }).end();
    else if (request.url === "/empty") response.writeHead(204).end();
    else if (request.url === "/refused") response.writeHead(403).end("no");
    else if (request.url === "/slow") response.writeHead(200).write("beginning");
    else response.writeHead(200, { "content-type": "text/plain" }).end("hello");
  }).listen(0, "127.0.0.1");
  await once(http, "listening");
  ({ port } = http.address() as { port: number });
});
afterAll(() => {
  http.closeAllConnections();
  http.close();
});
beforeEach(() => seen.splice(0));

const at = (path: string, host = "127.0.0.1") => `http://${host}:${port}${path}`;
const resolving = (addresses: readonly string[]) => {
  const found = addresses.map((address): LookupAddress => ({ address, family: address.includes(":") ? 6 : 4 }));
  return createHttpFetch({ onlyPublic: true }, (_host, _options, callback) => callback(null, found));
};

test("a request is sent with its method, headers and body, and its answer is read", async () => {
  const send = createHttpFetch({ onlyPublic: false });
  const response = await send(at("/"), { method: "POST", headers: { "x-a": "b" }, body: "text" });
  expect([response.status, response.headers.get("content-type"), await response.text()]).toEqual([
    200,
    "text/plain",
    "hello",
  ]);
  expect(seen).toEqual(["POST / b"]);
  expect((await send(at("/empty"))).body).toBeNull();
});

test("a redirect is not followed, and an answer that refuses the token says so", async () => {
  const send = createHttpFetch({ onlyPublic: false });
  await expect(send(at("/moved"))).rejects.toThrow("it redirects to another URL, which is not followed");
  await expect(send(at("/refused"))).rejects.toThrow("it answered 403, because it does not accept the token");
  expect(seen).toEqual(["GET /moved undefined", "GET /refused undefined"]);
});

test("a name with an address that is not public is refused where the socket is opened, and so is such an address", async () => {
  const refused = {
    code: "mcp_server_refused",
    message: expect.stringContaining("resolves to a loopback, private or reserved address"),
  };
  await expect(resolving(["127.0.0.1"])(at("/", "tickets.example.com"))).rejects.toMatchObject(refused);
  await expect(resolving(["1.1.1.1", "10.0.0.1"])(at("/", "tickets.example.com"))).rejects.toMatchObject(refused);
  await expect(resolving(["fe80::1"])(at("/", "tickets.example.com"))).rejects.toMatchObject(refused);
  await expect(resolving(["1.1.1.1"])(at("/", "127.0.0.1"))).rejects.toMatchObject(refused);
  await expect(resolving(["1.1.1.1"])(at("/", "[::1]"))).rejects.toMatchObject(refused);
  expect(seen).toEqual([]);
});

test("a name that does not resolve, and an abort before and after the answer has begun, fail the request", async () => {
  const failing = createHttpFetch({ onlyPublic: true }, (_host, _options, callback) =>
    callback(Object.assign(new Error("unknown"), { code: "ENOTFOUND" }), []),
  );
  await expect(failing(at("/", "tickets.example.com"))).rejects.toThrow("unknown");
  const send = createHttpFetch({ onlyPublic: false });
  await expect(send(at("/"), { signal: AbortSignal.abort() })).rejects.toMatchObject({ name: "AbortError" });
  const stop = new AbortController();
  const response = await send(at("/slow"), { signal: stop.signal });
  const reading = response.text();
  stop.abort();
  await expect(reading).rejects.toThrow("aborted");
});
