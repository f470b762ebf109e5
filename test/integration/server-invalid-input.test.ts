// What the server answers to a request with invalid fields: some are all named, and very many take little text and time.
import * as z from "zod";
import { form } from "../../src/base/arguments/forms.ts";
import type { Host } from "../../src/runtime/host.ts";
import { bodyShape } from "../../src/surfaces/http/api/form-shapes.ts";
import { chatRequest } from "../../src/surfaces/http/chat/chat-request.ts";
import { newPassageRequest } from "../../src/surfaces/http/letta/collections/passages.ts";
import { turnRequest } from "../../src/surfaces/http/letta/turns/turn-request.ts";
import { problemOf, problems } from "../../src/surfaces/http/problem.ts";
import { route } from "../../src/surfaces/http/route.ts";
import { createTestApp } from "../support/api-app.ts";

const word = z.string().min(1);
const routes = [
  route({
    method: "post",
    path: "/lists",
    summary: "Send lists",
    scope: "chat",
    body: z.strictObject({ words: z.array(word).optional(), lists: z.array(z.array(word)).optional() }),
    output: z.null(),
    run: async () => null,
  }),
];
/** The lists of bodies, each with an item of the right type that fails a check. */
const lists: Readonly<Record<string, readonly [body: z.ZodType, name: string, item: unknown]>> = {
  numbers: [bodyShape([], [{ fields: { items: form.list(form.count) }, required: [] }]), "items", -1],
  ids: [bodyShape([], [{ fields: { items: form.list(form.id) }, required: [] }]), "items", "no id"],
  times: [
    bodyShape([], [{ fields: { items: form.list(form.moment) }, required: [] }]),
    "items",
    "0000-01-01T00:00:00Z",
  ],
  days: [bodyShape([], [{ fields: { items: form.list(form.day) }, required: [] }]), "items", "0000-01-01"],
  passages: [z.object({ passages: z.array(newPassageRequest) }), "passages", { text: "" }],
  turns: [turnRequest, "messages", { role: "user" }],
  chats: [chatRequest.omit({ id: true }), "messages", { id: "", role: "user", parts: [] }],
};
const listRoutes = Object.entries(lists).map(([name, [body]]) =>
  route({
    method: "post",
    path: `/${name}`,
    summary: "Send a list",
    scope: "chat",
    body,
    output: z.null(),
    run: async () => null,
  }),
);
const key = { userId: "ada", keyId: "key-1", scope: "chat", agentId: null };
const host = { forUser: () => ({ agents: {} }), keys: { verify: async () => key } } as unknown as Host;
const ask = createTestApp(host, [
  {
    path: "/t",
    routes: [...routes, ...listRoutes],
    faults: problems,
    writeFault: (fault, id) => ({ body: problemOf(fault, id) }),
    faultEvent: () => ({ data: null }),
  },
]);

async function refused(body: object, path = "lists") {
  const { status, text } = await ask("POST", `/t/${path}`, { key: "k", body });
  expect([status, text.length < 100_000]).toEqual([400, true]);
  return (JSON.parse(text) as { readonly errors: readonly { readonly field: string; readonly message: string }[] })
    .errors;
}

test("each invalid field of a short body is named", async () => {
  const errors = await refused({ words: [0, "", "a", 1] });
  expect(errors.map(({ field }) => field)).toEqual(["body.words.0", "body.words.1", "body.words.3"]);
});

test("of many invalid fields a hundred are named, and the others counted", async () => {
  const errors = await refused({ words: Array(1000).fill(0) });
  expect(errors).toHaveLength(101);
  expect(errors.at(-1)).toEqual({ field: "body", message: "And 900 more invalid fields." });
});

test("of a body over 20 kB the first field of a wrong type is named", async () => {
  const errors = await refused({ words: Array(20_000).fill(0), lists: 1 });
  expect(errors.map(({ field }) => field)).toEqual(["body.words.0"]);
});

test.each(Object.entries(lists))(
  "of a body over 20 kB with %s the first one that fails a check is named",
  async (path, list) => {
    const [, name, item] = list;
    const errors = await refused({ [name]: Array(10_000).fill(item) }, path);
    expect(errors.map(({ field }) => field)).toEqual([expect.stringMatching(`^body.${name}.0`)]);
  },
);

test("more invalid items than zod can list are refused as invalid", async () => {
  const errors = await refused({ lists: [Array(200_000).fill("")] });
  expect(errors).toMatchObject([{ field: "body", message: expect.stringContaining("Send fewer items at once") }]);
});

test("long names of invalid fields are cut", async () => {
  const [error] = await refused({ ["x".repeat(50_000)]: 1 });
  expect(error?.message).toHaveLength(500);
});
