// Vectors without what all of a model's vectors share, and the floor that is learned from a sample.
import { centreVectors, samplePairs } from "../../../../src/model/embedding/centred-embedder.ts";
import type { EmbedOptions, Embedder, Vector } from "../../../../src/model/embedding/embedder.ts";
import { createManualClock } from "../../../support/manual-clock.ts";
import { unknownTextVector } from "../../../../src/model/embedding/unknown-text-vector.ts";

const dimensions = samplePairs.length + 3;
const refused = new Set<string>();
let calls: (EmbedOptions & { readonly texts: readonly string[] })[] = [];
let fails = false;

beforeEach(() => {
  calls = [];
  fails = false;
  refused.clear();
});

/** A model whose vectors share a direction, and whose queries and passages share one each. Texts on one subject are near. */
const model: Embedder = {
  name: "test/narrow",
  dimensions,
  embed: async (texts, options = {}) => {
    calls.push({ ...options, texts });
    if (fails) throw new Error("down");
    return texts.map((text) => (refused.has(text) ? null : vectorOf(text, options.isQuery === true)));
  },
  close: async () => undefined,
};

function vectorOf(text: string, isQuery: boolean): readonly number[] {
  if (text === "☃") return [...unknownTextVector(text, dimensions)];
  const subject = subjectOf(text);
  const parts = Array.from({ length: dimensions }, (_, place) => {
    if (place === 0) return 6;
    if (place === 1) return isQuery ? 3 : -3;
    return place === subject + 2 ? 2 : 0;
  });
  const length = Math.hypot(...parts);
  return parts.map((part) => part / length);
}

/** A text "about 3" is about the subject of the third pair. */
function subjectOf(text: string): number {
  const known = samplePairs.findIndex(({ question, answer }) => question === text || answer === text);
  return known < 0 ? Number(/\d+/u.exec(text)?.[0] ?? samplePairs.length) : known;
}

const cosine = (one: Vector = null, other: Vector = null): number =>
  (one ?? []).reduce((sum, value, place) => sum + value * (other?.[place] ?? 0), 0);

async function cosineOf(embedder: Embedder, query: string, passage: string): Promise<number> {
  const [[asked], [found]] = await Promise.all([embedder.embed([query], { isQuery: true }), embedder.embed([passage])]);
  return cosine(asked, found);
}

describe("centred vectors", () => {
  it("are near only for texts on one subject, and the floor is between", async () => {
    const embedder = centreVectors(model);
    const floor = await embedder.learnedFloor();
    expect(await cosineOf(model, "about 3", "also about 4")).toBeGreaterThan(0.5);
    expect(await cosineOf(embedder, "about 3", "also about 4")).toBeLessThan(floor - 0.3);
    expect(await cosineOf(embedder, "about 3", "also about 3")).toBeGreaterThan(floor + 0.3);
    const [one, other] = await embedder.embed(["about 3", "about 4"]);
    expect([cosine(one, one), cosine(other, other)]).toEqual([expect.closeTo(1), expect.closeTo(1)]);
    expect(cosine(one, other)).toBeLessThan(floor);
  });

  it("have another name than the model's own", () => {
    expect(centreVectors(model)).toMatchObject({ name: "test/narrow|centred", dimensions });
  });

  it("embed the sample once, with the first texts", async () => {
    const embedder = centreVectors(model);
    expect(calls).toHaveLength(0);
    await Promise.all([embedder.embed(["about 1"]), embedder.embed(["about 2"], { isQuery: true })]);
    await embedder.learnedFloor();
    const counts = calls.map(({ isQuery, texts }) => [isQuery === true, texts.length]);
    expect(counts).toEqual([
      [true, samplePairs.length],
      [false, samplePairs.length],
      [false, 1],
      [true, 1],
    ]);
  });

  it("learn again after a failure", async () => {
    const embedder = centreVectors(model);
    fails = true;
    await expect(embedder.embed(["about 1"])).rejects.toThrow("down");
    fails = false;
    expect(await embedder.embed(["about 1"])).toHaveLength(1);
  });

  it("give up a sample that takes longer than a minute, and learn again", async () => {
    const clock = createManualClock();
    let isHung = true;
    const hanging: Embedder = {
      ...model,
      embed: (...call) => (isHung ? new Promise<never>(() => undefined) : model.embed(...call)),
    };
    const embedder = centreVectors(hanging, clock);
    const outcomes = Promise.allSettled([embedder.embed(["about 1"]), embedder.learnedFloor()]);
    isHung = false;
    await clock.advance(60_000);
    const reason = { code: "embedding_failed", message: expect.stringMatching(/timed out after 60 s/u) };
    expect(await outcomes).toMatchObject([{ reason }, { reason }]);
    expect(await embedder.embed(["about 1"])).toHaveLength(1);
  });

  it("do without refused texts of the sample, but not without most of them", async () => {
    refused.add(samplePairs[0]?.question ?? "").add(samplePairs[1]?.answer ?? "");
    const floor = await centreVectors(model).learnedFloor();
    expect(floor).toBeGreaterThan(0);
    for (const { answer } of samplePairs.slice(samplePairs.length / 2)) refused.add(answer);
    await expect(centreVectors(model).learnedFloor()).rejects.toMatchObject({ code: "embedding_failed" });
  });

  it("leave a refused text and a text that the model does not know as they are", async () => {
    const embedder = centreVectors(model);
    refused.add("about 5");
    expect(await embedder.embed(["about 5", "☃"])).toEqual([null, [...unknownTextVector("☃", dimensions)]]);
  });

  it("end an aborted wait for the sample, and keep learning for others", async () => {
    const embedder = centreVectors(model);
    const reason = new RangeError("enough");
    const abort = new AbortController();
    const aborted = embedder.embed(["about 1"], { signal: abort.signal });
    abort.abort(reason);
    await expect(aborted).rejects.toBe(reason);
    expect(await embedder.embed(["about 1"])).toHaveLength(1);
    expect(calls).toHaveLength(3);
  });
});
