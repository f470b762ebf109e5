// A prompt whose turn waits for approval. The commands of approvals are in a session of test/parity.
import type { EventBody } from "../../../src/agent/events.ts";
import { createFakeRuntime } from "../../support/fake-runtime.ts";
import { runInWorld } from "../../support/fake-world.ts";

test("a prompt whose turn waits reports the call on stderr and in JSON, and exits with 5", async () => {
  const usage = { inputTokens: 1, outputTokens: 1, cachedInputTokens: 0 };
  const asked = { step: 1, callId: "c", name: "pay", arguments: '{"euros":5}', preview: "pays Ada", expiresAt: null };
  const turn: readonly EventBody[] = [
    { type: "turn-start", messageId: "m" },
    { type: "approval-requested", ...asked },
    { type: "turn-end", stopReason: "awaiting-approval", text: "", steps: 1, usage },
  ];
  const text = await runInWorld(["-p", "pay"], { runtime: createFakeRuntime({ turn: () => turn }) });
  expect(text).toMatchObject({ exitCode: 5, stdout: "" });
  expect(text.stderr).toContain(
    'approval needed: pay {"euros":5} (approvals approve c, or approvals deny c)\npalimpsest: pays Ada',
  );
  const json = await runInWorld(["-p", "pay", "--output-format", "json"], {
    runtime: createFakeRuntime({ turn: () => turn }),
  });
  expect(JSON.parse(json.stdout)).toMatchObject({
    subtype: "error_awaiting_approval",
    pending_approvals: [{ call_id: "c", name: "pay", arguments: '{"euros":5}', preview: "pays Ada", expires_at: null }],
  });
});
