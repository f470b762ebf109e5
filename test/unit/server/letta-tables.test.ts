// The tables that Letta's API is made of: records, pages and routes.
import * as z from "zod";
import type { RouteCall } from "../../../src/surfaces/http/route.ts";
import { on, type RecordKind, recordRoutes } from "../../../src/surfaces/http/letta/letta-routes.ts";
import { pageOf, type PageQuery, readAll } from "../../../src/surfaces/http/letta/pages.ts";
import { each, fixed, idWith, nulls, recordOf, text } from "../../../src/surfaces/http/letta/wire-record.ts";

const uuid = "123e4567-e89b-42d3-8456-426614174000";

const record = recordOf<{ readonly id: string; readonly title: string }>()({
  id: idWith("block"),
  name: [text, "title"],
  shout: [text, ({ title }) => title.toUpperCase()],
  kind: fixed("block"),
  ...nulls("project_id"),
});

test("a record has the fields of its table, and its shape accepts them and nothing else in their place", () => {
  const shown = record.show({ id: uuid, title: "notes" });
  expect(shown).toEqual({ id: `block-${uuid}`, name: "notes", shout: "NOTES", kind: "block", project_id: null });
  expect(record.shape.safeParse(shown).success).toBe(true);
  expect(record.shape.safeParse({ ...shown, name: 1 }).success).toBe(false);
  expect(record.shape.safeParse({ ...shown, project_id: "p" }).success).toBe(false);
});

test("fields of one form are accepted by each of their names", () => {
  const form = z.strictObject(each(text.optional(), "one", "two"));
  expect(form.parse({ one: "a", two: "b" })).toEqual({ one: "a", two: "b" });
  expect(form.safeParse({ two: 2 }).success).toBe(false);
});

const items = ["a", "b", "c", "d"].map((id) => ({ id }));

test.each<readonly [query: PageQuery, ids: string]>([
  [{}, "dcba"],
  [{ order: "asc" }, "abcd"],
  [{ ascending: true }, "abcd"],
  [{ limit: 0 }, ""],
  [{ limit: 2 }, "dc"],
  [{ limit: 2, after: "c" }, "ba"],
  [{ limit: 2, before: "a" }, "cb"],
  [{ order: "asc", limit: 2, before: "d" }, "bc"],
  [{ after: "unknown" }, ""],
  [{ before: "unknown" }, ""],
])("a page of %j has %s", (query, ids) => {
  expect(
    pageOf(items, query)
      .map(({ id }) => id)
      .join(""),
  ).toBe(ids);
});

test("a whole list is read page by page, from the oldest on", async () => {
  const all = Array.from({ length: 2500 }, (_, at) => ({ id: String(at) }));
  const read = await readAll(async ({ order, limit, after }) => {
    expect(order).toBe("oldest");
    const start = after === undefined ? 0 : Number(after) + 1;
    return all.slice(start, start + limit);
  });
  expect(read).toEqual(all);
});

test("a path names its ids and its texts", () => {
  const { method, path, params } = on("patch /agents/:agent/core-memory/blocks/:label", "chat", "Change a block", {
    output: null,
    run: async () => null,
  });
  expect([method, path]).toEqual(["patch", "/agents/:agent/core-memory/blocks/:label"]);
  expect(params.parse({ agent: `agent-${uuid.toUpperCase()}`, label: "human" })).toEqual({
    agent: uuid,
    label: "human",
  });
  expect(params.safeParse({ agent: `block-${uuid}`, label: "human" }).success).toBe(false);
});

test("the routes of a record show what the runtime returns, and say whether it was changed", async () => {
  const kind: RecordKind<string> = {
    param: "block",
    one: "a block",
    many: "blocks",
    shape: text,
    show: (found, _call, isChange) => found.map((one) => `${isChange ? "changed" : "read"} ${one}`),
  };
  const block = recordRoutes("/blocks", kind);
  const call = { params: { block: uuid } } as unknown as RouteCall<unknown, unknown, unknown>;
  const list = block.list({ run: async () => ["a", "b"] });
  const get = block.get({ run: async (_call, id) => id });
  const change = block.change({ body: z.object({}), scope: "chat", run: async (_call, id) => id });
  const remove = block.remove({ run: async () => "ignored" });
  expect([list, get, change, remove].map((one) => `${one.method} ${one.path} ${one.scope}: ${one.summary}`)).toEqual([
    "get /blocks read: List blocks",
    "get /blocks/:block read: Get a block",
    "patch /blocks/:block chat: Change a block",
    "delete /blocks/:block admin: Delete a block",
  ]);
  expect(await list.run(call)).toEqual(["read a", "read b"]);
  expect(await get.run(call)).toBe(`read ${uuid}`);
  expect(await change.run(call)).toBe(`changed ${uuid}`);
  expect(await remove.run(call)).toBeNull();
});
