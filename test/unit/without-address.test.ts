// Messages about models' servers for clients that may be other users: without addresses.
import { describeProvider, toModelError } from "../../src/model/llm/failure/model-errors.ts";
import { withoutAddress } from "../../src/base/without-address.ts";
import { clientEvent, faultOf } from "../../src/surfaces/http/fault.ts";

const facts = { id: "openai", brand: "OpenAI", model: "tiny", keyOption: "openaiApiKey", apiKey: "" };

function failureAt(baseUrl: string | undefined, failure: object) {
  const provider = describeProvider({ ...facts, baseUrl });
  return toModelError({ kind: "answer", codes: [], text: "", ...failure }, provider, new Date(0));
}

const address = /10\.0\.0|gpu|:8000|::1/u;

test.each([
  ["http://gpu.corp:8000/v1", { status: 502, text: "upstream http://10.0.0.6/v1 and 10.0.0.7:80 failed" }],
  ["http://[::1]:8000/v1", { kind: "connection", text: "connect ECONNREFUSED 10.0.0.5:8000" }],
  ["http://gpu/v1", { kind: "connection", text: "getaddrinfo ENOTFOUND gpu" }],
  ["http://10.0.0.5:8000/v1", { kind: "stream", text: "read ECONNRESET 10.0.0.5:8000" }],
  ["http://10.0.0.5/v1", { status: 401, text: "ask the admin of gpu.corp:8000" }],
])("a client gets the provider's name instead of its address: %s %j", (baseUrl, failure) => {
  const error = failureAt(baseUrl, failure);
  const { code, message } = error;
  expect(message).toMatch(address);
  const fault = faultOf(error);
  expect(fault).toMatchObject({ code, cause: error, details: error.details });
  expect(fault.message).toMatch(/^The provider "openai" .+/u);
  const header = { agentId: "a", conversationId: "c", turnId: "t", sequence: 1 };
  const end = { type: "turn-end", stopReason: "model-error", text: "", steps: 1 } as const;
  const usage = { inputTokens: 0, outputTokens: 0, cachedInputTokens: 0 };
  const events = [
    clientEvent({ ...header, ...end, usage, error: { code, message, provider: "openai" } }),
    clientEvent({ ...header, type: "retry", step: 1, attempt: 2, delayMs: 0, reason: message }),
    clientEvent({ ...header, type: "warning", code: "facts-not-kept", message }),
  ];
  expect(JSON.stringify([fault.message, ...events])).not.toMatch(address);
  expect(events[0]).toHaveProperty("error.message", fault.message);
});

test("the status and the advice stay, and what the provider said", () => {
  const overloaded = failureAt("http://gpu:8000/v1", { status: 503, text: "busy" });
  expect(faultOf(overloaded).message).toBe(
    'The provider "openai" is overloaded or failing (503). Try again later. It said: busy',
  );
  const own = failureAt(undefined, { kind: "connection", text: "connect ECONNREFUSED 10.0.0.5:3128" });
  expect(faultOf(own).message).toBe(
    "OpenAI cannot be reached. Check the network and the base URL, or try again later.",
  );
});

test.each(["Expected a URL, got http://10.0.0.5:80.", "The server at the configured base URL cannot be reached.", ""])(
  "other messages stay as they are: %s",
  (message) => {
    expect(withoutAddress(message)).toBe(message);
  },
);
