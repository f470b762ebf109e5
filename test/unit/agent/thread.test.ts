// A stored message has the token count of its rendered form.
import { heartbeatProtocol } from "../../../src/agent/protocol/heartbeat.ts";
import { nativeProtocol } from "../../../src/agent/protocol/native.ts";
import type { ProtocolRules } from "../../../src/agent/protocol/protocol.ts";
import { createThread, type MessageDraft } from "../../../src/agent/session/thread.ts";
import { createIds } from "../../../src/base/ids.ts";
import { countMessage, messageOverhead } from "../../../src/model/tokens/token-counter.ts";
import { createManualClock } from "../../support/manual-clock.ts";

// One token per character, so that sums are lengths.
const counter = { count: (text: string) => text.length, countFile: () => 0, exact: true, prepare: () => undefined };
const timeZone = "Europe/Lisbon";

function prepare(protocol: ProtocolRules, draft: MessageDraft) {
  const thread = createThread({ protocol, counter, ids: createIds(), clock: createManualClock(), timeZone });
  return thread.prepare("turn", [draft])[0]!;
}

const said: MessageDraft = { role: "user", content: [{ type: "text", text: 'I said "hi"\n👋' }] };
const result: MessageDraft = {
  role: "tool",
  content: [{ type: "tool-result", callId: "c", name: "note", status: "failed", text: "no such page" }],
};

describe("the tokens of a message", () => {
  it.each([
    ["a user's words", said],
    ["a tool's result", result],
  ])("include the envelope in the heartbeat protocol: %s", (_, draft) => {
    const message = prepare(heartbeatProtocol, draft);
    const rendered = heartbeatProtocol.render(message, timeZone);
    expect(message.tokens).toBe(countMessage(counter, rendered));
    // The envelope has at least a key for the text and the time.
    expect(message.tokens).toBeGreaterThan(countMessage(counter, draft) + '"message":""'.length + '"time":""'.length);
    expect(message.content).toEqual(draft.content);
  });

  it("count the envelope of a runtime event once", () => {
    const login: MessageDraft = { ...said, kind: "event", content: [{ type: "text", text: '{"type":"login"}' }] };
    expect(prepare(heartbeatProtocol, login).tokens).toBe(messageOverhead + '{"type":"login"}'.length);
  });

  it("include the time of a user's message in the native protocol, which is not stored", () => {
    const message = prepare(nativeProtocol, said);
    expect(message.tokens).toBe(countMessage(counter, said) + "[Thu 2026-01-01 00:00] ".length);
    expect(message.content).toEqual(said.content);
  });

  it("are those of the content of other messages in the native protocol", () => {
    expect(prepare(nativeProtocol, result).tokens).toBe(countMessage(counter, result));
  });
});
