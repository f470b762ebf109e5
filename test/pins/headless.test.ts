// The lines of headless mode, byte for byte. Scripts parse them: a change here is a change of the format's version.
import type { EventBody } from "../../src/agent/events.ts";
import { createFakeRuntime } from "../support/fake-runtime.ts";
import { runInWorld } from "../support/fake-world.ts";

const usage = { inputTokens: 120, outputTokens: 9, cachedInputTokens: 100 };
const turn: readonly EventBody[] = [
  { type: "turn-start", messageId: "message-1" },
  { type: "step-start", step: 1, messageId: "m-2", model: "demo", window: { tokens: 120, limit: 8192 } },
  { type: "thought-delta", step: 1, text: "A name." },
  {
    type: "tool-call",
    step: 1,
    callId: "call-1",
    name: "core_memory_append",
    arguments: '{"name":"human","content":"Name: Ada"}',
  },
  {
    type: "memory-edit",
    step: 1,
    callId: "call-1",
    label: "human",
    before: "",
    after: "Name: Ada",
    revision: 1,
    limit: 2000,
  },
  { type: "tool-result", step: 1, callId: "call-1", name: "core_memory_append", status: "ok", text: "None" },
  { type: "step-end", step: 1, usage },
  { type: "step-start", step: 2, messageId: "m-3", model: "demo", window: { tokens: 150, limit: 8192 } },
  { type: "text-delta", step: 2, text: "Hello,\u2028Ada\u009b." },
  { type: "step-end", step: 2, usage },
  { type: "turn-end", stopReason: "end-turn", text: "Hello,\u2028Ada\u009b.", steps: 2, usage },
];

const run = (...argv: string[]) =>
  runInWorld(["-p", "My name is Ada", "-a", "scout", "--quiet", ...argv], {
    runtime: createFakeRuntime({ turn: () => turn }),
  });

const resultTail =
  '"subtype":"success","schema_version":1,"is_error":false,"result":"Hello,\\u2028Ada\\u009b.","stop_reason":"end-turn",' +
  '"agent_id":"agent-scout","agent_name":"scout","agent_owner":"local","conversation_id":"conversation-1","turn_id":"turn-1","num_turns":1,"steps":2,' +
  '"duration_ms":300,"duration_api_ms":100,"usage":{"input_tokens":120,"output_tokens":9,"cached_input_tokens":100},' +
  '"total_cost_usd":0,"model":"demo",' +
  '"memory_edits":[{"label":"human","revision":1,"before":"","after":"Name: Ada","limit":2000,"call_id":"call-1"}],"pending_approvals":[]}\n';
const result = (sequence: number): string => `{"type":"result","sequence":${sequence},${resultTail}`;

const ids = '"agentId":"agent-scout","conversationId":"conversation-1","turnId":"turn-1"';

const init =
  '{"type":"system","sequence":0,"subtype":"init","schema_version":1,"version":"0.0.0-test","agent_id":"agent-scout","agent_name":"scout","agent_owner":"local",' +
  '"conversation_id":"conversation-1","user_id":"local","model":"demo","protocol":"native","memory_type":"chat","ephemeral":false,' +
  '"tools":["core_memory_append","core_memory_replace"],' +
  '"memory_modules":[{"label":"persona","length":17,"limit":4000},{"label":"human","length":0,"limit":4000}]}\n';

const text = '"step":2,"text":"Hello,\\u2028Ada\\u009b."';
const tokens = '"usage":{"inputTokens":120,"outputTokens":9,"cachedInputTokens":100}';
const events = [
  ["turn-start", `"messageId":"message-1"}`],
  ["step-start", `"step":1,"messageId":"m-2","model":"demo","window":{"tokens":120,"limit":8192}}`],
  ["thought-delta", `"step":1,"text":"A name."}`],
  [
    "tool-call",
    `"step":1,"callId":"call-1","name":"core_memory_append","arguments":"{\\"name\\":\\"human\\",\\"content\\":\\"Name: Ada\\"}"}`,
  ],
  [
    "memory-edit",
    `"step":1,"callId":"call-1","label":"human","before":"","after":"Name: Ada","revision":1,"limit":2000}`,
  ],
  ["tool-result", `"step":1,"callId":"call-1","name":"core_memory_append","status":"ok","text":"None"}`],
  ["step-end", `"step":1,${tokens}}`],
  ["step-start", `"step":2,"messageId":"m-3","model":"demo","window":{"tokens":150,"limit":8192}}`],
  ["text-delta", `${text}}`],
  ["step-end", `"step":2,${tokens}}`],
  ["turn-end", `"stopReason":"end-turn","text":"Hello,\\u2028Ada\\u009b.","steps":2,${tokens}}`],
] as const;

