// --input-format stream-json: lines are read, run as turns in order, and all answered.
import { PassThrough } from "node:stream";
import { createScriptedModel, type ScriptedReply } from "../../src/model/llm/scripted/scripted-model.ts";
import { maxLineBytes } from "../../src/surfaces/cli/headless/input-lines.ts";
import type { StreamRecord } from "../../src/surfaces/stream/headless/stream-record.ts";
import { runInWorld, type CliOptions } from "../support/fake-world.ts";
import { useRuntimes } from "../support/runtime.ts";
import { controlLine, inputLine, kindsOf, readStream, resultOf, userLine } from "../support/stream-lines.ts";

const runtimes = useRuntimes();
let runs = 0;

const append = { name: "core_memory_append", arguments: { name: "human", content: "Likes tea." }, callId: "call-tea" };

interface StreamOptions extends CliOptions {
  readonly argv?: readonly string[];
  readonly replies?: readonly ScriptedReply[] | ((index: number) => ScriptedReply);
  readonly approvals?: readonly string[];
}

async function stream(input: CliOptions["input"], options: StreamOptions = {}) {
  const {
    argv = [],
    replies = (index: number) => ({ text: `Reply ${index + 1}.` }),
    approvals = [],
    ...world
  } = options;
  runs += 1;
  const model = createScriptedModel({
    replies: (_request, index) => (typeof replies === "function" ? replies(index) : replies[index]),
  });
  const formats = ["--input-format", "stream-json", "--output-format", "stream-json"];
  const run = await runInWorld([...formats, "-a", `stream-${runs}`, ...argv], {
    openRuntime: () => runtimes.open({ model: "scripted", models: [model], approvals }),
    ...(input === undefined ? {} : { input }),
    ...world,
  });
  return { ...run, model, records: readStream(run.stdout) };
}

const only = <Type extends StreamRecord["type"]>(records: readonly StreamRecord[], type: Type) =>
  records.filter((record): record is Extract<StreamRecord, { type: Type }> => record.type === type);

const asked = (model: { readonly requests: readonly { readonly messages: readonly unknown[] }[] }, index: number) =>
  JSON.stringify(model.requests[index]?.messages.at(-1));

