// An embedder that fails, on a real database: archival memory goes on by words, says so, and has its vectors afterwards.
import type { RuntimeOptions } from "../../src/runtime/compose/compose.ts";
import { createScriptedModel } from "../../src/model/llm/scripted/scripted-model.ts";
import type { Runtime } from "../../src/runtime/runtime.ts";
import { createFailingEmbedder, type FailingEmbedder } from "../support/failing-embedder.ts";
import { createManualClock, type ManualClock } from "../support/manual-clock.ts";
import { useRuntimes } from "../support/runtime.ts";
import { until } from "../support/until.ts";

const runtimes = useRuntimes();
let embedder: FailingEmbedder;
let clock: ManualClock;
let told: string[];
let number = 0;

async function open(options: RuntimeOptions = {}): Promise<Runtime> {
  number += 1;
  const lines: string[] = [];
  told = lines;
  clock = createManualClock();
  const log = (line: string): void => void lines.push(line);
  const runtime = await runtimes.open({ userId: `user ${number}`, embedder, clock, log, ...options });
  await runtime.agents.create({ name: "main", human: "" });
  return runtime;
}

beforeEach(() => (embedder = createFailingEmbedder()));

/** Moves the time on until it holds, as an open runtime would wait. */
const inTime = (holds: () => boolean | Promise<boolean>) =>
  until(async () => {
    await clock.advance(60_000);
    return holds();
  });

/** A query that shares no word with the passage and points where it points. */
const passage = "Cinderella";
const sameDirection = "ashes slip";

describe("while the embedder fails", () => {
  it("a passage is stored and found by its words, and the result says that meaning was not searched", async () => {
    const runtime = await open();
    embedder.mode = "down";
    expect(await runtime.archival.add("main", "Ada sails a blue boat")).toMatchObject({ isNew: true });
    expect(await runtime.archival.search("main", "boat")).toMatchObject({ total: 1, wordsAlone: true });
    expect(await runtime.archival.search("main", "nowhere")).toMatchObject({ total: 0, wordsAlone: true });
    expect(await runtime.archival.search("main", '"blue boat"')).toMatchObject({ wordsAlone: false });
  });

  it("its circuit opens: searches no longer call it, and one line is logged", async () => {
    const runtime = await open();
    embedder.mode = "down";
    for (let time = 0; time < 10; time += 1) await runtime.archival.search("main", "boat");
    // Each of three is followed by one for a harmless text.
    expect(embedder.calls).toHaveLength(6);
    expect(told).toEqual([expect.stringContaining("memory is searched by words only until it recovers")]);
  });

  it("a runtime closes without waiting for its recovery", async () => {
    const runtime = await open();
    embedder.mode = "down";
    await runtime.archival.add("main", "Ada sails");
    await runtime.archival.search("main", "sails");
    await runtime.close();
    const [calls, lines] = [embedder.calls.length, told.length];
    for (let time = 0; time < 5; time += 1) await clock.advance(600_000);
    expect({ calls: embedder.calls.length, lines: told.length }).toEqual({ calls, lines });
  });
});

describe("an archive that lacks the vectors of many passages", () => {
  it("does not delay the closing of its runtime by more than the two batches that have begun or wait", async () => {
    const runtime = await open();
    embedder.mode = "hanging";
    await runtime.archival.add("main", "passage 0");
    await until(() => embedder.calls.length === 1);
    for (let one = 1; one < 140; one += 1) await runtime.archival.add("main", `passage ${one}`);
    const closing = runtime.close();
    embedder.mode = "up";
    await closing;
    expect(embedder.calls.map(({ length }) => length)).toEqual([1, 128]);
  });
});

