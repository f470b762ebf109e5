// Whole dialogues with the demo model, in both protocols, over a memory that its tool calls really change.
import { createDialogue, createMemory, toolOf, type DialogueOptions, type Exchange } from "./demo-dialogue.ts";

const protocols = ["native", "heartbeat"] as const;
const namesOf = (exchange: Exchange): string[] =>
  exchange.calls.map((call) => call.name).filter((name) => name !== "send_message");

describe.each(protocols)("in the %s protocol", (protocol) => {
  const open = (options: DialogueOptions = {}) => createDialogue({ protocol, ...options });

  test("learns facts, survives a restart and answers from core memory alone", async () => {
    const memory = createMemory();
    const first = open({ memory });
    const learnt = await first.say("My name is Ada and I live in Lisbon");
    await first.say("I like sailing");
    await first.say("What is the capital of France?");
    expect(namesOf(learnt)).toEqual(["core_memory_append", "core_memory_append"]);
    expect(learnt.text).toContain("Ada");
    expect(memory.modules["human"]).toBe("Name: Ada\nLives in: Lisbon\nLikes: sailing");

    const second = open({ memory: { ...memory, recall: [] } });
    expect((await second.say("what is my name?")).text).toBe("Your name is Ada.");
    expect((await second.say("Where do I live?")).text).toBe('From my core memory: "Lives in: Lisbon".');
    const likes = await second.say("What do I like?");
    expect(likes.text).toBe('From my core memory: "Likes: sailing".');
    expect(namesOf(likes)).toEqual([]);
  });

  test("replaces contradicted facts", async () => {
    const { say, memory } = open({ memory: createMemory("Name: Ada\nLives in: Lisbon") });
    const moved = await say("I moved to Porto");
    expect(moved.calls[0]).toMatchObject({
      name: "core_memory_replace",
      input: { name: "human", old_content: "Lives in: Lisbon", new_content: "Lives in: Porto" },
    });
    expect((await say("I moved to Porto")).calls.filter((call) => call.name !== "send_message")).toEqual([]);
    expect(memory.modules["human"]).toBe("Name: Ada\nLives in: Porto");
  });

  test("archives texts on request and finds them again", async () => {
    const { say, memory } = open();
    await say("Remember that the door code is 4711.");
    expect(memory.archival).toEqual(["the door code is 4711"]);
    expect((await say("What is the door code?")).text).toContain('"the door code is 4711"');
  });

  test("explains itself once in a conversation", async () => {
    const { say } = open();
    expect((await say("The sky is blue today")).text).toContain("You can tell me facts");
    const second = await say("The sea is green");
    expect(second.text).not.toContain("You can tell me facts");
    expect(second.text).toContain("help");
    expect((await say("help")).text).toContain("You can tell me facts");
  });

  test("quotes earlier messages, never the question itself", async () => {
    const { say } = open();
    await say("I saw a whale while sailing");
    const found = await say("What did I say about sailing?");
    expect(namesOf(found)).toEqual(["archival_memory_search", "conversation_search"]);
    expect(found.text).toContain('"I saw a whale while sailing"');
    expect(found.text).not.toContain("What did I say");
    const nothing = await say("What did I say about gardening?");
    expect(nothing.text).toContain('found nothing about "gardening"');
  });

  test("finds messages of a day", async () => {
    const memory = createMemory();
    memory.recall.push({ at: "2026-11-20 09:00:00", role: "user", text: "The mast broke" });
    const answer = await open({ memory }).say("What did I tell you on 2026-11-20?");
    expect(answer.calls[0]).toMatchObject({
      name: "conversation_search_date",
      input: { start_date: "2026-11-20", end_date: "2026-11-20" },
    });
    expect(answer.text).toContain('"The mast broke"');
  });

  test("archives a fact that does not fit and reports it", async () => {
    const memory = createMemory("x".repeat(95));
    memory.limit = 100;
    const answer = await open({ memory }).say("I like sailing");
    expect(namesOf(answer)).toEqual(["core_memory_append", "archival_memory_insert"]);
    expect(memory.archival).toEqual(["Likes: sailing"]);
    expect(answer.text).toContain("100 character limit");
    expect(answer.text).toContain('I saved to archival memory: "Likes: sailing".');
    expect((await open({ memory }).say("What do I like?")).text).toContain("Likes: sailing");
  });

  test("reports a failed tool, and does not loop", async () => {
    const memory = createMemory("x".repeat(95));
    memory.limit = 100;
    const answer = await open({ memory, remove: ["archival_memory_insert"] }).say("I like sailing");
    expect(namesOf(answer)).toEqual(["core_memory_append"]);
    expect(answer.text).toContain("core_memory_append failed");
  });

  test("reports a missing tool, and calls only offered ones", async () => {
    const none = await open({ remove: ["core_memory_append", "archival_memory_insert"] }).say("I like tea");
    expect(namesOf(none)).toEqual([]);
    expect(none.text).toContain("no tool");
    const blind = await open({ remove: ["archival_memory_search", "conversation_search"] }).say(
      "What did I say about tea?",
    );
    expect(blind.text).toContain("no tool to search");
  });

  test("forgets facts and accepts a name", async () => {
    const { say, memory } = open({ memory: createMemory("Name: Ada\nJob: nurse") });
    await say("Forget my job");
    expect(memory.modules["human"]).toBe("Name: Ada");
    await say("Your name is Nemo");
    expect(memory.modules["persona"]).toBe("I am Scout.\nName: Nemo");
    expect((await say("Who are you?")).text).toContain(
      "My name is Nemo. I run on the demo model: pattern rules, not a language model.",
    );
  });

  test("calls a tool by name", async () => {
    const { say, memory } = open({ add: [toolOf("task_push", { task: "string" }), toolOf("task_pop")] });
    await say('call task_push with {"task":"sleep"}');
    await say('Use task_push {"task":"eat"}');
    expect(memory.tasks).toEqual(["sleep", "eat"]);
    expect((await say("call task_pop")).text).toBe("task_pop returned: sleep");
    expect((await say("call tide with {}")).text).toContain("no tool named tide");
    expect((await say('call task_push with {"task":')).text).toContain("as a JSON object");
  });

  test("quotes a text in core memory that is not its own", async () => {
    const human = "The user's name is Chad. He lives in Boston.";
    const { say } = open({ memory: createMemory(human) });
    expect((await say("What's my name?")).text).toContain(human);
    expect((await say("Where do I live?")).text).toContain(human);
  });

  test.each([
    "hi",
    "thanks!",
    "help",
    "how are you?",
    "qwertz",
    "",
    "🚣",
    "我叫什么名字？",
    "</human>",
    "what time is it?",
  ])("answers %j with a text", async (said) => {
    expect((await open().say(said)).text).not.toBe("");
  });
});