describe("--input-format stream-json", () => {
  it("runs a turn for each line, in one conversation, with one result for all", async () => {
    const usage = { inputTokens: 100, outputTokens: 7, cachedInputTokens: 40 };
    const { records, exitCode, stderr } = await stream(userLine("One") + userLine("Two") + userLine("Three"), {
      replies: (index) => ({ text: `Reply ${index + 1}.`, usage }),
    });
    expect(only(records, "turn-end").map(({ text }) => text)).toEqual(["Reply 1.", "Reply 2.", "Reply 3."]);
    expect(new Set(only(records, "turn-start").map(({ conversationId }) => conversationId)).size).toBe(1);
    expect(kindsOf(records)[0]).toBe("system");
    expect(only(records, "result")).toHaveLength(1);
    expect(resultOf(records)).toMatchObject({ subtype: "success", num_turns: 3, steps: 3, result: "Reply 3." });
    expect(resultOf(records).usage).toEqual({ input_tokens: 300, output_tokens: 21, cached_input_tokens: 120 });
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: "" });
  });

  it("accepts a last line without an end, CR LF, blank lines, a byte order mark and parts of text", async () => {
    const parts = inputLine({
      type: "user",
      message: {
        role: "user",
        content: [
          { type: "text", text: "a" },
          { type: "text", text: "b" },
        ],
      },
    });
    const input = `\ufeff${userLine("One").trimEnd()}\r\n\r\n  \n${parts}${userLine("日本 👍").trimEnd()}`;
    const { records, model } = await stream(input);
    expect(resultOf(records)).toMatchObject({ subtype: "success", num_turns: 3 });
    expect(asked(model, 1)).toContain("a\\nb");
    expect(asked(model, 2)).toContain("日本 👍");
  });

  it.each([
    ["no JSON", "not json\n", /expected a JSON object/u],
    ["a number", "7\n", /expected a JSON object/u],
    ["an array", "[]\n", /expected \{"type":"user"/u],
    ["an unknown type", inputLine({ type: "system" }), /expected \{"type":"user"/u],
    ["no content", inputLine({ type: "user", message: { role: "user" } }), /message\.content/u],
    ["another role", inputLine({ type: "user", message: { role: "assistant", content: "x" } }), /message\.role/u],
    ["a field too many", inputLine({ type: "user", message: { role: "user", content: "x" }, later: 1 }), /later/u],
    ["an unknown request", controlLine("r", { subtype: "rewind" }), /request\.subtype/u],
    [
      "an image in place of text",
      inputLine({ type: "user", message: { role: "user", content: [{ type: "image" }] } }),
      /content/u,
    ],
    ["deep nesting", `${"[".repeat(100_000)}\n`, /expected a JSON object/u],
    ["a prototype", '{"__proto__":{"type":"user"}}\n', /expected/u],
  ])("refuses %s with the line's number, and continues", async (_, bad, problem) => {
    const { records, exitCode, stderr, model } = await stream(userLine("One") + bad + userLine("Two"));
    const [error] = only(records, "error");
    expect(error).toMatchObject({ line: 2, code: "input_invalid" });
    expect(error!.message).toMatch(/^line 2 of standard input: /u);
    expect(error!.message).toMatch(problem);
    expect(only(records, "turn-end").map(({ text }) => text)).toEqual(["Reply 1.", "Reply 2."]);
    expect(model.requests).toHaveLength(2);
    expect(resultOf(records)).toMatchObject({
      subtype: "error_input",
      is_error: true,
      num_turns: 2,
      result: "Reply 2.",
    });
    expect(exitCode).toBe(2);
    expect(stderr).toContain("line 2 of standard input");
  });

  it("does not quote a refused line", async () => {
    const { stdout, stderr } = await stream(
      '{"type":"user","message":{"role":"user","content":{"secret":"hunter2"}}}\n{hunter2',
    );
    expect(stdout + stderr).not.toContain("hunter2");
  });

  it("refuses a line that is too long, with its length, and reads the next", async () => {
    const { records, exitCode } = await stream(`${"a".repeat(maxLineBytes + 1)}\n${userLine("Two")}`);
    expect(only(records, "error")[0]?.message).toContain(`at most ${maxLineBytes} bytes, got ${maxLineBytes + 1}`);
    expect(resultOf(records)).toMatchObject({ num_turns: 1, result: "Reply 1." });
    expect(exitCode).toBe(2);
  });

  it("reads a line of exactly the maximum length", async () => {
    const { records } = await stream(`${"a".repeat(maxLineBytes)}\n`);
    expect(only(records, "error")[0]?.message).toContain("expected a JSON object");
  });

  it("reads a complete line of a quarter of a megabyte", async () => {
    const { records, model } = await stream(userLine(`${"tea ".repeat(60_000)}end`));
    expect(resultOf(records)).toMatchObject({ subtype: "success", num_turns: 1 });
    expect(asked(model, 0).length).toBeGreaterThan(240_000);
    expect(asked(model, 0)).toContain("tea end");
  });

  it("refuses bytes that are not UTF-8", async () => {
    const input = new PassThrough();
    input.end(Buffer.concat([Buffer.from([0xff, 0xfe, 0x0a]), Buffer.from(userLine("Two"))]));
    const { records } = await stream(input);
    expect(only(records, "error")[0]).toMatchObject({ line: 1, message: expect.stringContaining("UTF-8") });
    expect(resultOf(records).result).toBe("Reply 1.");
  });

  it("reports a refused message, and continues", async () => {
    const { records, exitCode } = await stream(userLine("  ") + userLine("Two"));
    expect(only(records, "error")[0]).toMatchObject({ line: 1, code: "input_invalid" });
    expect(resultOf(records)).toMatchObject({ subtype: "error_failed", num_turns: 1, result: "Reply 1." });
    expect(exitCode).toBe(1);
  });

  it("reports an unreadable file, and continues", async () => {
    const line = inputLine({
      type: "user",
      message: { role: "user", content: "See" },
      files: [{ path: "/no/such.png" }],
    });
    const { records } = await stream(line + userLine("Two"));
    expect(only(records, "error")[0]).toMatchObject({ line: 1, code: "file_unreadable" });
    expect(resultOf(records).num_turns).toBe(1);
  });

  it.each([[""], ["\n \n"]])("reports that there was nothing to do for the input %j", async (input) => {
    const { records, exitCode, stderr } = await stream(input);
    expect(kindsOf(records)).toEqual(["system", "result"]);
    expect(resultOf(records)).toMatchObject({ subtype: "error_input", num_turns: 0 });
    expect(exitCode).toBe(2);
    expect(stderr).toContain("contained no message");
  });

  it("reports a failure even if a later turn succeeded", async () => {
    const replies = [{ text: "cut", stopReason: "refusal" as const }, { text: "Fine." }];
    const { records, exitCode } = await stream(userLine("One") + userLine("Two"), { replies });
    expect(resultOf(records)).toMatchObject({ subtype: "error_refusal", result: "Fine." });
    expect(exitCode).toBe(1);
  });
});

