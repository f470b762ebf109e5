// Which resources a client listens to, read from its messages.
import type { JSONRPCMessage, Transport } from "@modelcontextprotocol/server";
import { createListenedResources } from "../../../src/surfaces/mcp/listened-resources.ts";

function createWire() {
  const inner: Transport = { start: async () => undefined, send: async () => undefined, close: async () => undefined };
  const listened = createListenedResources();
  const outer = listened.through(inner);
  const forwarded: JSONRPCMessage[] = [];
  outer.onmessage = (message) => void forwarded.push(message);
  const receive = (message: object) => inner.onmessage?.({ jsonrpc: "2.0", ...message } as JSONRPCMessage);
  return { inner, outer, listened, forwarded, receive };
}

const listen = (id: number, ...resourceSubscriptions: string[]) => ({
  id,
  method: "subscriptions/listen",
  params: { notifications: { resourceSubscriptions } },
});

test("the resources of all requests that were not cancelled are listened to, and every message goes on", async () => {
  const { outer, listened, forwarded, receive } = createWire();
  await outer.start();
  receive(listen(1, "a", "b"));
  const seen: (readonly string[])[] = [];
  listened.watch((uris) => seen.push(uris));
  receive(listen(2, "b", "c"));
  receive({ id: 3, method: "tools/list" });
  receive({ method: "notifications/cancelled", params: { requestId: 3 } });
  receive({ method: "notifications/cancelled", params: { requestId: 1 } });
  receive({ method: "notifications/cancelled", params: { requestId: 2 } });
  expect(seen).toEqual([["a", "b"], ["a", "b", "c"], ["b", "c"], []]);
  expect(forwarded).toHaveLength(6);
});

test("a request that the SDK refuses listens to nothing", async () => {
  const { outer, listened, receive } = createWire();
  await outer.start();
  const seen: (readonly string[])[] = [];
  listened.watch((uris) => seen.push(uris));
  receive({ id: 1, method: "subscriptions/listen", params: { notifications: { resourceSubscriptions: "a" } } });
  receive({ id: 2, method: "subscriptions/listen" });
  expect(seen.flat()).toEqual([]);
});

test("the end and the errors of the connection go on", async () => {
  const { inner, outer } = createWire();
  const seen: unknown[] = [];
  outer.onclose = () => void seen.push("closed");
  outer.onerror = (error) => void seen.push(error.message);
  await outer.start();
  inner.onerror?.(new Error("broken"));
  inner.onclose?.();
  expect(seen).toEqual(["broken", "closed"]);
});
