// Sources from files to answers: many mixed files, some of them bad; again, killed half-way, changed, gone.
import { appendFileSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { EmbeddingError } from "../../src/base/errors.ts";
import type { Embedder } from "../../src/model/embedding/embedder.ts";
import type { SourceInput } from "../../src/memory/source-load.ts";
import type { Runtime } from "../../src/runtime/runtime.ts";
import type { LoadProgress } from "../../src/runtime/sources/contract.ts";
import { writeMixedFiles } from "../support/mixed-files.ts";
import { useRuntimes } from "../support/runtime.ts";

/** `npm run test:sources` has 2,000. */
const many = Number(process.env["SOURCE_FILES"] || 200);
const longestLoadMs = 240_000;

const runtimes = useRuntimes();
let runtime: Runtime;
let folder: string;
let home: string;

beforeAll(async () => (runtime = await runtimes.open()));

beforeEach(() => {
  home = realpathSync(mkdtempSync(path.join(tmpdir(), "palimpsest-sources-")));
  folder = path.join(home, "docs");
});

afterEach(() => rmSync(home, { recursive: true, force: true }));

/** Gives every text the same vector. */
const flat: Embedder = {
  name: "test/flat",
  dimensions: 512,
  embed: async (texts) => texts.map(() => Array.from({ length: 512 }, () => Math.sqrt(1 / 512))),
  close: async () => undefined,
};

const nothing = { added: 0, changed: 0, unchanged: 0, failed: [], skipped: [], gone: [], removed: 0, passages: 0 };

it(
  `${many} mixed files with twenty bad ones are loaded, reported exactly, and not loaded again`,
  async () => {
    const { good, bad } = writeMixedFiles(folder, many, 20);
    expect([good, bad.length]).toEqual([many - 20, 20]);
    const seen: LoadProgress[] = [];
    const first = await runtime.sources.load("harbour", [folder], { onProgress: (progress) => seen.push(progress) });
    const { passages } = first;
    expect(first).toMatchObject({ ...nothing, added: good, failed: bad, passages });
    expect(passages).toBeGreaterThan(good);
    expect(first.source).toMatchObject({ name: "harbour", files: many, failed: 20, passages });
    expect(seen).toHaveLength(many);
    expect(seen.at(-1)).toMatchObject({ phase: "files", filesDone: many, files: many });
    const again = await runtime.sources.load("harbour", [folder]);
    expect(again).toMatchObject({ ...nothing, unchanged: good, failed: bad });
    expect(again.source.passages).toBe(passages);
  },
  longestLoadMs,
);

it("an interrupted load continues, and nothing is duplicated", async () => {
  writeMixedFiles(folder, 60, 3);
  const stop = new AbortController();
  const onProgress = (progress: LoadProgress) => {
    if (progress.phase === "files" && progress.filesDone === 30) stop.abort("enough");
  };
  const cut = runtime.sources.load("cut", [folder], { onProgress, signal: stop.signal });
  await expect(cut).rejects.toBe("enough");
  const half = await runtime.sources.show("cut");
  expect(half.files).toBe(30);
  const rest = await runtime.sources.load("cut", [folder]);
  expect([rest.added, rest.unchanged, rest.failed.length]).toEqual([57 - (30 - half.failed), 30 - half.failed, 3]);
  const whole = await runtime.sources.load("whole", [folder]);
  expect(rest.source.passages).toBe(whole.source.passages);
});

it("a changed file is replaced, and a missing one is removed on request", async () => {
  writeMixedFiles(folder, 12, 0);
  await runtime.sources.load("changing", [folder]);
  const note = path.join(folder, "part-00/0000.txt");
  writeFileSync(note, "The quay was repainted.");
  rmSync(path.join(folder, "part-00/0001.md"));
  const gone = [path.join(folder, "part-00/0001.md")];
  expect(await runtime.sources.load("changing", [folder])).toMatchObject({
    changed: 1,
    unchanged: 10,
    gone,
    removed: 0,
  });
  const pruned = await runtime.sources.load("changing", [folder], { prune: true });
  expect(pruned).toMatchObject({ ...nothing, unchanged: 11, gone, removed: 1 });
  await runtime.agents.create({ name: "keeper" });
  await runtime.sources.attach("keeper", "changing");
  const found = async (query: string) => (await runtime.archival.search("keeper", query)).total;
  expect([await found('"quay was repainted"'), await found('"Note 0 is"'), await found('"Guide 1"')]).toEqual([
    1, 0, 0,
  ]);
});

it("a source is renamed by its name, and the error for an unknown one suggests the nearest", async () => {
  writeMixedFiles(folder, 3, 0);
  const { source } = await runtime.sources.load("quay", [folder]);
  expect(await runtime.sources.update("quay", { name: "quays" })).toEqual({ ...source, name: "quays" });
  const missing = runtime.sources.update("quay", { name: "other" });
  await expect(missing).rejects.toThrow('There is no source "quay". Did you mean "quays"?');
  expect(await runtime.sources.load("quays", [folder])).toMatchObject({ unchanged: 3, source: { id: source.id } });
});

it("files with their content are loaded like files of a folder, by their names", async () => {
  const buffer = { name: "handbook/leave.md", data: Buffer.from("# Leave\nTwenty-five days.\n") };
  const stream = { name: "notes.txt", data: new Response("Ada lives in Lisbon.").body! };
  const first = await runtime.sources.load("passed", [buffer, stream, { name: "logo.png", data: "x" }]);
  const failed = [{ name: "logo.png", reason: "files of this kind are not supported" }];
  expect(first).toMatchObject({ ...nothing, added: 2, passages: 2, failed });
  expect((await runtime.sources.files("passed")).map((file) => file.path)).toEqual(["handbook/leave.md", "notes.txt"]);
  const changed = { name: "notes.txt", data: "Ada lives in Porto." };
  expect(await runtime.sources.load("passed", [buffer, changed])).toMatchObject({
    ...nothing,
    changed: 1,
    unchanged: 1,
    passages: 1,
  });
  // A file that is not passed again is not gone, even if another load prunes.
  writeMixedFiles(folder, 1, 0);
  expect(await runtime.sources.load("passed", [folder], { prune: true })).toMatchObject({ added: 1, gone: [] });
  await runtime.agents.create({ name: "passed-reader" });
  await runtime.sources.attach("passed-reader", "passed");
  const { hits } = await runtime.archival.search("passed-reader", '"Twenty-five days"');
  const place = { file: "handbook/leave.md", heading: "Leave", lineFrom: 1, lineTo: 2 };
  expect(hits.map((hit) => hit.source)).toEqual([{ name: "passed", ...place }]);
});

it("a file that must be new replaces none, and is not recorded if it cannot be read", async () => {
  const load = (data: string | Uint8Array, name = "a.txt") =>
    runtime.sources.load("new", [{ name, data, isNew: true }]);
  expect(await load("One.")).toMatchObject({ ...nothing, added: 1, passages: 1 });
  const taken = [{ name: "a.txt", reason: "the source already has a file of this name" }];
  expect(await load("Two.")).toMatchObject({ ...nothing, failed: taken });
  expect((await load(Buffer.from([0, 255]), "b.txt")).failed).toHaveLength(1);
  expect(await runtime.sources.files("new")).toMatchObject([{ path: "a.txt", bytes: 4, status: "loaded" }]);
});

describe("a load without a file", () => {
  const load = (inputs: readonly SourceInput[]) => runtime.sources.load("none", inputs, { folder: home });

  it.each<[string, readonly SourceInput[], RegExp]>([
    [
      "of a missing path",
      ["nowhere"],
      /^Nothing was loaded into "none": nowhere: there is no such file\. Check the paths/u,
    ],
    ["of an absolute name", [{ name: "/etc/x", data: "x" }], /\/etc\/x: its name is not a relative path/u],
    ["of an empty folder", ["empty"], /the folders contain no files/u],
  ])("%s is an error and creates no source", async (_name, inputs, message) => {
    mkdirSync(path.join(home, "empty"));
    await expect(load(inputs)).rejects.toMatchObject({
      code: "source_file_unreadable",
      field: "inputs",
      message: expect.stringMatching(message) as unknown,
    });
    expect((await runtime.sources.list()).map(({ name }) => name)).not.toContain("none");
  });

  it("removes deleted files of an earlier load", async () => {
    writeMixedFiles(folder, 1, 0);
    await load(["docs"]);
    rmSync(folder, { recursive: true });
    mkdirSync(folder);
    const pruned = await runtime.sources.load("none", ["docs"], { folder: home, prune: true });
    expect(pruned).toMatchObject({ ...nothing, removed: 1, gone: [expect.any(String)] });
    await runtime.sources.delete("none");
  });
});

it("an agent finds attached passages with their locations", async () => {
  writeMixedFiles(folder, 12, 0);
  await runtime.sources.load("cited", ["docs"], { folder: home });
  await runtime.agents.create({ name: "reader" });
  expect(await runtime.sources.attach("reader", "cited")).toBe(true);
  const page = await runtime.archival.search("reader", '"Page two of log 3"');
  expect(page.hits).toMatchObject([
    { trust: "external", origin: "import", source: { name: "cited", file: "docs/part-00/0003.pdf", page: 2 } },
  ]);
  const knots = await runtime.archival.search("reader", '"knot of net 1"');
  const place = { file: "docs/part-00/0001.md", heading: "Guide 1 > Knots", lineFrom: 5, lineTo: 7 };
  expect(knots.hits.map((hit) => hit.source)).toEqual([{ name: "cited", ...place }]);
  await runtime.sources.delete("cited");
  await expect(runtime.sources.show("cited")).rejects.toMatchObject({ code: "source_not_found" });
  expect((await runtime.archival.search("reader", '"knot of net 1"')).total).toBe(0);
});

it("vectors of the passages are computed, reported, and not computed again", async () => {
  const embedding = await runtimes.open({ embedder: flat });
  writeMixedFiles(folder, 12, 0);
  const seen: LoadProgress[] = [];
  const first = await embedding.sources.load("vectors", [folder], { onProgress: (progress) => seen.push(progress) });
  expect(first.vectors).toEqual({ made: first.passages, missing: 0 });
  expect(seen.at(-1)).toEqual({ phase: "vectors", passagesDone: first.passages, passages: first.passages });
  expect((await embedding.sources.load("vectors", [folder])).vectors).toEqual({ made: 0, missing: 0 });
  appendFileSync(path.join(folder, "part-00/0000.txt"), "One more line.\n");
  expect((await embedding.sources.load("vectors", [folder])).vectors).toEqual({ made: 1, missing: 0 });
});

it("a failing embedder does not affect a load", async () => {
  const failing: Embedder = {
    name: "test/failing",
    dimensions: 512,
    embed: () => Promise.reject(new EmbeddingError("embedding_failed", "no")),
    close: async () => undefined,
  };
  const lines: string[] = [];
  const poor = await runtimes.open({ embedder: failing, log: (line) => lines.push(line) });
  writeMixedFiles(folder, 6, 0);
  const loaded = await poor.sources.load("wordy", [folder]);
  expect(loaded.vectors).toEqual({ made: 0, missing: loaded.passages });
  expect(lines.join("\n")).toContain("because embedding failed");
  await poor.agents.create({ name: "wordy" });
  await poor.sources.attach("wordy", "wordy");
  expect((await poor.archival.search("wordy", '"Note 0 is"')).total).toBe(1);
});
