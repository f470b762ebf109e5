// Retries: which errors, how long between, and how many, on a clock that is moved by hand.
import { ModelAuthError, ModelRateLimitError, ModelUnavailableError } from "../../../../src/base/errors.ts";
import type { Model, ModelEvent } from "../../../../src/model/llm/model.ts";
import { type RetryOptions, type StreamOptions, withRetries } from "../../../../src/model/llm/retry/retrying-model.ts";
import { createScriptedModel, type ScriptedReply } from "../../../../src/model/llm/scripted/scripted-model.ts";
import { createHurriedClock, createManualClock, settle } from "../../../support/manual-clock.ts";
import { deltas, drain, rejectionOf, requestOf } from "../../../support/model-events.ts";

const provider = "test";
const unavailable = new ModelUnavailableError("The provider is failing. Try again later.", { provider });
const failing = (count: number, error: Error = unavailable): ScriptedReply[] => [
  ...Array.from({ length: count }, () => ({ error })),
  { text: "Fine." },
];

async function run(replies: ScriptedReply[], options: Partial<RetryOptions> = {}): Promise<ModelEvent[]> {
  const scripted = createScriptedModel({ replies });
  return drain(withRetries(scripted, { clock: createHurriedClock(), random: () => 1, ...options }), requestOf(["hi"]));
}

const delaysOf = (events: ModelEvent[]): number[] =>
  events.flatMap((event) => (event.type === "retry" ? [event.delayMs] : []));

it("retries a failed call and emits an event", async () => {
  const events = await run(failing(1));
  expect(events[0]).toEqual({ type: "retry", attempt: 1, delayMs: 500, reason: unavailable.message });
  expect(deltas(events, "text-delta")).toBe("Fine.");
});

it("doubles the delay each time, up to the maximum", async () => {
  expect(delaysOf(await run(failing(5), { maxAttempts: 6, maxDelayMs: 3000 }))).toEqual([500, 1000, 2000, 3000, 3000]);
});

it("randomizes its delays over the whole range", async () => {
  expect(delaysOf(await run(failing(1), { random: () => 0 }))).toEqual([0]);
  expect(delaysOf(await run(failing(1), { random: () => 0.3 }))).toEqual([150]);
});

it("waits as long as the provider asks, but at most a minute", async () => {
  const after = (retryAfterMs: number): Error => new ModelRateLimitError("Slow down.", { provider, retryAfterMs });
  expect(delaysOf(await run(failing(1, after(20_000))))).toEqual([20_000]);
  expect(delaysOf(await run(failing(1, after(60_000))))).toEqual([60_000]);
  const tooLong = after(60_001);
  expect(await rejectionOf(run(failing(1, tooLong)))).toBe(tooLong);
});

it("throws the last error after its last attempt", async () => {
  const scripted = createScriptedModel({ replies: failing(9) });
  const model = withRetries(scripted, { clock: createHurriedClock(), random: () => 0 });
  expect(await rejectionOf(drain(model, requestOf(["hi"])))).toBe(unavailable);
  expect(scripted.requests).toHaveLength(4);
});

it.each([new ModelAuthError("Bad key.", { provider }), new TypeError("a bug")])("does not retry %s", async (error) => {
  expect(await rejectionOf(run(failing(1, error)))).toBe(error);
});

it("voids the text before a truncation", async () => {
  const events = await run([{ text: "Half of it", cutAfter: 1 }, { text: "Whole." }]);
  expect(events.map((event) => event.type)).toEqual(["text-delta", "retry", "text-delta", "end"]);
});

it("stops a reply that exceeds the time limit, and does not retry", async () => {
  const clock = createManualClock();
  const replies = [{ text: "one two three four five six", delayMs: 0 }, { text: "never asked for" }];
  const scripted = createScriptedModel({ replies });
  const slow: Model = {
    ...scripted,
    async *stream(request, options) {
      for await (const event of scripted.stream(request, options)) {
        await clock.advance(1000);
        yield event;
      }
    },
  };
  const model = withRetries(slow, { clock, random: () => 0, stallMs: 5000, maxReplyMs: 2500 });
  expect(await rejectionOf(drain(model, requestOf(["hi"])))).toMatchObject({
    code: "model_reply_limit",
    message: '"scripted" was still answering after 2.5 seconds. Ask for a shorter reply, or raise maxReplySeconds.',
  });
  expect(scripted.requests).toHaveLength(1);
});

