// The lines of headless mode, byte for byte. Scripts parse them: a change here is a change of the format's version.
import type { EventBody } from "../../src/agent/events.ts";
import { createFakeRuntime } from "../support/fake-runtime.ts";
import { runInWorld } from "../support/fake-world.ts";

const usage = { inputTokens: 120, outputTokens: 9, cachedInputTokens: 100 };
const turn: readonly EventBody[] = [
  { type: "turn-start", messageId: "message-1" },
  { type: "step-start", step: 1, model: "demo", window: { tokens: 120, limit: 8192 } },
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
  { type: "step-start", step: 2, model: "demo", window: { tokens: 150, limit: 8192 } },
  { type: "text-delta", step: 2, text: "Hello,\u2028Ada\u009b." },
  { type: "step-end", step: 2, usage },
  { type: "turn-end", stopReason: "end-turn", text: "Hello,\u2028Ada\u009b.", steps: 2, usage },
];

const run = (...argv: string[]) =>
  runInWorld(["-p", "My name is Ada", "-a", "scout", "--quiet", ...argv], {
    runtime: createFakeRuntime({ turn: () => turn }),
  });

const result =
  '{"type":"result","version":1,"subtype":"success","is_error":false,"result":"Hello,\\u2028Ada\\u009b.","stop_reason":"end-turn",' +
  '"agent":{"id":"agent-scout","name":"scout"},"conversation_id":"conversation-1","turn_id":"turn-1","steps":2,"duration_ms":25,' +
  '"usage":{"input_tokens":120,"output_tokens":9,"cached_input_tokens":100},"model":"demo",' +
  '"memory_edits":[{"label":"human","revision":1,"before":"","after":"Name: Ada","limit":2000,"call_id":"call-1"}],"pending_approvals":[]}\n';

const header = (sequence: number): string =>
  `"agentId":"agent-scout","conversationId":"conversation-1","turnId":"turn-1","sequence":${sequence}`;

const init =
  '{"type":"system","subtype":"init","version":1,"palimpsest_version":"0.0.0-test","agent":{"id":"agent-scout","name":"scout"},' +
  '"conversation_id":"conversation-1","user_id":"local","model":"demo","protocol":"native","memory_type":"chat"}\n';

const text = '"type":"text-delta","step":2,"text":"Hello,\\u2028Ada\\u009b."';
const tokens = '"usage":{"inputTokens":120,"outputTokens":9,"cachedInputTokens":100}';
const events = [
  `{${header(0)},"type":"turn-start","messageId":"message-1"}\n`,
  `{${header(1)},"type":"step-start","step":1,"model":"demo","window":{"tokens":120,"limit":8192}}\n`,
  `{${header(2)},"type":"thought-delta","step":1,"text":"A name."}\n`,
  `{${header(3)},"type":"tool-call","step":1,"callId":"call-1","name":"core_memory_append","arguments":"{\\"name\\":\\"human\\",\\"content\\":\\"Name: Ada\\"}"}\n`,
  `{${header(4)},"type":"memory-edit","step":1,"callId":"call-1","label":"human","before":"","after":"Name: Ada","revision":1,"limit":2000}\n`,
  `{${header(5)},"type":"tool-result","step":1,"callId":"call-1","name":"core_memory_append","status":"ok","text":"None"}\n`,
  `{${header(6)},"type":"step-end","step":1,${tokens}}\n`,
  `{${header(7)},"type":"step-start","step":2,"model":"demo","window":{"tokens":150,"limit":8192}}\n`,
  `{${header(8)},${text}}\n`,
  `{${header(9)},"type":"step-end","step":2,${tokens}}\n`,
  `{${header(10)},"type":"turn-end","stopReason":"end-turn","text":"Hello,\\u2028Ada\\u009b.","steps":2,${tokens}}\n`,
];

describe("--output-format", () => {
  it("json is one object", async () => {
    expect(await run("--output-format", "json")).toMatchObject({ exitCode: 0, stdout: result, stderr: "" });
  });

  it("stream-json is system/init, the events without their pieces of text, and the result", async () => {
    const whole = events.filter((line) => !line.includes("-delta"));
    expect((await run("--output-format", "stream-json")).stdout).toBe([init, ...whole, result].join(""));
  });

  it("stream-json has the pieces with --include-partial-messages", async () => {
    const { stdout } = await run("--output-format", "stream-json", "--include-partial-messages");
    expect(stdout).toBe([init, ...events, result].join(""));
  });

  it("json tells a turn that stopped early", async () => {
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

  it("json tells what went wrong before there was an agent", async () => {
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
      '{"type":"result","version":1,"subtype":"error_failed","is_error":true,"result":"","stop_reason":null,"agent":null,' +
        '"conversation_id":null,"turn_id":null,"steps":0,"duration_ms":25,' +
        '"usage":{"input_tokens":0,"output_tokens":0,"cached_input_tokens":0},"model":null,"memory_edits":[],"pending_approvals":[],' +
        '"error":{"code":"config_invalid","message":"--persona: cannot read ./nope.md: there is no such file."}}\n',
    );
    expect(stderr).toBe("palimpsest: --persona: cannot read ./nope.md: there is no such file.\n");
  });

  it("stream-json ends with a result also when the turn breaks off", async () => {
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
});
