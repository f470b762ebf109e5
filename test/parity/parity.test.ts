// Every operation of every contract with valid arguments, through the library, the typed client of `/api`, and its command: the same
// result, and the same change. What each command prints for people is in test/pins/golden/commands.txt: to update it, run
// with GOLDEN=write and review the difference.
import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { findCommand } from "../../src/surfaces/cli/parse/find-command.ts";
import { parseCommandLine } from "../../src/surfaces/cli/parse/parse-command-line.ts";
import { wordsOf } from "../../src/surfaces/surface-words.ts";
import type { AnyRow, NamedOperation } from "./parity-row.ts";
import { openParity, type Parity, type Person } from "./parity-scene.ts";
import { operations } from "./rows/operation-rows.ts";
import { type Answer, apiResult, type Args, inApi, inCommand, inLibrary, json, masked, requestOf } from "./surfaces.ts";

let parity: Parity;
beforeAll(async () => {
  parity = await openParity();
});
afterAll(async () => {
  if (isWriting)
    writeFileSync(golden, [...new Map([...pinned, ...printed])].map(([call, text]) => `## ${call}\n${text}`).join(""));
  await parity.close();
});

const golden = fileURLToPath(new URL("../pins/golden/commands.txt", import.meta.url));
const isWriting = process.env["GOLDEN"] === "write";
const heading = /^## (.*)\n/gmu;
const parts = readFileSync(golden, "utf8").split(heading).slice(1);
const pinned = new Map(
  parts.flatMap((part, at) => (at % 2 === 0 ? [[part, parts[at + 1] ?? ""]] : [])) as [string, string][],
);
const printed = new Map<string, string>();

interface Called {
  readonly person: Person;
  readonly args: Args;
}

/** Calls that read share their arguments, so that their results are the same to the id. */
function isRead({ operation: { http } }: NamedOperation): boolean {
  return typeof http !== "string" && http.scope === "read";
}

async function newCall(named: NamedOperation, surface: string): Promise<Called> {
  const person = parity.person(`${named.call}-${surface}`);
  return { person, args: await named.row.args(person) };
}

/** What a call has changed; undefined if the row does not read it. */
async function left({ row: { leaves } }: NamedOperation, { person, args }: Called): Promise<unknown> {
  return leaves === undefined ? undefined : json(await leaves[0](person, args));
}

/** Pairs a result with the ids of the arguments, so that a wrong id is seen. */
const comparable = (args: Args, ...values: readonly unknown[]) => masked(args.map(plain), ...values).slice(1);

/** An open agent among the arguments is its conversation. */
function plain(value: unknown): unknown {
  return typeof value === "object" && value !== null && "opened" in value && "turn" in value
    ? { ...value, opened: null }
    : value;
}

