// What the model replaced in memory links the user's messages: a search that finds the earlier one shows the later one before it, in
// whatever words it was said. The searches here compare words only, and the statements share none. On the engine at hand.
import { createRuntime } from "../../src/runtime/compose/compose.ts";
import {
  createScriptedModel,
  type ScriptedReply,
  type ScriptedToolCall,
} from "../../src/model/llm/scripted/scripted-model.ts";
import type { Agent } from "../../src/agent/agent.ts";
import type { Runtime } from "../../src/runtime/runtime.ts";
import { openTestStore, type TestStore } from "../support/database.ts";
import { drain } from "../support/runtime.ts";

let store: TestStore;
let runtime: Runtime;
let agent: Agent;
let name: string;
let next: readonly ScriptedReply[] = [];
let agents = 0;

beforeAll(async () => {
  store = await openTestStore();
  const { connection } = store;
  const model = createScriptedModel({
    replies: () => {
      const [reply = { text: "All right." }, ...rest] = next;
      next = rest;
      return reply;
    },
  });
  runtime = await createRuntime({
    ...(connection.kind === "server" ? { databaseUrl: connection.url } : { dataDir: connection.folder }),
    model: "scripted",
    models: [model],
    embedder: null,
    timeZone: "UTC",
    log: () => undefined,
  });
});

afterAll(async () => {
  await runtime.close();
  await store.close();
});

beforeEach(async () => {
  agents += 1;
  name = `agent-${agents}`;
  agent = await runtime.agents.open(name, { create: {} });
});

const volvo = "We drive an old green Volvo.";
const skoda = "Picked up the keys of my Skoda estate yesterday.";
const bikes = "Sold it, from now on there are only two bicycles.";

async function say(text: string, ...toolCalls: readonly ScriptedToolCall[]): Promise<void> {
  next = toolCalls.length === 0 ? [] : [{ text: "Noted.", toolCalls }];
  await drain(agent.send(text));
}

const append = (content: string) => ({ name: "core_memory_append", arguments: { name: "human", content } });
const replace = (oldContent: string, newContent: string) => ({
  name: "core_memory_replace",
  arguments: { name: "human", old_content: oldContent, new_content: newContent },
});

async function save(said: string, content: string, old?: string): Promise<void> {
  const listed = await runtime.archival.list(name);
  const replaces = listed.filter(({ text }) => text === old).map(({ id }) => id.slice(-8));
  await say(said, { name: "archival_memory_insert", arguments: { content, replaces } });
}

/** The lines of the results, in a new conversation, each as the statement that it shows. */
async function found(query: string, more: object = {}): Promise<readonly string[]> {
  const opened = await runtime.agents.open(name, { conversation: "new" });
  next = [{ toolCalls: [{ name: "conversation_search", arguments: { query, ...more } }] }];
  const events = await drain(opened.send("Search."));
  const result = events.find((event) => event.type === "tool-result");
  const lines = result?.text.split("\n") ?? [];
  return lines.flatMap((line) => {
    const said = [volvo, skoda, bikes].find((text) => line.endsWith(`: ${text}`));
    return said === undefined ? [] : [line.includes("said earlier:") ? `earlier: ${said}` : said];
  });
}

const links = async (): Promise<number> => {
  const rows = await store.ownerRows<{ readonly count: number }>(
    "select count(*)::int as count from later_statements l join messages m on m.id = l.earlier_id where m.agent_id::text = $1",
    [agent.record.id],
  );
  return rows[0]!.count;
};

async function sayInCore(): Promise<void> {
  await say(volvo, append("Drives a green Volvo"));
  await say("How are you?");
  await say(skoda, replace("green Volvo", "Skoda estate"));
}

describe("a search shows the later statement first", () => {
  it("after an edit of core memory", async () => {
    await sayInCore();
    expect(await found("green Volvo")).toEqual([skoda, `earlier: ${volvo}`]);
  });

  it("after a passage was replaced", async () => {
    await save(volvo, "The user's car is a green Volvo.");
    await save(skoda, "The user now has a Skoda estate.", "The user's car is a green Volvo.");
    expect(await found("green Volvo")).toEqual([skoda, `earlier: ${volvo}`]);
  });

  it("over several edits, of either memory", async () => {
    await sayInCore();
    await say(bikes, replace("Drives a Skoda estate", "Has two bicycles"));
    expect(await found("green Volvo")).toEqual([bikes, `earlier: ${volvo}`]);
    expect(await found("Skoda estate")).toEqual([bikes, `earlier: ${skoda}`]);
    expect(await found("Volvo Skoda")).toEqual([bikes, `earlier: ${skoda}`, `earlier: ${volvo}`]);
  });

  it("only within the filters of the search", async () => {
    await sayInCore();
    expect(await found("green Volvo", { end_date: "2020-01-01" })).toEqual([]);
    expect(await found("green Volvo", { speaker: "you" })).toEqual([]);
  });

  it("of the agent's own, when several agents edit one module", async () => {
    const other = await runtime.agents.open(`${name}-other`, { create: {} });
    const { id } = await runtime.modules.create({ label: "cars", value: "" });
    for (const each of [name, `${name}-other`]) await runtime.modules.attach(each, id);
    await say(volvo, { name: "core_memory_append", arguments: { name: "cars", content: "green Volvo" } });
    next = [
      {
        text: "Noted.",
        toolCalls: [
          {
            name: "core_memory_replace",
            arguments: { name: "cars", old_content: "green Volvo", new_content: "Skoda estate" },
          },
        ],
      },
    ];
    await drain(other.send(skoda));
    expect(await links()).toBe(1);
    expect(await found("green Volvo")).toEqual([volvo]);
  });
});

