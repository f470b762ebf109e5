// Servers of models on real sockets: what they list, and what is said of those that hang, refuse, fail or speak something else.
import { createServer as createTcpServer, type Server } from "node:net";
import type { AddressInfo } from "node:net";
import { openaiListing } from "../../src/model/llm/model-provider.ts";
import { findServers } from "../../src/model/llm/servers/find-servers.ts";
import { listModels } from "../../src/model/llm/servers/list-models.ts";
import { type RawReply, startRawServer } from "../support/raw-server.ts";

const patience = { timeoutMs: 2000, signal: new AbortController().signal };
const json = (value: unknown): RawReply => ({ chunks: [JSON.stringify(value)] });
const models = json({ data: [{ id: "llama3.2" }, { id: "qwen3:8b" }] });

const listAt = (url: string, options = patience, key: string | null = "sk-secret-key") =>
  listModels({ provider: "openai", title: "The server", url, listing: openaiListing, key }, options);

async function answer(reply: RawReply, options = patience): Promise<unknown> {
  await using server = await startRawServer([reply], "GET");
  return await listAt(server.url, options).catch((error: unknown) => error);
}

/** A server that writes these bytes to whoever connects, and nothing else. */
async function startTcpServer(greeting: string): Promise<{ readonly port: number; readonly server: Server }> {
  const server = createTcpServer((socket) => {
    socket.on("error", () => undefined);
    socket.end(greeting);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return { port: (server.address() as AddressInfo).port, server };
}

async function closedPort(): Promise<number> {
  const { port, server } = await startTcpServer("");
  await new Promise<void>((resolve) => server.close(() => resolve()));
  return port;
}

describe("a list of models", () => {
  it("is in the server's order, or newest first if it gives dates", async () => {
    expect(await answer(models)).toEqual(["llama3.2", "qwen3:8b"]);
    const dated = json({
      data: [
        { id: "old", created: 1 },
        { id: "new", created: 9 },
        { id: "new", created: 9 },
      ],
    });
    expect(await answer(dated)).toEqual(["new", "old"]);
    expect(await answer(json({ data: null }))).toEqual([]);
  });

  it("leaves out names that a command line cannot contain, and those with control sequences", async () => {
    const names = ["a b", "\u001b[31mred", "日本", "ok"];
    expect(await answer(json({ data: names.map((id) => ({ id })) }))).toEqual(["日本", "ok"]);
  });

  it.each<readonly [string, RawReply, string, RegExp]>([
    ["a wrong key", { status: 401, chunks: ["sk-secret-key"] }, "model_auth", /refused the key \(401\)\. Check that/u],
    ["a forbidden one", { status: 403, chunks: [] }, "model_auth", /403/u],
    ["a limit", { status: 429, chunks: [] }, "model_rate_limit", /Wait a minute/u],
    ["a failure", { status: 500, chunks: ["boom"] }, "model_unavailable", /failing \(500\)\. Try again later/u],
    ["another address", { status: 404, chunks: [] }, "model_request", /\(404\)\. Check the address.*\/v1/u],
    ["a page", { chunks: ["<html>"] }, "model_protocol", /not with a list of models/u],
    ["another shape", json({ models: [] }), "model_protocol", /not with a list of models/u],
    ["a list of something else", json({ data: [5] }), "model_protocol", /not with a list/u],
    [
      "far too much",
      { chunks: [...Array.from({ length: 9 }, () => " ".repeat(1_000_000)), '{"data": []}'] },
      "model_protocol",
      /list/u,
    ],
    ["an answer that is cut off", { chunks: ["{"], ending: "destroy" }, "model_unavailable", /cannot be reached/u],
    [
      "a way elsewhere",
      { status: 302, headers: { location: "http://127.0.0.1:1/" }, chunks: [] },
      "model_unavailable",
      /another address/u,
    ],
  ])("describes %s in words, without the key", async (_what, reply, code, words) => {
    const error = (await answer(reply)) as Error & { readonly code: string };
    expect(error.code).toBe(code);
    expect(error.message).toMatch(words);
    expect(JSON.stringify([error.message, error.cause])).not.toContain("sk-secret-key");
  });

  it.each(["silent", "hang"] as const)("abandons a server that is %s", async (ending) => {
    const error = (await answer({ chunks: ["{"], ending }, { ...patience, timeoutMs: 100 })) as {
      readonly code: string;
    };
    expect(error.code).toBe("model_timeout");
  });

  it("ends with the reason of an abort", async () => {
    const signal = AbortSignal.abort(new RangeError("enough"));
    expect(await answer({ chunks: [], ending: "silent" }, { ...patience, signal })).toMatchObject({
      message: "enough",
    });
  });

  it("reports a port without a listener, and a server without HTTP", async () => {
    await expect(listAt(`http://127.0.0.1:${await closedPort()}`)).rejects.toThrow(/nothing is listening there/u);
    await expect(listAt("http://127.0.0.1:1")).rejects.toThrow(/reserved for another protocol/u);
    const { port, server } = await startTcpServer("220 mail.example ESMTP\r\n");
    await expect(listAt(`http://127.0.0.1:${port}`)).rejects.toThrow(/does not speak HTTP/u);
    server.close();
  });
});

describe("servers on this machine", () => {
  it("are queried concurrently, and listed with their faults", async () => {
    await using good = await startRawServer([models], "GET");
    await using keyed = await startRawServer([{ status: 401, chunks: [] }], "GET");
    await using failing = await startRawServer([{ status: 500, chunks: [] }], "GET");
    await using silent = await startRawServer([{ chunks: [], ending: "silent" }], "GET");
    await using empty = await startRawServer([json({ data: [] })], "GET");
    const mail = await startTcpServer("220 mail.example ESMTP\r\n");
    const portOf = (url: string): number => Number(new URL(url).port);
    const ports = [
      { title: "good", port: portOf(good.url) },
      { title: "keyed", port: portOf(keyed.url) },
      { title: "failing", port: portOf(failing.url) },
      { title: "silent", port: portOf(silent.url) },
      { title: "empty", port: portOf(empty.url) },
      { title: "mail", port: mail.port },
      { title: "nobody", port: await closedPort() },
    ];
    const found = await findServers(ports, { ...patience, timeoutMs: 1000 });
    mail.server.close();
    expect(found.map(({ title, models: names, problem }) => [title, names.length, problem])).toEqual([
      ["good", 2, null],
      ["keyed", 0, "it requires a key"],
      ["failing", 0, "it has no list of models (500)"],
      ["silent", 0, "it did not list its models in time"],
      ["empty", 0, "it has no models yet"],
      ["mail", 0, "it does not speak HTTP"],
    ]);
    expect(found[0]?.baseUrl).toBe(`http://localhost:${ports[0]?.port}/v1`);
  });
});
