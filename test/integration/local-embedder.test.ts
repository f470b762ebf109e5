// The local model with its real weights, in its real thread. Needs dist/ (npm run build): Node 20 runs no TypeScript there.
import { execFile } from "node:child_process";
import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { once } from "node:events";
import { monitorEventLoopDelay } from "node:perf_hooks";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";
import type { Worker } from "node:worker_threads";
import { packageRoot } from "../../src/base/package-root.ts";
import type { Embedder } from "../../src/model/embedding/embedder.ts";
import { createLocalEmbedder } from "../../src/model/embedding/local/local-embedder.ts";
import { useScene } from "../support/use-scene.ts";

// Node announces each thread that is started: who, when and how many, without a hook in the product.
const started: Worker[] = [];
const remember = (message: unknown): void => void started.push((message as { worker: Worker }).worker);
const opened: Embedder[] = [];
/** For tests that do not look at the thread: loading the weights takes longer than most of them. */
const shared = useScene(async () => createLocalEmbedder({}));

function open(entry?: URL): Embedder {
  const embedder = createLocalEmbedder(entry === undefined ? {} : { entry });
  opened.push(embedder);
  return embedder;
}

const cosine = (one: readonly number[], other: readonly number[]): number =>
  one.reduce((sum, value, index) => sum + value * other[index]!, 0);

/** What a promise is rejected with, caught at once, so that it may be awaited later. */
const failureOf = async (work: Promise<unknown>): Promise<unknown> =>
  await work.then(
    () => undefined,
    (reason: unknown) => reason,
  );

beforeAll(() => subscribe("worker_threads", remember));
afterAll(() => unsubscribe("worker_threads", remember));
afterEach(async () => {
  await Promise.all(opened.splice(0).map((embedder) => embedder.close()));
  started.length = 0;
});