it("throws the reason of an abort during a delay", async () => {
  const clock = createManualClock();
  const controller = new AbortController();
  const model = withRetries(createScriptedModel({ replies: failing(1) }), { clock, random: () => 1 });
  const outcome = rejectionOf(drain(model, requestOf(["hi"]), controller.signal));
  await settle();
  const reason = new Error("enough");
  controller.abort(reason);
  expect(await outcome).toBe(reason);
});

it("closes the call when its reader stops", async () => {
  let closed = false;
  const model: Model = {
    name: "test/slow-to-close",
    contextWindow: 1,
    async *stream() {
      try {
        yield { type: "text-delta", text: "Hi" };
      } finally {
        await settle();
        closed = true;
      }
    },
  };
  for await (const _event of withRetries(model, { clock: createManualClock(), random: () => 0 }).stream(
    requestOf(["hi"]),
    {},
  )) {
    break;
  }
  expect(closed).toBe(true);
});

describe("stalls", () => {
  const silent = (signals: AbortSignal[]): Model => ({
    name: "test/silent",
    contextWindow: 1,
    // It takes its signal and never looks at it.
    async *stream(_request, { signal }) {
      if (signal !== undefined) signals.push(signal);
      await new Promise(() => undefined);
      yield { type: "text-delta", text: "never" };
    },
  });

  it("stops a stalled call, even one that ignores its signal", async () => {
    const clock = createManualClock();
    const signals: AbortSignal[] = [];
    const model = withRetries(silent(signals), { clock, random: () => 0, maxAttempts: 1 });
    const outcome = rejectionOf(drain(model, requestOf(["hi"])));
    await settle();
    await clock.advance(119_999);
    expect(signals[0]?.aborted).toBe(false);
    await clock.advance(1);
    expect(await outcome).toMatchObject({ code: "model_timeout", provider: "test" });
    expect(signals[0]?.aborted).toBe(true);
  });

  it("retries after a stall", async () => {
    const clock = createManualClock();
    const model = withRetries(silent([]), { clock, random: () => 0, maxAttempts: 2, stallMs: 1000 });
    const events = model.stream(requestOf(["hi"]), {})[Symbol.asyncIterator]();
    const first = events.next();
    await settle();
    await clock.advance(1000);
    expect((await first).value).toMatchObject({ type: "retry", attempt: 1 });
  });

  it("does not treat a call as stalled while chunks without events arrive", async () => {
    const clock = createManualClock();
    let activity: () => void = () => undefined;
    let finish: () => void = () => undefined;
    const busy: Model = {
      name: "test/busy",
      contextWindow: 1,
      async *stream(_request, options: StreamOptions) {
        activity = options.onActivity ?? activity;
        await new Promise<void>((resolve) => (finish = resolve));
        yield { type: "text-delta", text: "at last" };
      },
    };
    const done = drain(withRetries(busy, { clock, random: () => 0, stallMs: 1000 }), requestOf(["hi"]));
    await settle();
    for (let step = 0; step < 5; step += 1) {
      await clock.advance(900);
      activity();
    }
    finish();
    expect(await done).toEqual([{ type: "text-delta", text: "at last" }]);
  });

  it("leaves no timer behind", async () => {
    const clock = createManualClock();
    let open = 0;
    const counting = {
      ...clock,
      sleep: async (ms: number, signal?: AbortSignal) => {
        open += 1;
        await clock.sleep(ms, signal).finally(() => (open -= 1));
      },
    };
    await drain(
      withRetries(createScriptedModel({ replies: [{ text: "Hi" }] }), { clock: counting, random: () => 0 }),
      requestOf(["hi"]),
    );
    await settle();
    expect(open).toBe(0);
  });
});
