// The schema of headless mode's lines: it equals the type of the events, and docs/headless.md documents each record and field.
// The compiler compares the types (`npm run check:types`), in both directions.
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { z } from "zod";
import type { AgentEvent } from "../../src/agent/events.ts";
import { exitCodes } from "../../src/surfaces/cli/exit-codes.ts";
import { eventRecordSchema } from "../../src/surfaces/stream/headless/event-record.ts";
import { streamInputSchema } from "../../src/surfaces/stream/headless/stream-input.ts";
import {
  resultSubtypes,
  streamJsonVersion,
  streamRecordSchema,
} from "../../src/surfaces/stream/headless/stream-record.ts";

/** `true`, or a type that nothing can be given: then the compiler stops here. */
type Same<One, Other> = [One] extends [Other] ? ([Other] extends [One] ? true : never) : never;

const sameEvents: Same<z.infer<typeof eventRecordSchema>, AgentEvent> = true;

const read = (name: string) => readFileSync(fileURLToPath(new URL(`../../docs/${name}`, import.meta.url)), "utf8");
const docs = read("headless.md");

const header = ["type", "sequence", "agentId", "conversationId", "turnId"];

/** Names in backticks in the first column of the table under a heading, or of the first table after a text. */
function rowsAfter(place: string): readonly (readonly string[])[] {
  const from = docs.indexOf(`\n${place}\n`);
  if (from === -1) throw new Error(`docs/headless.md has no line "${place}".`);
  const lines = docs.slice(from).split("\n");
  const first = lines.findIndex((line) => line.startsWith("| ---"));
  const after = lines.slice(first + 1);
  return after
    .slice(
      0,
      after.findIndex((line) => !line.startsWith("|")),
    )
    .map((line) =>
      line
        .split("|")
        .slice(1, -1)
        .map((cell) => cell.trim()),
    );
}

const namesIn = (cell = ""): readonly string[] => [...cell.matchAll(/`([\w-]{1,40})`/gu)].map(([, name = ""]) => name);
const sorted = (names: Iterable<string>): readonly string[] => [...names].sort();

/** The fields of every record, by its type. */
function fieldsOf(options: readonly unknown[]): ReadonlyMap<string, readonly string[]> {
  const found = new Map<string, readonly string[]>();
  for (const option of options as readonly { options?: readonly unknown[]; shape?: Record<string, unknown> }[]) {
    if (option.options !== undefined) for (const [name, fields] of fieldsOf(option.options)) found.set(name, fields);
    else if (option.shape !== undefined) {
      const { type } = option.shape as { type: { value: string } };
      found.set(type.value, Object.keys(option.shape));
    }
  }
  return found;
}

test("events have the types of the library", () => {
  expect(sameEvents).toBe(true);
  expect(streamJsonVersion).toBe(1);
});

test.each(["system", "error", "control_response", "result"])("docs/headless.md has every field of %s", (type) => {
  const documented = rowsAfter(`### \`${type}\``).flatMap(([name]) => namesIn(name));
  expect(sorted(documented)).toEqual(sorted(fieldsOf(streamRecordSchema.options).get(type) ?? []));
});

test("docs/headless.md has every event with its fields", () => {
  expect(sorted(rowsAfter("## Events").flatMap(([name]) => namesIn(name)))).toEqual(sorted(header));
  const rows = rowsAfter(
    "| event                | other fields                                                           |",
  );
  const documented = Object.fromEntries(rows.map(([event, fields]) => [namesIn(event)[0], sorted(namesIn(fields))]));
  const known = [...fieldsOf(eventRecordSchema.options)].map(([type, fields]) => [
    type,
    sorted(fields.filter((name) => !header.includes(name))),
  ]);
  expect(documented).toEqual(Object.fromEntries(known));
});

test("docs/headless.md has every input line with its fields", () => {
  const rows = rowsAfter("## Input lines");
  const documented = Object.fromEntries(rows.map(([line, fields]) => [namesIn(line)[0], sorted(namesIn(fields))]));
  const known = [...fieldsOf(streamInputSchema.options)].map(([type, fields]) => [type, sorted(fields)]);
  expect(documented).toEqual(Object.fromEntries(known));
});

test("docs/headless.md has every subtype of a result, and existing exit codes", () => {
  const rows = docs.split("\n").filter((line) => /^\| `(?:success|error_)/u.test(line));
  expect(sorted(rows.flatMap((line) => namesIn(line.split("|")[1])))).toEqual(sorted(resultSubtypes));
  const known = new Set<number>(Object.values(exitCodes));
  const codes = rows.flatMap((line) => line.split("|")[2]!.match(/\d{1,3}/gu) ?? []);
  expect(codes.filter((code) => !known.has(Number(code)))).toEqual([]);
  expect(codes.length).toBeGreaterThanOrEqual(rows.length);
});

test("every example line of docs/headless.md is accepted", () => {
  const examples = docs.split("\n").filter((line) => line.startsWith('{"type":'));
  expect(examples.map((line) => streamInputSchema.safeParse(JSON.parse(line)).success)).toEqual([
    true,
    true,
    true,
    true,
    true,
    true,
    true,
    true,
  ]);
});
