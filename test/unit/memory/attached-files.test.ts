// The texts of attached files: passages put together again, names and patterns, and their place in a window.
import { placeOpenFiles } from "../../../src/context/window/place-files-and-hits.ts";
import { fileLines } from "../../../src/memory/attached/open-files.ts";
import { filesMatching, fileNamed } from "../../../src/memory/attached/file-names.ts";
import { chunkSection } from "../../../src/memory/sources/chunk.ts";

const passage = (content: string, place: object, lastLine: number | null = null) => ({
  fileId: "file",
  content,
  place: { file: "a.md", ...place },
  lastLine,
});

describe("fileLines", () => {
  const words = (count: number, line: number) => Array.from({ length: count }, (_, at) => `w${line}x${at}`).join(" ");

  it.each(["prose", "code"] as const)("gives back every line of a text that was cut as %s", (style) => {
    const lines = Array.from({ length: 59 }, (_, line) => (line % 7 === 3 ? "" : words(3 + ((line * 5) % 40), line)));
    const text = lines.join("\n");
    const chunking = { maxTokens: 120, overlapTokens: 15, countTokens: (one: string) => Math.ceil(one.length / 4) };
    const chunks = [...chunkSection({ text, style, place: { lineFrom: 1 } }, chunking)].flatMap((chunk) => chunk ?? []);
    expect(chunks.length).toBeGreaterThan(10);
    const read = fileLines(chunks.map(({ content, place }) => passage(content, place, 59)));
    expect(read).toEqual({ from: 1, lines, total: 59 });
  });

  it("keeps the numbers of lines that begin in the middle of a file", () => {
    const read = fileLines([
      passage("c\nd", { lineFrom: 3, lineTo: 4 }, 9),
      passage("f", { lineFrom: 6, lineTo: 6 }, 9),
    ]);
    expect(read).toEqual({ from: 3, lines: ["c", "d", "", "f"], total: 9 });
  });

  it("shows a line once of which passages hold the same words", () => {
    const line = { lineFrom: 1, lineTo: 1 };
    const read = fileLines([
      passage("one two three", line, 1),
      passage("two", line, 1),
      passage("three four", line, 1),
    ]);
    expect(read.lines).toEqual(["one two three four"]);
  });

  it("shows a record of JSON Lines, whose text has several lines, on its own line", () => {
    const read = fileLines([
      passage("name: Ada\nage: 36", { lineFrom: 1, lineTo: 1 }, 2),
      passage("age: 36\ntown: Lisbon", { lineFrom: 1, lineTo: 1 }, 2),
      passage("name: Elsa\nage: 40", { lineFrom: 2, lineTo: 2 }, 2),
    ]);
    expect(read).toEqual({ from: 1, lines: ["name: Ada age: 36 town: Lisbon", "name: Elsa age: 40"], total: 2 });
  });

  it("shows pages and headings of a file without lines, and a shared text once", () => {
    const read = fileLines([
      passage("First. Second.", { page: 1 }),
      passage("Second. Third.\nFourth.", { page: 1 }),
      passage("Fifth.", { page: 2, heading: "End" }),
    ]);
    expect(read.lines).toEqual(["[page 1]", "First. Second. Third.", "Fourth.", "[page 2, End]", "Fifth."]);
    expect(fileLines([])).toEqual({ from: 1, lines: [], total: 0 });
  });
});

const file = (sourceName: string, name: string) => ({
  id: `${sourceName} ${name}`,
  sourceId: sourceName,
  sourceName,
  name,
  path: `/home/ada/${name}`,
  passages: 1,
  open: null,
});

describe("names of files", () => {
  const files = [file("work", "docs/leave.md"), file("work", "b.txt"), file("home", "b.txt")];

  it("are those of the source and the file, the file alone, its path or its id", () => {
    for (const name of ["work/docs/leave.md", "docs/leave.md", "/home/ada/docs/leave.md", "work docs/leave.md"])
      expect(fileNamed(files, name)).toBe(files[0]);
    expect(() => fileNamed(files, "b.txt")).toThrow("Several files");
    expect(() => fileNamed(files, "work/docs/leav.md")).toThrow('Did you mean "work/docs/leave.md"?');
    expect(() => fileNamed([], "a")).toThrow("The files: none");
  });

  it.each([
    ["*.md", ["docs/leave.md"]],
    ["work/*", ["docs/leave.md", "b.txt"]],
    ["?.TXT", ["b.txt", "b.txt"]],
    ["docs/**", ["docs/leave.md"]],
    ["leave", []],
    ["", ["docs/leave.md", "b.txt", "b.txt"]],
  ])("match the pattern %j", (pattern, names) => {
    expect(filesMatching(files, pattern).map(({ name }) => name)).toEqual(names);
  });

  it("are compared with a pattern of many stars in a bounded time", () => {
    const long = file("work", "a".repeat(2000));
    expect(filesMatching([long], `${"*a".repeat(90)}*b`)).toEqual([]);
  });
});

describe("placeOpenFiles", () => {
  const count = (text: string) => text.length;
  const open = (lines: readonly string[], id = "1") => ({
    id,
    name: `work/${id}.txt`,
    from: 1,
    lines,
    total: lines.length,
  });

  it("gives each file an equal share, and says what is not shown", () => {
    const lines = Array.from({ length: 100 }, (_, at) => `line ${at + 1}`);
    const placed = placeOpenFiles([open(lines), open(["short"], "2")], { maxTokens: 1000, count });
    expect(placed.text).toMatch(/lines 1 to \d\d of 100 \(to see more/u);
    expect(placed.text).toContain("work/2.txt, lines 1 to 1 of 1\\n1: short");
    expect(placed.parts).toMatchObject([
      { source: "file", id: "1", trust: "external" },
      { id: "2", trust: "external" },
    ]);
    for (const { tokens } of placed.parts) expect(tokens).toBeLessThanOrEqual(500);
  });

  it("cuts within a line that is longer than its share", () => {
    const placed = placeOpenFiles([open(["😀".repeat(5000)])], { maxTokens: 300, count });
    expect(placed.parts[0]!.tokens).toBeLessThan(310);
    expect(placed.text).toContain("[…]");
    expect(placed.text.isWellFormed()).toBe(true);
  });
});