describe("an edit links nothing if it", () => {
  it.each([
    ["extends the line", "Drives a green Volvo with a Skoda estate key"],
    ["rewords it", "Drives a car: green"],
    ["moves it", "\nDrives a green Volvo"],
    ["removes it", ""],
  ])("%s", async (_, text) => {
    await say(volvo, append("Drives a green Volvo"));
    await say(skoda, replace("Drives a green Volvo", text));
    expect(await links()).toBe(0);
  });

  it("is of a line that the earlier message did not say", async () => {
    await say(volvo, append("Drives a green Volvo"));
    await say("How are you?", append("Sleeps late"));
    await say(skoda, replace("Sleeps late", "Skoda estate"));
    expect(await links()).toBe(0);
  });
});

describe("a link ends", () => {
  beforeEach(sayInCore);

  it("when the edit is undone", async () => {
    await runtime.memory.undo(name, "human");
    expect(await links()).toBe(0);
    expect(await found("green Volvo")).toEqual([volvo]);
  });

  it("when the turn is taken back, and the line is linked again to what replaces it then", async () => {
    await agent.pop(3);
    expect(await links()).toBe(0);
    expect(await found("green Volvo")).toEqual([volvo]);
    await say(bikes, replace("Drives a green Volvo", "Has two bicycles"));
    expect(await found("green Volvo")).toEqual([bikes, `earlier: ${volvo}`]);
  });

  it("for searches while its message is on another branch", async () => {
    await agent.pop(3, { memory: "keep" });
    expect(await links()).toBe(1);
    expect(await found("green Volvo")).toEqual([volvo]);
  });

  it.each([volvo, skoda])("when a message is forgotten: %s", async (text) => {
    const message = agent.messages.find((one) => JSON.stringify(one.content).includes(text));
    await runtime.forget.apply({ messages: [message!.id] });
    expect(await links()).toBe(0);
  });

  it("with the conversation", async () => {
    await runtime.conversations.delete(agent.conversationId);
    const [row] = await store.ownerRows<{ readonly count: number }>(
      "select count(*)::int as count from later_statements l where not exists (select from messages m where m.id = l.earlier_id)",
    );
    expect([await links(), row!.count]).toEqual([0, 0]);
  });
});

describe("a link of passages", () => {
  const [first, second, third] = [
    "The user's car is a green Volvo.",
    "The user has a Skoda estate.",
    "No car, two bicycles.",
  ];

  beforeEach(async () => {
    await save(volvo, first!);
    await save(skoda, second!, first);
  });

  const remove = async (text: string): Promise<void> => {
    const [passage] = (await runtime.archival.list(name)).filter((one) => one.text === text);
    await runtime.archival.delete(name, passage!.id);
  };

  it("leads past a passage that is deleted", async () => {
    await save(bikes, third!, second);
    await remove(second!);
    expect(await links()).toBe(1);
    expect(await found("green Volvo")).toEqual([bikes, `earlier: ${volvo}`]);
  });

  it("ends when the replacement is deleted", async () => {
    await remove(second!);
    expect(await links()).toBe(0);
  });

  it("is made again of an agent file, in which those of core memory are lost", async () => {
    await say("My sister is called Ida.", append("Sister: Ida"));
    await say("She changed it to Ina.", replace("Ida", "Ina"));
    expect(await links()).toBe(2);
    const file = await runtime.agents.export(name);
    await runtime.agents.import({ ...file }, { name: `${name}-again` });
    name = `${name}-again`;
    agent = await runtime.agents.open(name);
    expect(await links()).toBe(1);
    expect(await found("green Volvo")).toEqual([skoda, `earlier: ${volvo}`]);
  });

  it("ends when the text is saved again", async () => {
    await save("Bought the old one back.", first!);
    expect(await links()).toBe(0);
  });
});
