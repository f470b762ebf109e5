// A turn and its reader: in step while the reader reads, and alone once it stops.
import { driveTurn } from "../../../src/agent/lease/drive-turn.ts";
import type { AgentEvent, EventBody } from "../../../src/agent/events.ts";
import { RequestError } from "../../../src/base/errors.ts";
import { noUsage } from "../../../src/base/message/message.ts";

const end: EventBody = { type: "turn-end", stopReason: "end-turn", text: "", steps: 1, usage: noUsage };

const eventOf = (sequence: number, body: EventBody): AgentEvent => ({
  agentId: "a",
  conversationId: "c",
  turnId: "t",
  sequence,
  ...body,
});

/** A turn of `count` deltas and an end, with the number of the last event that it made. */
function turnOf(count: number, failure?: Error) {
  const log: string[] = [];
  let reached = 0;
  let onOver = (): void => undefined;
  const over = new Promise<void>((resolve) => (onOver = resolve));
  async function* run(): AsyncGenerator<AgentEvent, void> {
    try {
      for (reached = 1; reached <= count; reached += 1) {
        yield eventOf(reached, { type: "text-delta", step: 1, text: `${reached} ` });
      }
      if (failure !== undefined) throw failure;
      yield eventOf(reached, end);
    } finally {
      onOver();
    }
  }
  const events = driveTurn(run(), (line, level) => log.push(level === undefined ? line : `${level}: ${line}`));
  return { events, log, over, reached: () => reached };
}

test("begins when the first event is read, and stays in step with its reader", async () => {
  const { events, reached } = turnOf(3);
  await Promise.resolve();
  expect(reached()).toBe(0);
  for (const sequence of [1, 2, 3]) {
    expect((await events.next()).value).toMatchObject({ sequence });
    await new Promise(setImmediate);
    expect(reached()).toBe(sequence);
  }
  expect((await events.next()).value).toMatchObject({ type: "turn-end" });
  expect(await events.next()).toEqual({ done: true, value: undefined });
});

test("goes on to its end after the reader has left", async () => {
  const { events, over, reached, log } = turnOf(3);
  for await (const _event of events) break;
  await over;
  expect(reached()).toBe(4);
  expect(log).toEqual([]);
});

test("goes on without a reader that stopped reading, which then gets the events that it missed", async () => {
  const { events, over } = turnOf(3);
  const read = [(await events.next()).value];
  await over;
  for await (const event of events) read.push(event);
  expect(read.map((event) => event?.sequence)).toEqual([1, 2, 3, 4]);
});

test("resolves with its end when it is awaited, as often as it is awaited", async () => {
  const { events } = turnOf(2);
  expect(await events).toMatchObject({ type: "turn-end", sequence: 3 });
  expect(await events).toMatchObject({ type: "turn-end", sequence: 3 });
});

test("refuses to be awaited after its events were read", async () => {
  const { events } = turnOf(1);
  for await (const _event of events);
  await expect(Promise.resolve(events)).rejects.toThrow("were already read");
});

test("throws its failure at the reader, after the events before it", async () => {
  const { events, log } = turnOf(1, new Error("The disk is full."));
  expect((await events.next()).value).toMatchObject({ sequence: 1 });
  await expect(events.next()).rejects.toThrow("The disk is full.");
  expect(await events.next()).toEqual({ done: true, value: undefined });
  expect(log).toEqual([]);
});

test("begins without a reader, and is read in full afterwards", async () => {
  const { events, over, reached } = turnOf(2);
  await over;
  expect(reached()).toBe(3);
  expect(await events).toMatchObject({ type: "turn-end", sequence: 3 });
});

test("logs a failure that is not read, and throws it at a later reader", async () => {
  const { events, over, log } = turnOf(0, new Error("The disk is full."));
  await over;
  await new Promise(setImmediate);
  expect(log).toEqual(["A turn without a reader failed: The disk is full."]);
  await expect(events.next()).rejects.toThrow("The disk is full.");
});

test("logs a failure that no reader gets", async () => {
  const { events, over, log } = turnOf(1, new Error("The disk is full."));
  for await (const _event of events) break;
  await over;
  await new Promise(setImmediate);
  expect(log).toEqual(["A turn failed after its reader stopped reading: The disk is full."]);
});

test("logs no failure if the runtime has closed before the turn was over", async () => {
  const { over, log } = turnOf(0, new RequestError("runtime_closing", "The runtime closed."));
  await over;
  await new Promise(setImmediate);
  expect(log).toEqual(["info: The runtime closed."]);
});

test("logs a failure that a reader left unread", async () => {
  const { events, over, log } = turnOf(2, new Error("The disk is full."));
  await events.next();
  await over;
  await new Promise(setImmediate);
  expect((await events.next()).value).toMatchObject({ sequence: 2 });
  await events.return();
  expect(log).toEqual(["A turn failed after its reader stopped reading: The disk is full."]);
});
