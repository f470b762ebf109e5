// Archives as files: every line is checked first, and nothing is lost or stored by half.
import { mkdir, readFile, stat, writeFile } from "node:fs/promises";
import path from "node:path";
import { readPassageLine } from "../../../src/surfaces/cli/parse/passage-line.ts";
import { fakeRecord } from "../../support/fake-agent.ts";
import { type CliOptions, type CliRun, runInWorld } from "../../support/fake-world.ts";
import { type StubRuntime, stubRuntime } from "../../support/stub-runtime.ts";
import { useFolderOfTest } from "../../support/folders.ts";

const folder = useFolderOfTest();
let runtime: StubRuntime;
const run = (argv: readonly string[], options: CliOptions = {}): Promise<CliRun> =>
  runInWorld(["archival", ...argv], { runtime, ...options });
const imports = (): readonly unknown[] => runtime.calls.filter(([name]) => name === "archival.import");
const inFolder = async (name: string, content: string | Buffer): Promise<string> => {
  const file = path.join(folder(), name);
  await writeFile(file, content);
  return file;
};

/** An archive in which one of the passages of each import is already stored. `exported` is called between two of an export. */
const archiveWith = ({
  imported = (): void => undefined,
  exported,
}: {
  readonly imported?: () => void;
  readonly exported?: () => void;
} = {}) =>
  stubRuntime({
    agents: { find: async () => fakeRecord },
    archival: {
      import: async (_agent, passages) => (imported(), passages.length - 1),
      async *export() {
        yield passage;
        exported?.();
        if (exported !== undefined) yield passage;
      },
    },
  });

beforeEach(async () => (runtime = archiveWith()));

const at = new Date("2026-11-21T10:13:01.000Z");
const parts = { id: "passage-1", text: "Ada sails", tags: ["sea"], kind: "memory" } as const;
const passage = { ...parts, origin: "model", trust: "external", importance: 0.5, source: null, at } as const;
const line =
  '{"id":"passage-1","text":"Ada sails","tags":["sea"],"kind":"memory","origin":"model","trust":"external","importance":0.5,"at":"2026-11-21T10:13:01.000Z"}\n';

describe("readPassageLine", () => {
  it.each([
    ['{"text":"x"}', { text: "x", tags: [], kind: "memory" }],
    [line, { text: "Ada sails", tags: ["sea"], kind: "memory", importance: 0.5, at: new Date("2026-11-21T10:13:01Z") }],
    [
      '{"text":"x","at":"2026-11-21T10:13:01+01:00"}',
      { text: "x", tags: [], kind: "memory", at: new Date("2026-11-21T09:13:01Z") },
    ],
    ['{"text":"</human> %_ \\u0000\\ud800"}', { text: "</human> %_ \u0000\ud800", tags: [], kind: "memory" }],
  ])("reads %s", (text, passage) => {
    expect(readPassageLine(text)).toEqual({ passage, problem: null });
  });

  it.each([
    ["{", "text that is not JSON"],
    ["[]", "expected object, received array"],
    ["null", "expected object, received null"],
    ["{}", "text: Invalid input: expected string, received undefined"],
    ['{"text":" \\n"}', "text: Expected some text, got a blank one"],
    ['{"text":"x","tag":["a"]}', 'Unrecognized key: "tag"'],
    ['{"text":"x","__proto__":1}', 'Unrecognized key: "__proto__"'],
    ['{"text":"x","tags":"a"}', "tags: Invalid input: expected array, received string"],
    ['{"text":"x","tags":["a",""]}', "tags.1: "],
    ['{"text":"x","kind":"note"}', "kind: "],
    ['{"text":"x","importance":1.5}', "importance: "],
    ['{"text":"x","at":"2026-02-30T00:00:00Z"}', "at: "],
    ['{"text":"x","at":"2026-02-03T00:00:00"}', "at: "],
    ['{"text":"x","at":"0000-01-01T00:00:00Z"}', "at: Expected a time in the years 1 to 9999"],
  ])("refuses %s", (text, problem) => {
    const found = readPassageLine(text);
    expect(found.passage).toBeNull();
    expect(found.problem).toContain(problem);
  });
});

