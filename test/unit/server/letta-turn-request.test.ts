// Requests that run turns, and what decisions in them come to.
import { planDecisions } from "../../../src/surfaces/http/letta/turns/plan-decisions.ts";
import { inputOf, turnRequest } from "../../../src/surfaces/http/letta/turns/turn-request.ts";

const read = (body: unknown) => inputOf(turnRequest.parse(body));
const user = { role: "user", content: "hi" };

test("text, parts and images are messages, with the writer's name and the key", () => {
  const image = { type: "image", source: { type: "base64", media_type: "image/png", data: "AAAA" } };
  const linked = { type: "image", source: { type: "url", url: "https://example.org/a.png" } };
  const parts = [{ type: "text", text: "one" }, image, linked, { type: "text", text: "two" }];
  expect(read({ input: "short" }).messages).toEqual([{ text: "short" }]);
  const messages = [
    { role: "user", content: parts, name: "Ada", otid: "k", unknown: 1 },
    { role: "system", content: "s" },
  ];
  expect(read({ messages, unknown: true }).messages).toEqual([
    {
      text: "one\ntwo",
      name: "Ada",
      idempotencyKey: "k",
      files: [
        { data: Buffer.from("AAAA", "base64"), name: "image-2.png", mediaType: "image/png" },
        { url: "https://example.org/a.png" },
      ],
    },
    { role: "system", text: "s" },
  ]);
});

test.each([
  [{}],
  [{ input: "x", messages: [user] }],
  [{ messages: [] }],
  [{ messages: [{ role: "user" }] }],
  [{ messages: [{ role: "assistant", content: "x" }] }],
  [{ messages: [{ type: "approval" }] }],
  [{ messages: [{ type: "approval", approvals: [{ type: "approval", tool_call_id: "1" }] }] }],
  [{ messages: [{ role: "user", content: [{ type: "image", source: {} }] }] }],
  [{ input: "x", max_steps: 0 }],
])("%j is refused", (body) => {
  expect(() => read(body)).toThrow();
});

test("decisions are about calls that wait; those about others are named", () => {
  const messageId = "0198f1f0-1234-7abc-89de-0123456789ab";
  const waiting = { approvals: [{ callId: "a", messageId }], results: [{ callId: "r", messageId }] };
  const plan = (approvals: readonly object[]) =>
    planDecisions(read({ messages: [{ type: "approval", approvals }] }).decisions, waiting);
  const given = [
    { type: "approval", tool_call_id: "a", approve: false, reason: "no" },
    { type: "tool", tool_call_id: "r", tool_return: [{ type: "text", text: "noon" }], status: "success" },
  ];
  expect(plan(given)).toEqual({
    verdicts: [expect.objectContaining({ callId: "a", approve: false, reason: "no" })],
    results: [{ callId: "r", status: "ok", text: "noon" }],
    others: [],
  });
  const refused = [{ type: "approval", tool_call_id: "r", approve: false, reason: "no clock" }];
  const text = "Error: request to call tool denied. User reason: no clock";
  expect(plan(refused).results).toEqual([{ callId: "r", status: "failed", text }]);
  // A tool of the client cannot be run here, and one of the agent's is not run there.
  expect(plan([{ type: "approval", tool_call_id: "r", approve: true }]).others).toEqual(["r"]);
  expect(plan([{ type: "tool", tool_call_id: "a", tool_return: "x" }]).others).toEqual(["a"]);
  expect(plan([{ type: "approval", tool_call_id: "z", approve: true }]).others).toEqual(["z"]);
  const older = { type: "approval", approve: true, approval_request_id: `message-${messageId}` };
  const all = planDecisions(read({ messages: [older] }).decisions, { ...waiting, results: [] });
  expect(all.verdicts).toEqual([expect.objectContaining({ callId: "a", approve: true })]);
});
