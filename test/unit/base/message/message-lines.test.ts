// Messages from a JSON Lines file: valid ones, and errors for invalid ones.
import { writeFileSync } from "node:fs";
import path from "node:path";
import { parseMessageLines } from "../../../../src/base/message/message-lines.ts";
import { ConfigError } from "../../../../src/base/errors.ts";
import { runInWorld } from "../../../support/fake-world.ts";
import { stubRuntime } from "../../../support/stub-runtime.ts";
import { useFolderOfTest } from "../../../support/folders.ts";

const good = { role: "user", speaker: "Ada", text: "Ahoy! 你好 🦀 </human>", at: "2026-11-21T10:13:00+01:00" };
const later = { role: "assistant", text: "Ahoy.", at: "2026-11-21T10:13:00Z" };
const lines = (...values: readonly unknown[]) => values.map((value) => JSON.stringify(value)).join("\n");

it("reads messages with their speakers and times, and skips blank lines", () => {
  expect(parseMessageLines(`\n${lines(good)}\n  \n${lines(later)}\n`, "talk.jsonl")).toEqual([
    { ...good, at: new Date("2026-11-21T09:13:00Z") },
    { ...later, at: new Date("2026-11-21T10:13:00Z") },
  ]);
});

it.each([
  ["", "talk.jsonl has no messages. Expected one on each line."],
  [`${lines(good)}\n{"role":`, 'talk.jsonl, line 2: expected a JSON object, got "{\\"role\\":".'],
  [lines([1]), "talk.jsonl, line 1: expected a JSON object, got [1]."],
  [lines({ ...good, role: "tool" }), 'line 1: expected role to be "user" or "assistant", got "tool".'],
  [lines({ ...good, text: "  " }), 'line 1: expected text to be a string that is not blank, got "  ".'],
  [lines({ role: "user", at: good.at }), "line 1: expected text to be a string that is not blank, got nothing."],
  [lines({ ...good, speaker: 7 }), "line 1: expected speaker to be a name or absent, got 7."],
  [
    lines({ ...good, at: "yesterday" }),
    'line 1: expected at to be a time in the years 1 to 9999, such as 2026-11-21T10:13:00Z, got "yesterday".',
  ],
  [lines({ ...good, at: "2026-11-21T10:13" }), 'got "2026-11-21T10:13".'],
  [lines({ ...good, at: "2026-13-41T10:13:00Z" }), 'got "2026-13-41T10:13:00Z".'],
  [lines({ ...good, name: "x" }), 'line 1: expected only the fields role, speaker, text, at, got "name".'],
  [`${lines(later)}\n\n${lines(good)}`, "line 3: expected a time at or after that of talk.jsonl, line 1, got"],
  [lines({ ...good, role: "a".repeat(1e6) }), `got "${"a".repeat(39)}….`],
])("refuses %.60j", (text, message) => {
  expect(() => parseMessageLines(text, "talk.jsonl")).toThrow(ConfigError);
  expect(() => parseMessageLines(text, "talk.jsonl")).toThrow(message);
});

describe("conversations import", () => {
  const folder = useFolderOfTest();

  const run = async (text: string, ...more: readonly string[]) => {
    const file = path.join(folder(), "talk.jsonl");
    writeFileSync(file, text);
    const runtime = stubRuntime({ conversations: { import: async () => ({ id: "conversation-1" }) as never } });
    return { ...(await runInWorld(["conversations", "import", file, ...more], { runtime })), calls: runtime.calls };
  };

  it("passes the messages and the title, and reports what was stored", async () => {
    const { exitCode, stdout, calls } = await run(lines(good, later), "--title", "On the quay");
    expect({ exitCode, stdout }).toEqual({
      exitCode: 0,
      stdout: "Imported 2 messages as conversation conversation-1.\n",
    });
    expect(calls[0]).toMatchObject(["conversations.import", "main", { title: "On the quay", messages: [{}, {}] }]);
    expect((await run(lines(good), "--json")).stdout).toBe('{"conversationId":"conversation-1","messages":1}\n');
  });

  it("stores nothing if a line is invalid", async () => {
    const { exitCode, stderr, calls } = await run(`${lines(good)}\nnonsense`);
    expect(exitCode).toBe(2);
    expect(stderr).toContain("talk.jsonl, line 2: expected a JSON object");
    expect(calls.some(([name]) => name === "conversations.import")).toBe(false);
  });
});