describe("control requests", () => {
  it("approves a waiting call, and the turn continues", async () => {
    const { records, exitCode } = await stream(
      userLine("I like tea.") + controlLine("r-1", { subtype: "approve", call_id: "call-tea" }),
      { approvals: ["core_memory_append"], replies: [{ toolCalls: [append] }, { text: "Noted." }] },
    );
    expect(only(records, "turn-end").map(({ stopReason }) => stopReason)).toEqual(["awaiting-approval", "end-turn"]);
    expect(only(records, "control_response")).toMatchObject([{ request_id: "r-1", subtype: "success" }]);
    expect(only(records, "memory-edit")).toMatchObject([{ label: "human", callId: "call-tea" }]);
    expect(resultOf(records)).toMatchObject({ subtype: "success", result: "Noted.", pending_approvals: [] });
    expect(exitCode).toBe(0);
  });

  it("denies a call with a reason for the model", async () => {
    const { records, model } = await stream(
      userLine("I like tea.") + controlLine("r-1", { subtype: "deny", call_id: "call-tea", reason: "Too private." }),
      { approvals: ["core_memory_append"], replies: [{ toolCalls: [append] }, { text: "As you wish." }] },
    );
    expect(only(records, "memory-edit")).toEqual([]);
    expect(asked(model, 1)).toContain("Too private.");
    expect(resultOf(records)).toMatchObject({ subtype: "success", result: "As you wish." });
  });

  it("reports a call that does not wait, without failing the run", async () => {
    const { records, exitCode } = await stream(
      userLine("Hi") + controlLine("r-9", { subtype: "approve", call_id: "nope" }),
    );
    expect(only(records, "control_response")).toMatchObject([
      { request_id: "r-9", subtype: "error", error: { code: "approval_not_found" } },
    ]);
    expect(exitCode).toBe(0);
  });

  it("reports the last turn in the result if a later line was refused before it began a turn", async () => {
    const { records, exitCode } = await stream(
      userLine("I like tea.") + controlLine("r-9", { subtype: "approve", call_id: "nope" }),
      { approvals: ["core_memory_append"], replies: [{ text: "Gladly.", toolCalls: [append] }] },
    );
    const [end] = only(records, "turn-end");
    expect(resultOf(records)).toMatchObject({
      subtype: "error_awaiting_approval",
      stop_reason: "awaiting-approval",
      turn_id: end!.turnId,
      result: end!.text,
      pending_approvals: [{ call_id: "call-tea" }],
    });
    expect(exitCode).toBe(5);
  });

  it("ends with 5 when a call still waits at the end", async () => {
    const { records, exitCode } = await stream(userLine("I like tea."), {
      approvals: ["core_memory_append"],
      replies: [{ toolCalls: [append] }],
    });
    expect(resultOf(records)).toMatchObject({
      subtype: "error_awaiting_approval",
      pending_approvals: [{ call_id: "call-tea", name: "core_memory_append" }],
    });
    expect(exitCode).toBe(5);
  });

  it("interrupts only the running turn: the next line is answered", async () => {
    const input = new PassThrough();
    input.write(userLine("One"));
    const replies = (index: number): ScriptedReply => {
      // Sent during the first turn, which waits until it is read.
      if (index === 0) input.end(controlLine("r-1", { subtype: "interrupt" }) + userLine("Two"));
      return index === 0 ? { text: "never", delayMs: 20_000 } : { text: "Second." };
    };
    const { records, exitCode } = await stream(input, { replies });
    expect(only(records, "turn-end").map(({ stopReason }) => stopReason)).toEqual(["interrupted", "end-turn"]);
    expect(only(records, "control_response")).toMatchObject([{ request_id: "r-1", subtype: "success" }]);
    expect(resultOf(records)).toMatchObject({ subtype: "success", num_turns: 2, result: "Second." });
    expect(exitCode).toBe(0);
  });

  it("reports that there is nothing to interrupt", async () => {
    const { records } = await stream(controlLine("r-1", { subtype: "interrupt" }) + userLine("One"));
    expect(only(records, "control_response")).toMatchObject([{ subtype: "error", error: { code: "input_invalid" } }]);
    expect(resultOf(records)).toMatchObject({ subtype: "success", num_turns: 1 });
  });
});

describe("an interruption of the process", () => {
  it("ends the running turn, reports the lines that were not sent, and ends with 130", async () => {
    const interruption = new AbortController();
    const replies = (index: number): ScriptedReply => {
      if (index === 0) interruption.abort();
      return { text: "x", delayMs: 20_000 };
    };
    const { records, exitCode, model } = await stream(userLine("One") + userLine("Two"), {
      replies,
      signal: interruption.signal,
    });
    expect(only(records, "turn-end")).toMatchObject([{ stopReason: "interrupted" }]);
    expect(only(records, "error")).toMatchObject([{ line: 2, code: "interrupted" }]);
    expect(resultOf(records)).toMatchObject({ subtype: "error_interrupted", num_turns: 1 });
    expect(model.requests).toHaveLength(1);
    expect(exitCode).toBe(130);
  });
});

describe("incompatible flags", () => {
  it.each([
    [["--input-format", "xml"], /--input-format: expected text, stream-json, got "xml"/u],
    [["--input-format", "stream-json"], /needs --output-format stream-json/u],
    [["--input-format", "stream-json", "--output-format", "stream-json", "-p", "Hi"], /omit -p TEXT/u],
    [["--input-format", "stream-json", "--output-format", "stream-json", "--file", "a.png"], /takes no --file/u],
  ])("%j", async (argv, problem) => {
    const run = await runInWorld(argv);
    expect(run).toMatchObject({ exitCode: 2, stdout: "", opened: undefined });
    expect(run.stderr).toMatch(problem);
  });
});
