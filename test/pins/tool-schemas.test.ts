// The default tools as sent to a model, exactly, in both protocols.
// Models were trained on these names and prompts contain them, so a change here changes behaviour.
// The expected values are literal; none is imported from src.
import type { Protocol } from "../../src/store/port/records.ts";
import { createScriptedModel } from "../../src/model/llm/scripted/scripted-model.ts";
import { drain, useRuntimes } from "../support/runtime.ts";

const section = { type: "string", enum: ["persona", "human"], description: "The section to edit." };
const page = { type: "integer", description: "Page of results, from 0." };
const hit = { type: "integer", description: "Number of a result to read in full." };
const part = { type: "integer", description: "With hit: which part of its text, from 0." };
const days = {
  start_date: { type: "string", description: "First day or minute: YYYY-MM-DD or YYYY-MM-DD HH:MM." },
  end_date: { type: "string", description: "Last day or minute: YYYY-MM-DD or YYYY-MM-DD HH:MM." },
};
const speaker = { type: "string", description: 'Only messages of "user", "you" or a name.' };
const limit = { type: "integer", description: "Results per page, 1 to 20 (default 5)." };
const neighbours = { type: "integer", description: "Messages to show before and after each result, 0 to 5." };
const query = { type: "string", description: "What to search for." };

const sendMessage = {
  name: "send_message",
  description: "Send a message to the user: the only text that the user sees.",
  parameters: {
    type: "object",
    properties: { message: { type: "string", description: "The text of the message." } },
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
        new_content: { type: "string", description: "The text to write instead; an empty one removes the old text." },
      },
      required: ["name", "old_content", "new_content"],
    },
  },
  {
    name: "core_memory_rewrite",
    description: "Write a whole section of core memory anew, to reorder or shorten it. What you leave out is removed.",
    parameters: {
      type: "object",
      properties: { name: section, content: { type: "string", description: "The complete new text of the section." } },
      required: ["name", "content"],
    },
  },
  {
    name: "conversation_search",
    description:
      'Search what was said, in all conversations, by words and meaning; in double quotes, an exact text. In results, "you" is yourself.',
    parameters: {
      type: "object",
      properties: {
        query,
        page,
        hit,
        part,
        ...days,
        speaker,
        order: {
          type: "string",
          description: "Default best; the others sort all results by time.",
          enum: ["best", "newest", "oldest"],
        },
        limit,
        neighbours,
      },
      required: ["query"],
    },
  },
  {
    name: "conversation_search_date",
    description: "List what was said in a span of time, in all conversations.",
    parameters: {
      type: "object",
      properties: {
        ...days,
        page,
        hit,
        part,
        order: {
          type: "string",
          description: "Default oldest; without a first day, newest.",
          enum: ["oldest", "newest"],
        },
        limit,
      },
      required: [],
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
        replaces: {
          type: "array",
          description: "Ids of passages that this one corrects or that are no longer true.",
          items: { type: "string", description: "One id." },
        },
      },
      required: ["content"],
    },
  },
  {
    name: "archival_memory_search",
    description: "Search archival memory and attached sources by words and meaning; in double quotes, an exact text.",
    parameters: {
      type: "object",
      properties: {
        query: {
          type: "string",
          description: "What to search for. Without it, all of these tags and days, newest first.",
        },
        page,
        hit,
        part,
        tags: {
          type: "array",
          description: "Only memories filed under these.",
          items: { type: "string", description: "One tag." },
        },
        tag_match_mode: {
          type: "string",
          enum: ["any", "all"],
          description: "Whether any of the tags must match (the default), or all.",
        },
        ...days,
        limit,
      },
      required: [],
    },
  },
  {
    name: "forget",
    description:
      "Remove texts for good from memory and all conversations, when the user asks you to forget something. The user sees the places and approves it; this turn goes with them.",
    parameters: {
      type: "object",
      properties: {
        texts: {
          type: "array",
          description: "Each wording of it. A word that is also used for something else is removed there, too.",
          items: { type: "string", description: "A name, number, phrase or sentence, exactly as it was written." },
        },
      },
      required: ["texts"],
    },
  },
];

const requestHeartbeat = {
  type: "boolean",
  description:
    "Whether to wake you again with the result of this call, so that you can go on: to answer, or to call another function.",
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

const runtimes = useRuntimes();

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
