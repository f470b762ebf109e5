// Routes that are made from a contract: where each argument of an operation comes from.
import { optional, signal } from "../../../src/base/arguments/argument-checks.ts";
import { form } from "../../../src/base/arguments/forms.ts";
import { optionalValue, optionsNamed, value } from "../../../src/runtime/contract.ts";
import type { UserRuntime } from "../../../src/runtime/runtime.ts";
import { operationRoutes } from "../../../src/surfaces/http/api/operation-routes.ts";
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
