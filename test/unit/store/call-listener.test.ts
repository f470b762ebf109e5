// Calls of waiting inputs: relied on while a probe arrives, and never when notifications are lost, as behind a pooler.
import type postgres from "postgres";
import {
  type CallListener,
  type CallListenerDeps,
  createCallListener,
} from "../../../src/store/connection/call-listener.ts";

interface Channel {
  readonly listener: CallListener;
  readonly events: string[];
  /** What the database sends to the listening connection. */
  report(topic: string): void;
  /** The driver has connected again. */
  reconnect(): void;
}

function channelOf({ isLossy = false, fails = false } = {}): Channel {
  const events: string[] = [];
  let report: (topic: string) => void = () => undefined;
  let listened: () => void = () => undefined;
  const client = {
    async listen(_channel: string, onNotify: (topic: string) => void, onListen: () => void) {
      events.push("listen");
      if (fails) throw new Error("no connection");
      [report, listened] = [onNotify, onListen];
      onListen();
    },
    end: async () => void events.push("end"),
  };
  const deps: CallListenerDeps = {
    connect: () => client as unknown as Pick<postgres.Sql, "listen" | "end">,
    async notify(_channel, topic) {
      if (!isLossy) report(topic);
    },
  };
  return { listener: createCallListener(deps), events, report: (topic) => report(topic), reconnect: () => listened() };
}

const never = new AbortController().signal;
const soon = () => new Promise((resolve) => setImmediate(resolve));

test("a call ends the wait of its topic only, and one that came before the wait ends it at once", async () => {
  const { listener, report } = channelOf();
  const [one, other] = [listener.listen("one"), listener.listen("other")];
  const ended: string[] = [];
  const waits = [one.wait(60_000, never).then(() => ended.push("one")), other.wait(60_000, never)];
  report("one");
  await soon();
  expect(ended).toEqual(["one"]);
  report("other");
  await Promise.all(waits);
  report("one");
  await one.wait(60_000, never);
  await listener.close();
});

test("all inputs share one connection, which is opened for the first", async () => {
  const { listener, events } = channelOf();
  expect(events).toEqual([]);
  const calls = [listener.listen("one"), listener.listen("two")];
  await soon();
  expect(calls.map(({ isLive }) => isLive)).toEqual([true, true]);
  await listener.close();
  expect(events).toEqual(["listen", "end"]);
});

test("calls are live again after a new connection and another probe", async () => {
  const { listener, reconnect } = channelOf();
  const call = listener.listen("one");
  await soon();
  reconnect();
  expect(call.isLive).toBe(false);
  await soon();
  expect(call.isLive).toBe(true);
  await listener.close();
});

test("an aborted wait rejects with the reason", async () => {
  const { listener } = channelOf();
  const aborted = new AbortController();
  const wait = listener.listen("one").wait(60_000, aborted.signal);
  const reason = new Error("enough");
  aborted.abort(reason);
  await expect(wait).rejects.toBe(reason);
  await listener.close();
});

test("a connection that fails is not tried again, and waiting inputs poll", async () => {
  const { listener, events } = channelOf({ fails: true });
  const call = listener.listen("one");
  await soon();
  listener.listen("two");
  expect([call.isLive, events]).toEqual([false, ["listen", "end"]]);
});

test("where probes are lost, the connection is closed and waiting inputs poll", async () => {
  const { listener, events } = channelOf({ isLossy: true });
  const call = listener.listen("one");
  while (events.at(-1) !== "end") await soon();
  expect(call.isLive).toBe(false);
  await call.wait(1, never);
});
