// The default tools as sent to a model, exactly, in both protocols.
// Models were trained on these names and prompts contain them, so a change here changes behaviour.
// The expected values are literal; none is imported from src.
import type { Protocol } from "../../src/memory/records.ts";
import { createScriptedModel } from "../../src/llm/scripted/scripted-model.ts";
import { createTestRuntimes, drain, type TestRuntimes } from "../support/runtime.ts";

const section = { type: "string", enum: ["persona", "human"], description: "The section to edit." };
const page = {
  type: "integer",
  description: "Which page of results, from 0 (the default). Each page has 5 results.",
};
const neighbours = {
  type: "integer",
  description: "How many messages before and after each result to show with it, 0 (the default) to 5.",
};

const sendMessage = {
  name: "send_message",
  description: "Sends a message to the human user.",
  parameters: {
    type: "object",
    properties: {
      message: { type: "string", description: "Message contents. All unicode (including emojis) are supported." },
    },
    required: ["message"],
  },
};

const native = [
  {
    name: "core_memory_append",
    description: "Add a line at the end of a section of core memory.",
    parameters: {
      type: "object",
      properties: { name: section, content: { type: "string", description: "The text of the new line." } },
      required: ["name", "content"],
    },
  },
  {
    name: "core_memory_replace",
    description: "Replace text in a section of core memory, at every place where it occurs.",
    parameters: {
      type: "object",
      properties: {
        name: section,
        old_content: { type: "string", description: "The text to replace, exactly as it is in the section." },
        new_content: {
          type: "string",
          description: "The text to write instead; an empty one removes the old text.",
        },
      },
      required: ["name", "old_content", "new_content"],
    },
  },
  {
    name: "core_memory_rewrite",
    description: "Write a whole section of core memory anew, to reorder or shorten it. What you leave out is removed.",
    parameters: {
      type: "object",
      properties: {
        name: section,
        content: { type: "string", description: "The complete new text of the section." },
      },
      required: ["name", "content"],
    },
  },
  {
    name: "conversation_search",
    description:
      "Search prior conversation history, of both sides, by words (case-insensitive) and by meaning. A query in double quotes finds exactly that text.",
    parameters: {
      type: "object",
      properties: { query: { type: "string", description: "Words or text to search for." }, page, neighbours },
      required: ["query"],
    },
  },
  {
    name: "conversation_search_date",
    description: "Search prior conversation history by date. Both days are included.",
    parameters: {
      type: "object",
      properties: {
        start_date: { type: "string", description: "The first day to search, in the format YYYY-MM-DD." },
        end_date: { type: "string", description: "The last day to search, in the format YYYY-MM-DD." },
        page,
        neighbours,
      },
      required: ["start_date", "end_date"],
    },
  },
  {
    name: "archival_memory_insert",
    description: "Save a text in archival memory, in words that a later search would use.",
    parameters: {
      type: "object",
      properties: {
        content: {
          type: "string",
          minLength: 1,
          description: "One fact, story or thought that is understood without this conversation.",
        },
        tags: {
          type: "array",
          description: "Words to file it under, to narrow later searches.",
          items: { type: "string", minLength: 1, description: "One tag." },
        },
      },
      required: ["content"],
    },
  },
  {
    name: "archival_memory_search",
    description: "Search archival memory by meaning and by words. A query in double quotes finds exactly that text.",
    parameters: {
      type: "object",
      properties: {
        query: { type: "string", description: "What to search for." },
        page,
        tags: {
          type: "array",
          description: "Only memories filed under these.",
          items: { type: "string", description: "One tag." },
        },
        tag_match_mode: {
          type: "string",
          enum: ["any", "all"],
          description: "Whether a memory must be filed under any of the tags (the default) or under all of them.",
        },
        start_date: {
          type: "string",
          description: "First day of the memories to search, YYYY-MM-DD, included.",
        },
        end_date: { type: "string", description: "Last day of the memories to search, YYYY-MM-DD, included." },
      },
      required: ["query"],
    },
  },
];

const requestHeartbeat = {
  type: "boolean",
  description:
    "Request an immediate heartbeat after function execution. Set to 'true' if you want to send a follow-up message or run a follow-up function.",
};

const heartbeat = [
  sendMessage,
  ...native.map(({ name, description, parameters: { type, properties, required } }) => ({
    name,
    description,
    parameters: {
      type,
      properties: { ...properties, request_heartbeat: requestHeartbeat },
      required: [...required, "request_heartbeat"],
    },
  })),
];

let runtimes: TestRuntimes;

beforeAll(async () => {
  runtimes = await createTestRuntimes();
});
afterAll(() => runtimes.close());

async function toolsOffered(protocol: Protocol): Promise<unknown> {
  const model = createScriptedModel({ replies: [{ text: "Hello." }] });
  const runtime = await runtimes.open({ model: "scripted", models: [model], protocol });
  const agent = await runtime.agents.open(`pinned-${protocol}`, { create: {} });
  await drain(agent.send("Hello."));
  return model.requests[0]?.tools;
}

test("native offers these tools, in this order, with these descriptions", async () => {
  expect(await toolsOffered("native")).toEqual(native);
});

test("heartbeat offers send_message first, and request_heartbeat on every other tool", async () => {
  expect(await toolsOffered("heartbeat")).toEqual(heartbeat);
});