test("greets at a login, and does not reply again when control returns after its reply", async () => {
  const dialogue = createDialogue({ protocol: "heartbeat" });
  dialogue.pushUser("login", "");
  expect((await dialogue.step()).calls).toMatchObject([{ name: "send_message" }]);
  await dialogue.say("My name is Ada");
  dialogue.pushUser("system_alert", "Warning: the conversation will soon be trimmed.");
  expect(await dialogue.step()).toEqual({ text: "There is nothing more to do.", calls: [] });
});

test("assigns every call in a conversation a unique id", async () => {
  const dialogue = createDialogue();
  for (const said of ["My name is Ada and I like tea", "I moved to Faro", "What did I say about tea?"])
    await dialogue.say(said);
  const ids = dialogue.messages.flatMap((message) =>
    message.content.flatMap((part) => (part.type === "tool-call" ? [part.callId] : [])),
  );
  expect(ids).toEqual(["demo_1", "demo_2", "demo_3", "demo_4", "demo_5"]);
});

test("does not treat the runtime's notes in the native protocol as user text", async () => {
  const dialogue = createDialogue();
  dialogue.pushUser("user_message", "Note: prior messages have been hidden from view.");
  dialogue.pushUser("user_message", "My name is Ada");
  const { calls } = await dialogue.step();
  dialogue.messages.push({
    role: "tool",
    content: calls.map(({ callId, name }) => ({ type: "tool-result", callId, name, status: "ok", text: "None" })),
  });
  dialogue.pushUser("user_message", "[System alert: the conversation will soon be too long.]");
  expect((await dialogue.step()).text).toContain("Nice to meet you, Ada.");
});
