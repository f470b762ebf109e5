// Routes that are made from a contract: where each argument of an operation comes from.
import { optional, signal } from "../../../src/base/arguments/argument-checks.ts";
import { form } from "../../../src/base/arguments/forms.ts";
import { optionalValue, optionsNamed, value } from "../../../src/runtime/contract.ts";
import type { UserRuntime } from "../../../src/runtime/runtime.ts";
import { openAgentRoutes, operationRoutes } from "../../../src/surfaces/http/api/operation-routes.ts";
import type { EventStream } from "../../../src/surfaces/http/event-stream.ts";
import { SentBytes } from "../../../src/surfaces/http/sent-bytes.ts";
import type { Route, RouteCall } from "../../../src/surfaces/http/route.ts";

const boat = { id: form.id, name: form.text };
const contract = {
  list: {
    args: [value("harbour", form.text), optionalValue("limit", form.count)],
    http: { route: "GET /harbours/:name/boats", summary: "List boats", scope: "read", output: [boat] },
  },
  find: {
    args: [optionsNamed("options", { ids: form.texts, isRed: form.flag, since: form.moment })],
    http: { route: "GET /boats", summary: "Find boats", scope: "read", output: [boat] },
  },
  rename: {
    args: [value("id", form.id), optionsNamed("change", { name: form.text })],
    http: { route: "PATCH /boats/:boat", summary: "Rename a boat", scope: "admin", output: boat },
  },
  sail: {
    args: [value("id", form.id), value("course", form.object()), { name: "signal", check: optional(signal) }],
    http: { route: "POST /boats/:boat/sail", summary: "Sail", scope: "admin", output: null },
  },
  sink: { args: [], http: "Nobody should." },
} as const;

const runs = (calls: unknown[][]) =>
  Object.fromEntries(
    Object.keys(contract).map((name) => [name, async (...args: unknown[]) => void calls.push([name, ...args])]),
  ) as { readonly [Name in keyof typeof contract]: unknown };

async function send(summary: string, request: Partial<RouteCall<unknown, unknown, unknown>>): Promise<unknown[][]> {
  const calls: unknown[][] = [];
  const routes: readonly Route[] = operationRoutes(contract, () => runs(calls));
  const route = routes.find((each) => each.summary === summary)!;
  const parsed = {
    params: route.params.parse(request.params ?? {}),
    query: route.query.parse(request.query ?? {}),
    body: route.body?.parse(request.body),
  };
  const fixed = { runtime: {} as UserRuntime, headers: new Headers(), leftOut: {}, signal: AbortSignal.timeout(1e6) };
  await route.run({ ...fixed, ...request, ...parsed } as unknown as RouteCall<unknown, unknown, unknown>);
  return calls;
}

const id = "0198f1f0-0000-7000-8000-000000000000";

test("an operation without a route has none", () => {
  expect(operationRoutes(contract, () => runs([]))).toHaveLength(4);
});

test("the first arguments are those of the path, in its names; numbers, flags, lists and times of a query are values", async () => {
  expect(await send("List boats", { params: { name: "Kiel" }, query: { limit: "3" } })).toEqual([["list", "Kiel", 3]]);
  expect(await send("List boats", { params: { name: "Kiel" } })).toEqual([["list", "Kiel", undefined]]);
  const query = { ids: "a", isRed: "true", since: "2026-01-02T03:04:05Z" };
  const since = new Date("2026-01-02T03:04:05Z");
  expect(await send("Find boats", { query })).toEqual([["find", { ids: ["a"], isRed: true, since }]]);
  expect(await send("Find boats", {})).toEqual([["find", {}]]);
});

test("a body has the options, or values by their names; the signal is that of the request", async () => {
  expect(await send("Rename a boat", { params: { boat: id }, body: { name: "Ida" } })).toEqual([
    ["rename", id, { name: "Ida" }],
  ]);
  const { signal: own } = new AbortController();
  const calls = await send("Sail", { params: { boat: id }, body: { course: { to: "Oslo" } }, signal: own });
  expect(calls).toEqual([["sail", id, { to: "Oslo" }, own]]);
});

