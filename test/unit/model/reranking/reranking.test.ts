// Rerankers: the guard, the HTTP endpoint, the pages that they order, and a cross-encoder in a thread.
import { mkdirSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import path from "node:path";
import { rerankedPage } from "../../../../src/memory/reranked-page.ts";
import { guardReranker } from "../../../../src/model/reranking/guard-reranker.ts";
import { createHttpReranker } from "../../../../src/model/reranking/http-reranker.ts";
import type { GuardedReranker, Reranker } from "../../../../src/model/reranking/reranker.ts";
import { createTransformersReranker } from "../../../../src/model/reranking/transformers/transformers-reranker.ts";
import { createManualClock } from "../../../support/manual-clock.ts";
import { useFolderOfTest } from "../../../support/folders.ts";

const signal = new AbortController().signal;

describe("a page", () => {
  const rows = Array.from({ length: 60 }, (_, place) => place);
  const asked: string[] = [];
  const find = async (page: number, pageSize: number) => {
    asked.push(`${page} ${pageSize}`);
    return { rows: rows.slice(page * pageSize, (page + 1) * pageSize), total: rows.length };
  };
  const pageOf = (reranker: GuardedReranker | null, page: number, pageSize: number) =>
    rerankedPage(reranker, { query: "q", page, pageSize }, { find, textOf: String });
  const reversed: GuardedReranker = { score: async (_, texts) => texts.map(Number), close: async () => undefined };

  it("is of the fifty best, in the reranker's order, then of the others in theirs", async () => {
    const pages = await Promise.all([0, 1, 2].map((page) => pageOf(reversed, page, 20)));
    expect(pages.flatMap((page) => page.rows)).toEqual([...rows.slice(0, 50).toReversed(), ...rows.slice(50)]);
    expect(pages.map(({ total }) => total)).toEqual([60, 60, 60]);
    expect((await pageOf(reversed, 5, 10)).rows).toEqual(rows.slice(50));
  });

  it("keeps its order if the reranker fails, finds equal scores, or does not exist", async () => {
    expect((await pageOf({ ...reversed, score: async () => null }, 1, 5)).rows).toEqual([5, 6, 7, 8, 9]);
    expect((await pageOf({ ...reversed, score: async (_, texts) => texts.map(() => 1) }, 0, 3)).rows).toEqual([
      0, 1, 2,
    ]);
    asked.length = 0;
    expect((await pageOf(null, 1, 5)).rows).toEqual([5, 6, 7, 8, 9]);
    expect(asked).toEqual(["1 5"]);
  });
});

describe("the guard", () => {
  it("reports a failure once, pauses after three, and reports the recovery", async () => {
    const clock = createManualClock();
    const lines: string[] = [];
    let calls = 0;
    let isDown = true;
    const reranker: Reranker = {
      name: "test",
      score: async (_, texts) => {
        calls += 1;
        if (isDown) throw new TypeError("no route");
        return texts.map(() => 1);
      },
      close: async () => undefined,
    };
    const guarded = guardReranker(reranker, { clock, random: () => 0, log: (line) => lines.push(line) });
    for (let call = 0; call < 5; call += 1) expect(await guarded.score("q", ["a"])).toBeNull();
    expect(calls).toBe(3);
    isDown = false;
    await clock.advance(1000);
    expect(await guarded.score("q", ["a"])).toEqual([1]);
    expect(lines).toEqual([
      "The reranker test failed, so hits are not reordered: no route",
      "The reranker test recovered.",
    ]);
  });

  it.each([
    ["too few scores", async () => []],
    ["a score that is no number", async () => [Number.NaN]],
  ])("refuses %s", async (_, score) => {
    const reranker: Reranker = { name: "test", score, close: async () => undefined };
    const guarded = guardReranker(reranker, { clock: createManualClock(), random: () => 0, log: () => undefined });
    expect(await guarded.score("q", ["a"])).toBeNull();
  });

  it("gives up on a call that takes too long, and aborts it", async () => {
    const clock = createManualClock();
    let aborted = false;
    const reranker: Reranker = {
      name: "test",
      score: (_q, _t, options) =>
        new Promise(() => options.signal.addEventListener("abort", () => (aborted = true), { once: true })),
      close: async () => undefined,
    };
    const guarded = guardReranker(reranker, { clock, random: () => 0, log: () => undefined });
    const scored = guarded.score("q", ["a"]);
    await clock.advance(5000);
    expect(await scored).toBeNull();
    expect(aborted).toBe(true);
  });
});

describe("an HTTP endpoint", () => {
  let server: Server;
  let url: string;
  let reply: { status: number; body: string };
  const received: { authorization: string | undefined; body: unknown }[] = [];

  beforeAll(async () => {
    server = createServer((request, response) => {
      let text = "";
      request.on("data", (piece: Buffer) => (text += piece.toString()));
      request.on("end", () => {
        received.push({ authorization: request.headers.authorization, body: JSON.parse(text) });
        response.writeHead(reply.status, { "content-type": "application/json" }).end(reply.body);
      });
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1/rerank`;
  });

  afterAll(() => new Promise((resolve) => server.close(resolve)));

  const score = (texts: readonly string[]) =>
    createHttpReranker({ url, model: "m", apiKey: "sk-secret" }).score("q", texts, { signal });

  it("gets the query and the documents, and omitted ones are last", async () => {
    const results = [
      { index: 2, relevance_score: 0.9 },
      { index: 0, relevance_score: -0.5 },
    ];
    reply = { status: 200, body: JSON.stringify({ results }) };
    const scores = await score(["a", "b", "c"]);
    expect(scores).toEqual([-0.5, -1.5, 0.9]);
    expect(received.at(-1)).toEqual({
      authorization: "Bearer sk-secret",
      body: { model: "m", query: "q", documents: ["a", "b", "c"], top_n: 3 },
    });
  });

  it.each([
    ["an error", { status: 503, body: "{}" }, "status 503"],
    ["another form", { status: 200, body: "[]" }, "Expected `results`"],
    ["an index that was not sent", { status: 200, body: '{"results":[{"index":7,"relevance_score":1}]}' }, "got 7"],
    ["no JSON", { status: 200, body: "<html>" }, ""],
  ])("that replies with %s fails, without the key in the message", async (_, given, message) => {
    reply = given;
    const error = await score(["a"]).catch((thrown: unknown) => thrown as Error);
    expect(String(error)).toContain(message);
    expect(String(error)).not.toContain("sk-secret");
  });
});

describe("a cross-encoder in a folder", () => {
  const folder = useFolderOfTest();

  it("scores each pair in a thread", async () => {
    mkdirSync(path.join(folder(), "model"));
    writeFileSync(path.join(folder(), "model", "config.json"), "{}");
    const library = path.join(folder(), "library.mjs");
    writeFileSync(
      library,
      `export const env = {};
       export const AutoTokenizer = { from_pretrained: async () => (query, { text_pair }) => [query, text_pair] };
       export const AutoModelForSequenceClassification = {
         from_pretrained: async () => async ([query, text]) => ({ logits: { data: [0, text.split(query).length - 1] } }),
       };`,
    );
    const reranker = createTransformersReranker({ model: "model", folder: folder(), library });
    expect(await reranker.score("sea", ["land", "sea sea", "the sea"], { signal })).toEqual([0, 2, 1]);
    await reranker.close();
  });

  it("is required when it is opened", () => {
    expect(() => createTransformersReranker({ model: "none", folder: folder(), library: "x" })).toThrow(
      "found no config.json",
    );
  });
});