describe.each(operations.map((named) => [named.call, named] as const))("%s", (call, named) => {
  const { row, operation } = named;
  const { http } = operation;
  let first: Called;
  let result: unknown;
  let expected: readonly unknown[];

  beforeAll(async () => {
    first = await newCall(named, "library");
    const answer = await inLibrary(named, first.person, first.args);
    result = "result" in answer ? answer.result : answer;
    expected = comparable(first.args, result, await left(named, first));
  });

  test("library", () => {
    const gives = typeof row.gives === "function" ? row.gives(first.args) : row.gives;
    const given = masked(result)[0];
    const wanted = typeof row.gives === "function" ? masked(gives)[0] : gives;
    expect({ given, left: expected[1] }).toMatchObject({ given: wanted, ...(row.leaves && { left: row.leaves[1] }) });
  });

  if (typeof http !== "string") {
    test("/api", async () => {
      const second = isRead(named) && row.isOwn !== true ? first : await newCall(named, "api");
      const { person, args } = second;
      const request = requestOf(named, http, args, person.named("main"));
      const answer = await inApi(parity, person.userId, http, request);
      const received = isFailed(answer) ? failed(answer) : answer.result;
      const wanted = isFailed(result) ? failed(result) : apiResult(http, result);
      expect(comparable(args, received, await left(named, second))).toEqual(
        comparable(first.args, wanted, await left(named, first)),
      );
    });
  }

  const words = wordsOf(call.startsWith("agent.") ? call : `runtime.${call}`)?.commandLine;
  if (row.cli === undefined) {
    test("has no command", () => {
      expect(words === undefined || words.startsWith("/") || withoutRow.has(call)).toBe(true);
    });
    return;
  }

  test("command", async () => {
    const isShared = isRead(named) && row.isOwn !== true;
    const [second, third] = isShared ? [first, first] : [await newCall(named, "command"), await newCall(named, "text")];
    const told = await inCommand(named, third.person, third.args);
    if (words !== undefined) expect(`${told.argv.join(" ")} `).toContain(`${wordsAlone(words)} `);
    const { stdout, stderr, exitCode } = told;
    const shown = row.prints === undefined ? stdout : `(${row.prints})\n`;
    compareWithGolden(call, third.args, `$ ${told.argv.map(quoted).join(" ")}\n${shown}${stderr}exit ${exitCode}\n`);
    expect(comparable(third.args, await left(named, third))).toEqual(comparable(first.args, await left(named, first)));
    if (isFailed(result)) return expect(told).toMatchObject({ exitCode: 1, stdout: "" });
    if (row.json === null || (row.prints === undefined && !(await takesJson(told.argv)))) return;
    const asked = row.prints === undefined ? ["--json"] : [];
    const run = await inCommand(named, second.person, second.args, asked);
    expect(run).toMatchObject({ exitCode });
    const wanted = json(row.json === undefined ? result : row.json(result as never, first.args));
    expect(comparable(second.args, jsonIn(run.stdout, row), await left(named, second))).toEqual(
      comparable(first.args, wanted, await left(named, first)),
    );
  });
});

test("the file of what commands print has no other operations", () => {
  const called = operations.flatMap(({ call, row }) => (row.cli === undefined ? [] : [call]));
  expect([...pinned.keys()].filter((call) => !called.includes(call))).toEqual([]);
});

/** Operations whose command does more than call them. */
const withoutRow = new Set([
  "agents.open",
  "agents.setModel",
  // The world of a command has its own models, and its own signal for `schedule run`.
  "models.list",
  "models.find",
  "models.embedders",
  "schedules.run",
  "schedules.lastPolledAt",
  // The commands compare a folder with memory: test/integration/memory-checkout.
  "memoryFiles.list",
  "memoryFiles.history",
  "memoryFiles.write",
  // The command reads a folder: test/integration/skills.
  "skills.write",
  // The command takes a Python function, which only the sandbox reads.
  "tools.create",
  "tools.upsert",
  "tools.update",
]);

const isFailed = (answer: unknown): answer is Extract<Answer, { code: string }> =>
  typeof answer === "object" && answer !== null && "code" in answer && "message" in answer;
const failed = ({ code }: Extract<Answer, { code: string }>) => ({ code });

/** The words of a command in the table of the words of surfaces, without its arguments. */
const wordsAlone = (words: string): string => words.replace(/ (?:-|\$|chatgpt$).*/u, "");

async function takesJson(argv: readonly string[]): Promise<boolean> {
  return (await findCommand(parseCommandLine(argv).words)).command.flags.includes("json");
}

function jsonIn(stdout: string, { prints }: AnyRow): unknown {
  if (prints !== "lines") return JSON.parse(stdout);
  return stdout
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as unknown);
}

const quoted = (word: string): string => (/^[\w@%+=:,./-]+$/u.test(word) ? word : `'${word}'`);

/** Compares a call of a command with what the file has of it; writes it into the file instead if that is wanted. */
function compareWithGolden(call: string, args: Args, text: string): void {
  printed.set(call, String(comparable(args, text)[0]));
  if (!isWriting) expect(printed.get(call)).toBe(pinned.get(call));
}