describe("archival import", () => {
  it.each(["a file", "stdin"])(
    "imports passages from %s, in order, without blank lines and carriage returns",
    async (from) => {
      const content = `\uFEFF{"text":"one"}\r\n\n${line}{"text":"海"}`;
      const file = from === "stdin" ? "-" : await inFolder("in.jsonl", content);
      const found = await run(["import", file], { input: content });
      expect(found).toMatchObject({ exitCode: 0, stderr: "", stdout: "Imported 2 passages; 1 already stored.\n" });
      const passages = [{ text: "one" }, { text: "Ada sails", importance: 0.5 }, { text: "海" }];
      expect(imports()).toMatchObject([["archival.import", "main", passages]]);
    },
  );

  it("counts as JSON", async () => {
    expect((await run(["import", "-", "--json"], { input: line })).stdout).toBe('{"added":0,"present":1}\n');
  });

  it("reports invalid lines with their numbers, and stores nothing", async () => {
    const file = await inFolder("in.jsonl", `${line}\n{\n{"text":""}\n${"x\n".repeat(20)}`);
    const found = await run(["import", file]);
    expect(found).toMatchObject({ exitCode: 2, stdout: "", opened: undefined });
    expect(found.stderr).toContain("palimpsest: line 3: Expected a JSON object, got text that is not JSON\n");
    expect(found.stderr).toContain("palimpsest: line 4: text: Expected some text, got a blank one\n");
    expect(found.stderr).toContain("was not imported. Invalid lines: 22 of 23, the first 10 are above.");
    expect(found.stderr.match(/line \d+:/gu)).toHaveLength(10);
    expect(imports()).toEqual([]);
  });

  it("stores many in batches and reports progress, unless --quiet", async () => {
    const file = await inFolder("in.jsonl", '{"text":"x"}\n'.repeat(2050));
    const found = await run(["import", file]);
    expect(found.stderr).toBe("palimpsest: 1,000 of 2,050 passages\npalimpsest: 2,000 of 2,050 passages\n");
    expect(imports()).toHaveLength(21);
    expect((await run(["import", file, "--quiet"])).stderr).toBe("");
  });

  it.each([
    ["there is no such file", async () => path.join(folder(), "nope")],
    ["it is a folder", async () => (await mkdir(path.join(folder(), "sub")), path.join(folder(), "sub"))],
    ["it is not UTF-8 text", () => inFolder("bytes", Buffer.from([0x22, 0xff, 0xfe, 0x22]))],
    ["a line has more than", () => inFolder("long", "a".repeat(16_100_000))],
  ])("reports when %s", async (reason, file) => {
    const found = await run(["import", await file()]);
    expect(found).toMatchObject({ exitCode: 2, stdout: "", opened: undefined });
    expect(found.stderr).toContain(reason);
  });

  it("stops between batches when interrupted, and reports what is stored", async () => {
    const file = await inFolder("in.jsonl", '{"text":"x"}\n'.repeat(300));
    const interruption = new AbortController();
    runtime = archiveWith({ imported: () => interruption.abort() });
    const found = await run(["import", file], { signal: interruption.signal });
    expect(found).toMatchObject({ exitCode: 130, stdout: "" });
    expect(found.stderr).toContain("100 passages stored; import the file again for the rest.");
    expect(imports()).toHaveLength(1);
  });
});

describe("archival export", () => {
  it("writes a line per passage to stdout or to a new private file", async () => {
    expect(await run(["export", "-"])).toMatchObject({
      exitCode: 0,
      stdout: line,
      stderr: "palimpsest: wrote 1 passage\n",
    });
    const file = path.join(folder(), "out.jsonl");
    expect(await run(["export", file])).toMatchObject({ exitCode: 0, stdout: `Wrote 1 passage to ${file}.\n` });
    expect(await readFile(file, "utf8")).toBe(line);
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    expect(await run(["export", file])).toMatchObject({ exitCode: 2, stdout: "" });
    expect(await readFile(file, "utf8")).toBe(line);
  });

  it("leaves no incomplete file", async () => {
    const file = path.join(folder(), "out.jsonl");
    const interruption = new AbortController();
    runtime = archiveWith({ exported: () => interruption.abort() });
    const found = await run(["export", file], { signal: interruption.signal });
    expect(found).toMatchObject({ exitCode: 130, stdout: "" });
    await expect(stat(file)).rejects.toThrow("ENOENT");
  });
});