describe("createLocalEmbedder", () => {
  it("ranks the sentence that answers first", async () => {
    const sentences = [
      "The bus leaves at nine.",
      "Cinderella wept.",
      "She bought three apples.",
      "The king raised taxes.",
    ];
    const [question, ...vectors] = await shared.embed(["why was she crying", ...sentences]);
    const scores = vectors.map((vector) => cosine(question!, vector!));
    expect(sentences[scores.indexOf(Math.max(...scores))]).toBe("Cinderella wept.");
  });

  it("returns the same vector for the same text in any batch", async () => {
    const [alone] = await shared.embed(["Ada plays chess."]);
    const among = await shared.embed([
      "x",
      "a much longer text ".repeat(50),
      "Ada plays chess.",
      "Ada  plays\nchess. ",
    ]);
    expect(among[2]).toEqual(alone);
    expect(among[3]).toEqual(alone);
  });

  it("ends its thread when nothing was embedded for a while, and starts another for the next text", async () => {
    const embedder = createLocalEmbedder({ idleMs: 1 });
    opened.push(embedder);
    const before = await embedder.embed(["Ada plays chess."]);
    await once(started[0]!, "exit");
    expect(await embedder.embed(["Ada plays chess."])).toEqual(before);
    expect(started).toHaveLength(2);
  });

  it("runs the model in one thread, started by the first embed", async () => {
    const embedder = open();
    expect(started).toHaveLength(0);
    const sentences = Array.from(
      { length: 50 },
      (_, index) => `On day ${index} the gardener planted roses and tulips.`,
    );
    await embedder.embed(["warm up"]);
    const delay = monitorEventLoopDelay({ resolution: 5 });
    delay.enable();
    const before = started[0]!.performance.eventLoopUtilization();
    const begun = Date.now();
    const vectors = await embedder.embed(sentences);
    const seconds = (Date.now() - begun) / 1000;
    delay.disable();
    expect(vectors).toHaveLength(50);
    expect(started).toHaveLength(1);
    expect(started[0]!.threadId).toBeGreaterThan(0);
    expect(started[0]!.performance.eventLoopUtilization(before).active).toBeGreaterThan(0);
    const stall = (delay.max / 1e6).toFixed(0);
    process.stdout.write(
      `local embedder: ${(50 / seconds).toFixed(0)} sentences/s, longest stall of the caller ${stall} ms\n`,
    );
  });

  it("answers a query before the rest of a batch of long texts", async () => {
    const embedder = open();
    await embedder.embed(["warm up"]);
    const answered: string[] = [];
    const long = Array.from({ length: 8 }, (_, index) => `${index} ${"a much longer text ".repeat(300)}`);
    const batch = embedder.embed(long).then(() => answered.push("batch"));
    const query = embedder.embed(["Where is it?"]).then(() => answered.push("query"));
    await Promise.all([batch, query]);
    expect(answered).toEqual(["query", "batch"]);
  });

  it("accepts unusual texts and returns unit vectors of 512 numbers", async () => {
    const odd = [
      "",
      " \n\t",
      "\ud800",
      "a".repeat(1_000_000),
      "\u0000",
      "😀",
      "日本語",
      "ﷺ".repeat(5000),
      " ".repeat(100_000),
    ];
    const vectors = await shared.embed(odd);
    expect(vectors.map((vector) => vector?.length)).toEqual(odd.map(() => 512));
    for (const vector of vectors) expect(Math.hypot(...vector!)).toBeCloseTo(1, 5);
  });

  it("distinguishes texts without a known word", async () => {
    const [one, same, other, english] = await shared.embed(["我喜欢猫", "我喜欢猫", "明天下雨", "I like cats"]);
    expect(same).toEqual(one);
    expect(Math.abs(cosine(one!, other!))).toBeLessThan(0.2);
    expect(Math.abs(cosine(one!, english!))).toBeLessThan(0.2);
  });

  it("returns nothing for no texts, without starting a thread", async () => {
    expect(await open().embed([])).toEqual([]);
    expect(started).toHaveLength(0);
  });

  it("fails waiting calls when the thread ends, and starts a new one for the next call", async () => {
    const embedder = open();
    const [error] = await Promise.all([failureOf(embedder.embed(["doomed"])), started[0]!.terminate()]);
    expect(error).toMatchObject({ code: "embedding_failed" });
    expect(await embedder.embed(["again"])).toHaveLength(1);
    expect(started).toHaveLength(2);
  });

  it("rejects with the signal's reason, before and during a call, and continues with others", async () => {
    const embedder = open();
    const reason = new DOMException("enough", "AbortError");
    await expect(embedder.embed(["never"], { signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
    expect(started).toHaveLength(0);
    const controller = new AbortController();
    const aborted = failureOf(embedder.embed(["one"], { signal: controller.signal }));
    const other = embedder.embed(["two"]);
    controller.abort(reason);
    expect(await aborted).toBe(reason);
    expect(await other).toHaveLength(1);
  });

  it("keeps a process alive while it works, and not when idle; prints nothing", async () => {
    const built = pathToFileURL(`${packageRoot()}/dist/src/model/embedding/local/local-embedder.js`);
    const program = `const { createLocalEmbedder } = await import(${JSON.stringify(built)});
      void createLocalEmbedder().embed(["text"]).then(([vector]) => process.stdout.write(String(vector.length)));`;
    const flags = ["--input-type=module", "--eval", program];
    const { stdout, stderr } = await promisify(execFile)(process.execPath, flags, { env: {} });
    expect({ stdout, stderr }).toEqual({ stdout: "512", stderr: "" });
  });

  it("says what to do when the worker is not built", async () => {
    const embedder = open(new URL("file:///nowhere/embed-worker.js"));
    await expect(embedder.embed(["text"])).rejects.toThrow(/is missing\. Install palimpsest again/);
  });

  it("fails waiting calls when it is closed, refuses later ones, and can be closed twice", async () => {
    const embedder = open();
    const late = failureOf(embedder.embed(["late"]));
    await Promise.all([embedder.close(), embedder.close()]);
    expect(await late).toMatchObject({ code: "embedding_failed" });
    await expect(embedder.embed(["later"])).rejects.toMatchObject({ code: "embedding_failed" });
  });
});
