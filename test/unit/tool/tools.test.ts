// Describing, validating and running tools (C12 to C14, C16, C17, C22, C25).
import { z } from "zod";
import * as z3 from "zod/v3";
import { archivalMemoryInsert } from "../../../tools/archival-memory-insert.ts";
import { conversationSearch } from "../../../tools/conversation-search.ts";
import { sendMessage } from "../../../tools/send-message.ts";
import { heartbeatProtocol } from "../../../src/agent/protocol/heartbeat.ts";
import { ToolError } from "../../../src/base/errors.ts";
import { ChatMemory } from "../../../src/memory/core/chat-memory.ts";
import { defineTool } from "../../../src/tool/define-tool.ts";
import { selectTools } from "../../../src/runtime/operations/opening/agent-tools.ts";
import type { Tool } from "../../../src/tool/tool.ts";
import { callToolOf, type ToolCallOptions } from "../../support/call-tool.ts";

const memory = new ChatMemory();
const call = (tool: Tool, args: object | string, more: Partial<ToolCallOptions> = {}) =>
  callToolOf([tool], { memory, name: tool.name, args, ...more });

const echo = defineTool({
  name: "echo",
  description: "Returns its text.",
  parameters: z.object({ text: z.string().describe("Any text.") }),
  run: ({ text }) => text,
});

test("C12 send_message has MemGPT's parameter and takes no heartbeat", () => {
  expect(heartbeatProtocol.describe(sendMessage)).toEqual({
    name: "send_message",
    description: "Send a message to the user: the only text that the user sees.",
    parameters: {
      type: "object",
      properties: {
        message: { type: "string", description: "The text of the message." },
      },
      required: ["message"],
    },
  });
});

test("C13 every other tool takes request_heartbeat, required and last", () => {
  const replace = heartbeatProtocol.describe(memory.tools()[1] as Tool).parameters;
  expect(replace["required"]).toEqual(["name", "old_content", "new_content", "request_heartbeat"]);
  const search = heartbeatProtocol.describe(conversationSearch).parameters;
  expect(search["required"]).toEqual(["query", "request_heartbeat"]);
  expect((search["properties"] as Record<string, unknown>)["page"]).toMatchObject({ type: "integer" });
  expect((search["properties"] as Record<string, unknown>)["request_heartbeat"]).toMatchObject({ type: "boolean" });
});

test("a schema of zod 3 is described like one of zod 4", () => {
  const tool = defineTool({
    name: "old",
    description: "Written with zod 3.",
    parameters: z3.object({
      city: z3.string().describe("A city."),
      days: z3.number().int().optional().describe("How many."),
    }),
    run: ({ city, days }) => `${city} ${days ?? 1}`,
  });
  expect(tool.parameters.jsonSchema).toEqual({
    type: "object",
    properties: {
      city: { type: "string", description: "A city." },
      days: { type: "integer", description: "How many." },
    },
    required: ["city"],
  });
  expect(() => tool.parameters.parse({ city: 3 })).toThrow(ToolError);
});

test("C16 an unknown tool is a failure that lists the existing ones", async () => {
  const result = await callToolOf([echo], { memory, name: "X", args: {} });
  expect(result).toEqual({ status: "failed", text: "No function named X. Available functions: echo." });
});

describe("C17 arguments that are not an object fail and do not run the tool", () => {
  test.each(["null", "[]", '"x"', "3", "", "not json", '{"text": "cut'])("%s", async (text) => {
    const result = await call(echo, text);
    expect(result.status).toBe("failed");
    expect(result.text).toContain("Error parsing JSON for function 'echo' arguments: ");
  });

  test("small mistakes are not repaired here, so that a truncated reply is never completed", async () => {
    expect((await call(echo, "{'text': 'delete every'}", { cut: true })).status).toBe("failed");
  });
});

test("arguments that do not match the schema fail with the expectation", async () => {
  const result = await call(echo, { text: 3 });
  expect(result.status).toBe("failed");
  expect(result.text).toMatch(/Invalid arguments for echo: text: .*string/);
});