test.each<[string, Partial<RouteCall<unknown, unknown, unknown>>]>([
  ["Rename a boat", { params: { boat: "no id" }, body: {} }],
  ["Rename a boat", { params: { boat: id }, body: { colour: "red" } }],
  ["Find boats", { query: { colour: "red" } }],
  ["Sail", { params: { boat: id }, body: {} }],
])("%s refuses %j", async (summary, request) => {
  await expect(send(summary, request)).rejects.toThrow();
});

const place = "/agents/:agent/conversations/:conversation" as const;
const inPlace = {
  rename: {
    args: [value("conversation", form.id), value("title", form.text)],
    http: { route: `PATCH ${place}`, summary: "Rename", scope: "chat", output: null },
  },
  photo: {
    args: [value("conversation", form.id), value("file", form.id)],
    http: { route: `GET ${place}/photos/:photo`, summary: "Photo", scope: "read", output: "bytes" },
  },
} as const;
const ofAgent = {
  look: { args: [], http: { route: `GET ${place}/sea`, summary: "Look", scope: "read", output: boat } },
  turn: {
    args: [
      value("side", form.text),
      { ...optionsNamed("options", { knots: form.number }), own: { signal: form.text } },
    ],
    http: { route: `POST ${place}/turn`, summary: "Turn", scope: "chat", output: "events" },
  },
  drop: {
    args: [],
    http: { route: `POST ${place}/drop`, summary: "Drop", scope: "chat", output: null, callsNoModel: true },
  },
} as const;

const calls: unknown[][] = [];
const runtime = {
  agents: {
    find: async () => ({ id: "agent" }),
    open: async (...args: unknown[]) => {
      calls.push(["open", ...args]);
      return {
        look: () => ({ id: "1", name: "Ida" }),
        drop: async () => undefined,
        async *turn(...given: unknown[]) {
          calls.push(["turn", ...given]);
          yield { sequence: 1, type: "turn-start" };
        },
      };
    },
  },
  conversations: {
    find: async (of: string) => ({ id: of, agentId: of === id ? "agent" : "another" }),
    rename: async (...args: unknown[]) => void calls.push(["rename", ...args]),
    photo: async (...args: unknown[]) => (calls.push(["photo", ...args]), { name: "a", mediaType: "b", data: [] }),
  },
} as unknown as UserRuntime;

async function sendIn(summary: string, params: object, body?: object): Promise<unknown> {
  const routes: readonly Route[] = [
    ...operationRoutes(inPlace, ({ conversations }) => conversations as never),
    ...openAgentRoutes(ofAgent),
  ];
  const route = routes.find((each) => each.summary === summary)!;
  calls.length = 0;
  const call = { runtime, params: route.params.parse(params), query: {}, body, signal: AbortSignal.timeout(1e6) };
  return route.run(call as unknown as RouteCall<unknown, unknown, unknown>);
}

const conversation = { agent: "main", conversation: id };

test("the agent before a conversation is no argument, and the conversation must be the agent's", async () => {
  await sendIn("Rename", conversation, { title: "Boats" });
  expect(calls).toEqual([["rename", id, "Boats"]]);
  const other = { agent: "main", conversation: id.replace(/0$/u, "1") };
  await expect(sendIn("Rename", other, { title: "Boats" })).rejects.toMatchObject({ code: "conversation_not_found" });
  expect(calls).toEqual([]);
});

test("a file is sent as bytes", async () => {
  expect(await sendIn("Photo", { ...conversation, photo: id })).toBeInstanceOf(SentBytes);
  expect(calls).toEqual([["photo", id, id]]);
});

test("an agent is opened for what its function does, and a stream does not end with its request", async () => {
  const opened = (options: object) => ["open", "main", { conversation: { id }, ...options }];
  expect(await sendIn("Look", conversation)).toEqual({ id: "1", name: "Ida" });
  expect(calls).toEqual([opened({ withoutCalls: true, forReading: true })]);
  expect(await sendIn("Drop", conversation, {})).toBeNull();
  expect(calls).toEqual([opened({ withoutCalls: true, forReading: false })]);
  const stream = (await sendIn("Turn", conversation, { side: "port", knots: 3 })) as EventStream;
  const events = [];
  for await (const event of stream.events) events.push(event);
  expect(events).toEqual([{ id: "1", event: "turn-start", data: { sequence: 1, type: "turn-start" } }]);
  expect(calls).toEqual([opened({ withoutCalls: false, forReading: false }), ["turn", "port", { knots: 3 }]]);
});