/** As lines, without the first of the stream. */
const linesOf = (told: readonly (typeof events)[number][]): readonly string[] =>
  told.map(([type, fields], index) => `{"type":"${type}","sequence":${index + 1},${ids},${fields}\n`);

describe("--output-format", () => {
  it("json is one object", async () => {
    expect(await run("--output-format", "json")).toMatchObject({ exitCode: 0, stdout: result(0), stderr: "" });
  });

  it("stream-json is system/init, the events without text deltas, and the result", async () => {
    const whole = events.filter(([type]) => !type.endsWith("-delta"));
    expect((await run("--output-format", "stream-json")).stdout).toBe([init, ...linesOf(whole), result(10)].join(""));
  });

  it("stream-json has text deltas with --include-partial-messages", async () => {
    const { stdout } = await run("--output-format", "stream-json", "--include-partial-messages");
    expect(stdout).toBe([init, ...linesOf(events), result(12)].join(""));
  });

  it("json reports a turn that stopped early", async () => {
    const stopped = [
      ...turn.slice(0, 7),
      { type: "turn-end", stopReason: "max-steps", text: "", steps: 1, usage },
    ] as const;
    const runtime = createFakeRuntime({ turn: () => stopped });
    const { exitCode, stdout } = await runInWorld(["-p", "Hi", "--output-format", "json"], { runtime });
    expect(exitCode).toBe(3);
    expect(JSON.parse(stdout)).toMatchObject({
      subtype: "error_max_steps",
      is_error: true,
      result: "",
      stop_reason: "max-steps",
      error: { code: "max_steps", message: expect.stringContaining("model calls") },
      memory_edits: [{ label: "human" }],
    });
  });

  it("json reports an error before an agent is open", async () => {
    const { exitCode, stdout, stderr } = await runInWorld([
      "-p",
      "Hi",
      "--output-format",
      "json",
      "--persona",
      "./nope.md",
    ]);
    expect(exitCode).toBe(2);
    expect(stdout).toBe(
      '{"type":"result","sequence":0,"subtype":"error_failed","schema_version":1,"is_error":true,"result":"","stop_reason":null,' +
        '"agent_id":null,"agent_name":null,"agent_owner":null,"conversation_id":null,"turn_id":null,"num_turns":0,"steps":0,"duration_ms":25,' +
        '"duration_api_ms":0,"usage":{"input_tokens":0,"output_tokens":0,"cached_input_tokens":0},"total_cost_usd":null,' +
        '"model":null,"memory_edits":[],"pending_approvals":[],' +
        '"error":{"code":"config_invalid","message":"--persona: cannot read ./nope.md: there is no such file."}}\n',
    );
    expect(stderr).toBe("palimpsest: --persona: cannot read ./nope.md: there is no such file.\n");
  });

  it("stream-json ends with a result even if the turn fails", async () => {
    const runtime = createFakeRuntime({
      turn: function* () {
        yield turn[0]!;
        throw new TypeError("broken");
      },
    });
    const { exitCode, stdout } = await runInWorld(["-p", "Hi", "--output-format", "stream-json"], { runtime });
    const lines = stdout
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line) as Record<string, unknown>);
    expect(lines.map((line) => line["type"])).toEqual(["system", "turn-start", "result"]);
    expect(lines[2]).toMatchObject({ subtype: "error_failed", turn_id: "turn-1", error: { code: "unexpected" } });
    expect(exitCode).toBe(1);
  });

  it("counts the model calls of a turn that fails", async () => {
    const runtime = createFakeRuntime({
      turn: function* () {
        yield* turn.slice(0, -1);
        throw new TypeError("broken");
      },
    });
    const { stdout } = await runInWorld(["-p", "Hi", "--output-format", "json"], { runtime });
    expect(JSON.parse(stdout)).toMatchObject({
      subtype: "error_failed",
      steps: 2,
      usage: { input_tokens: 240, output_tokens: 18, cached_input_tokens: 200 },
    });
  });
});
