// The scripted model does what its script says, and says so when the script is at its end.
import { ModelAuthError, ModelProtocolError, ModelRequestError } from "../../../../src/base/errors.ts";
import type { ModelRequest } from "../../../../src/model/llm/model.ts";
import { checkRequest, journalChecks } from "../../../support/check-request.ts";
import { createScriptedModel } from "../../../../src/model/llm/scripted/scripted-model.ts";
import type { Message } from "../../../../src/base/message/message.ts";
import { createManualClock } from "../../../support/manual-clock.ts";
import { assistantCalls, drain, rejectionOf, requestOf, toolReturns, userSays } from "../../../support/model-events.ts";

describe("createScriptedModel", () => {
  it("streams thought, text and calls in deltas, and records the request", async () => {
    const usage = { inputTokens: 9, outputTokens: 3, cachedInputTokens: 1 };
    const model = createScriptedModel({
      replies: [
        {
          thought: "hm",
          text: "Hé 🎉!",
          chunkSize: 2,
          usage,
          toolCalls: [
            { name: "t", arguments: { a: 1 } },
            { name: "t", arguments: "{", callId: "x" },
          ],
        },
      ],
    });
    const request = requestOf(["hi"]);
    expect(await drain(model, request)).toEqual([
      { type: "thought-delta", text: "hm" },
      { type: "text-delta", text: "Hé" },
      { type: "text-delta", text: " 🎉" },
      { type: "text-delta", text: "!" },
      { type: "tool-call", callId: "call_1_1", name: "t", arguments: '{"a":1}' },
      { type: "tool-call", callId: "x", name: "t", arguments: "{" },
      { type: "end", stopReason: "tool-calls", usage },
    ]);
    expect(model.requests).toEqual([request]);
    expect(model.requests[0]).not.toBe(request);
  });

  it("calls a function for each reply, and throws a clear error when there is none", async () => {
    const model = createScriptedModel({
      replies: (request, index) => (index < 1 ? { text: `${request.messages.length}` } : undefined),
    });
    expect((await drain(model, requestOf(["hi"])))[0]).toEqual({ type: "text-delta", text: "1" });
    const error = await rejectionOf(drain(model, requestOf(["hi"])));
    expect(error).toBeInstanceOf(ModelRequestError);
    expect((error as Error).message).toContain('"scripted" was asked for reply 2');
  });

  it("fails as scripted: at once, or in the middle", async () => {
    const error = new ModelAuthError("No.", { provider: "x" });
    const model = createScriptedModel({
      replies: [{ error }, { text: "abc", cutAfter: 0 }, { text: "abc", cutAfter: 1, error }],
    });
    expect(await rejectionOf(drain(model, requestOf(["hi"])))).toBe(error);
    expect(await rejectionOf(drain(model, requestOf(["hi"])))).toBeInstanceOf(ModelProtocolError);
    expect(await rejectionOf(drain(model, requestOf(["hi"])))).toBe(error);
  });

  it("honours the signal before, during a delay and between events", async () => {
    const reason = new Error("enough");
    const clock = createManualClock();
    const model = createScriptedModel({ replies: () => ({ text: "a long text", delayMs: 1000 }), clock });
    expect(await rejectionOf(drain(model, requestOf(["hi"]), AbortSignal.abort(reason)))).toBe(reason);

    const controller = new AbortController();
    const waiting = rejectionOf(drain(model, requestOf(["hi"]), controller.signal));
    controller.abort(reason);
    expect(await waiting).toBe(reason);
  });
});

describe("checkRequest", () => {
  const good = ["hi", assistantCalls(["1", "{}"], ["2", "{}"]), toolReturns("1", "a"), toolReturns("2", "b"), "next"];
  const text = (role: Message["role"], words: string): Message => ({ role, content: [{ type: "text", text: words }] });

  it("finds no fault in a valid request", () => {
    expect(checkRequest(requestOf(good))).toEqual([]);
  });

  it.each<readonly [string, readonly (Message | string)[]]>([
    ["there are no messages", []],
    ['the first message is of role "assistant", not "user"', [text("assistant", "hi")]],
    ["message 1 has no content", [{ role: "user", content: [] }]],
    ["message 1 has an empty text", [userSays(" ")]],
    [
      'message 2 has no result right after its call "1"',
      ["hi", assistantCalls(["1", "{}"]), "next", toolReturns("1", "late")],
    ],
    [
      'message 2 has 2 results for "1"',
      ["hi", assistantCalls(["1", "{}"]), toolReturns("1", "a"), toolReturns("1", "b")],
    ],
    ['message 2 has a result "9" without a call right before it', ["hi", toolReturns("9", "x")]],
    [
      'message 2 calls a tool twice under the id "1"',
      ["hi", assistantCalls(["1", "{}"], ["1", "{}"]), toolReturns("1", "x")],
    ],
    ['message 2 of role "tool" holds a text', ["hi", text("tool", "x")]],
  ])("finds that %s", (violation, messages) => {
    expect(checkRequest(requestOf(messages))).toContain(violation);
  });

  it("names the request in a journal", () => {
    const requests: ModelRequest[] = [requestOf(good), requestOf([])];
    expect(journalChecks(requests)).toEqual(["request 2: there are no messages"]);
  });
});