describe("an outage over 100 inserts and 100 searches by the tools of an agent", () => {
  const numbers = Array.from({ length: 100 }, (_, number) => number);
  const ship = (number: number): string => `Ship number${number} lies at pier ${number}.`;

  it("no error reaches the model, results stay by words, and afterwards every passage has its vector", async () => {
    const inserts = numbers.map((number) => ({ name: "archival_memory_insert", arguments: { content: ship(number) } }));
    const searches = numbers.map((number) => ({
      name: "archival_memory_search",
      arguments: { query: `number${number}` },
    }));
    const model = createScriptedModel({
      replies: [
        ...[...chunksOf(inserts), ...chunksOf(searches)].flatMap((toolCalls) => [{ toolCalls }]),
        { text: "Done." },
      ],
    });
    const runtime = await open({ models: [model], model: model.name });
    embedder.mode = "down";
    const agent = await runtime.agents.open("main");
    const results: (readonly ["ok" | "failed", string])[] = [];
    for await (const event of agent.send("Keep and find the ships.")) {
      if (event.type === "tool-result") results.push([event.status, event.text]);
    }
    expect(results.filter(([status]) => status === "failed")).toEqual([]);
    expect(results).toHaveLength(200);
    for (const [number, [, text]] of results.slice(100).entries()) {
      expect(text).toContain(ship(number));
      expect(text).toContain("only words were compared");
    }
    // Three calls that failed opened the circuit; each was followed by one for a harmless text.
    expect(embedder.calls.length).toBeLessThanOrEqual(6);
    expect(told.filter((line) => line.startsWith("The embedder"))).toEqual([
      expect.stringContaining("memory is searched by words only until it recovers"),
    ]);
    embedder.mode = "up";
    await inTime(() => missing() === 0);
    expect(embedded()).toEqual(new Set(numbers.map(ship)));
    // Shares a word with none, and points where those of its length do: the ships of two digits.
    const search = () => runtime.archival.search("main", "z".repeat(ship(10).length), { pageSize: 100 });
    await inTime(async () => (await search()).total > 0);
    const { hits, ...page } = await search();
    expect(hits.every(({ text }) => text.length === ship(10).length)).toBe(true);
    expect(page).toMatchObject({ wordsAlone: false });
    expect(told.at(-1)).toContain("recovered");
  });
});

/** Passages whose vectors the embedder has made while it was up. */
const embedded = (): ReadonlySet<string> => new Set(embedder.made.filter((text) => text.startsWith("Ship")));
const missing = (): number => 100 - embedded().size;

const chunksOf = <Item>(items: readonly Item[]): readonly (readonly Item[])[] =>
  Array.from({ length: items.length / 10 }, (_, index) => items.slice(index * 10, index * 10 + 10));

describe("a passage at which the embedder breaks", () => {
  it("is not an outage: the others get vectors, and it is logged once and found by its words", async () => {
    const runtime = await open();
    embedder.poison = "poison";
    embedder.mode = "down";
    for (let index = 0; index < 40; index += 1) await runtime.archival.add("main", `passage ${index}`);
    for (let index = 0; index < 33; index += 1) await runtime.archival.add("main", `poison ${index}`);
    await runtime.archival.add("main", passage);
    await inTime(() => told.length > 0);
    embedder.mode = "up";
    await inTime(() => embedder.made.includes(passage));
    const refused = () =>
      told
        .filter((line) => line.includes("refuses"))
        .join(" ")
        .match(/[0-9a-f-]{36}/gu) ?? [];
    await inTime(() => refused().length >= 33);
    expect(told.join(" ")).not.toContain("poison");
    const calls = embedder.calls.length;
    for (let time = 0; time < 5; time += 1) await clock.advance(600_000);
    expect(embedder.calls).toHaveLength(calls);
    expect(await runtime.archival.search("main", "poison")).toMatchObject({ total: 33, wordsAlone: true });
    expect([new Set(refused()).size, refused().length]).toEqual([33, 33]);
    await runtime.archival.add("main", "Ada sails");
    await until(() => embedder.made.includes("Ada sails"));
    expect(told.filter((line) => line.includes("failed"))).toHaveLength(1);
  });
});

describe("when the embedder has recovered", () => {
  it("passages of all agents get their missing vectors automatically, and one more line is logged", async () => {
    const runtime = await open();
    await runtime.agents.create({ name: "second", human: "" });
    embedder.mode = "down";
    for (let index = 0; index < 40; index += 1) await runtime.archival.add("main", `passage ${index}`);
    await runtime.archival.add("second", passage);
    await runtime.archival.search("main", "x");
    await inTime(() => told.length > 0);
    embedder.mode = "up";
    const hits = async (name: string, query: string) => (await runtime.archival.search(name, query)).total;
    await inTime(async () => (await hits("second", sameDirection)) === 1);
    expect(await runtime.archival.search("second", sameDirection)).toMatchObject({ wordsAlone: false });
    expect(embedder.calls.every((texts) => texts.length <= 128)).toBe(true);
    expect(told).toEqual([expect.stringContaining("failed"), expect.stringContaining("recovered")]);
  });
});

describe("vectors of the wrong width", () => {
  it("are refused, logged, and not computed again", async () => {
    const runtime = await open();
    embedder.mode = "narrow";
    await runtime.archival.add("main", passage);
    await until(() => told.length > 0);
    expect(told).toEqual([expect.stringContaining("Expected vectors of 512 dimensions")]);
    await clock.advance(600_000);
    expect(embedder.calls).toHaveLength(1);
    expect(await runtime.archival.search("main", passage)).toMatchObject({ total: 1, wordsAlone: true });
  });
});