test("C22 a result of 3001 characters is cut to 3000 with a note, 3093 in total; a page of results is not", async () => {
  const cut = await call(echo, { text: "x".repeat(3001) });
  expect(cut.text).toHaveLength(3093);
  expect(cut.text).toContain("(3001 > 3000)");
  expect((await call(echo, { text: "x".repeat(3001) }, { resultLimit: 4000 })).text).toHaveLength(3001);
  const one = { text: "y".repeat(5000), role: "user" as const, trust: "user" as const, at: new Date(0) };
  const hits = Array.from({ length: 20 }, (_, index) => ({ ...one, id: String(index) }));
  const found = async () => ({ hits, page: 0, pageSize: 20, total: 20, wordsAlone: false });
  const whole = await call(
    conversationSearch,
    { query: "y" },
    { context: { recall: { search: found, searchDate: found } } },
  );
  expect(whole.text.length).toBeGreaterThan(5000);
  expect(whole.text).not.toContain("truncated");
});

describe("C25 search pages", () => {
  const pages = async (page: unknown): Promise<string> => {
    const search = async (_query: string, number: number) => {
      const hits = Array.from({ length: Math.max(0, Math.min(5, 12 - number * 5)) }, (_, index) => ({
        id: String(index),
        text: `hit ${number * 5 + index}`,
        role: "user" as const,
        trust: "user" as const,
        at: new Date(0),
      }));
      return { hits, page: number, pageSize: 5, total: 12, wordsAlone: false };
    };
    const recall = { search, searchDate: async () => search("", 0) };
    return (
      await call(conversationSearch, page === undefined ? { query: "q" } : { query: "q", page }, {
        context: { recall },
      })
    ).text;
  };

  test("twelve matches are pages of 5, 5 and 2 with an exact total and last page, and then nothing", async () => {
    expect(await pages(0)).toMatch(/^Results 1–5 of 12, best first, next page: 1\.\n\[1\] /u);
    expect(await pages(1)).toMatch(/^Results 6–10 of 12, best first, next page: 2\.\n\[6\] /u);
    expect(await pages(2)).toMatch(/^Results 11–12 of 12, best first, last page\.\n\[11\] /u);
    expect(await pages(3)).toBe("No results found.");
  });

  test.each([undefined, null, "none", "None", ""])("page %p is the first", async (page) => {
    expect(await pages(page)).toContain("Results 1–5 of 12");
  });

  test.each(["abc", 1.5, -1, true])("page %p is refused", async (page) => {
    expect(await pages(page)).toContain("'page' argument must be an integer");
  });
});

test.each([
  [new TypeError("no such thing"), "no such thing"],
  ["no such thing", "no such thing"],
  [Object.create(null), "a value without a text"],
])("an exception in a tool is a failure that names the tool (%#)", async (thrown, reason) => {
  const broken = defineTool({
    name: "broken",
    description: "d",
    parameters: z.object({}),
    run: () => {
      // oxlint-disable-next-line typescript/only-throw-error -- tools of programs may throw anything
      throw thrown;
    },
  });
  expect(await call(broken, {})).toEqual({ status: "failed", text: `Error calling function broken: ${reason}` });
});

test("a tool that ignores its signal does not keep an interrupted call waiting", async () => {
  const deaf = defineTool({
    name: "deaf",
    description: "d",
    parameters: z.object({}),
    run: () => new Promise(() => undefined),
  });
  const controller = new AbortController();
  const result = call(deaf, {}, { context: { signal: controller.signal } });
  controller.abort(new Error("stop"));
  expect((await result).status).toBe("interrupted");
});

describe("an agent's tools", () => {
  const names = (tools: readonly Tool[]) => tools.map((tool) => tool.name);
  const defaults = [conversationSearch, archivalMemoryInsert];

  test("are the defaults without removed ones, with replacements and additions", () => {
    expect(names(selectTools(defaults, { remove: ["conversation_search"], add: [echo] }))).toEqual([
      "archival_memory_insert",
      "echo",
    ]);
    expect(names(selectTools(defaults, { replace: { conversation_search: echo } }))).toEqual([
      "echo",
      "archival_memory_insert",
    ]);
  });

  test("cannot be removed by an unknown name, nor share a name", () => {
    expect(() => selectTools(defaults, { remove: ["conversation_serach"] })).toThrow(/conversation_serach/);
    expect(() => selectTools([echo], { add: [echo] })).toThrow(/Two tools/);
  });
});
