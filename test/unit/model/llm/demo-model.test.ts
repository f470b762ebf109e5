// The demo model as a Model: streaming, usage, interruption, and any input whatever.
import fc from "fast-check";
import { createDemoModel } from "../../../../src/model/llm/demo/demo-model.ts";
import type { ModelRequest } from "../../../../src/model/llm/model.ts";
import { codePointLength } from "../../../../src/base/code-points.ts";
import { collect, createDialogue, createMemory, renderMemory, toolOf } from "./demo-dialogue.ts";

const requestOf = (said: string, over: Partial<ModelRequest> = {}): ModelRequest => ({
  system: { instructions: "You are an agent.", memory: renderMemory(createMemory("Name: Ada")) },
  messages: [{ role: "user", content: [{ type: "text", text: said }] }],
  tools: [],
  maxOutputTokens: 1000,
  ...over,
});

const textOf = (events: Awaited<ReturnType<typeof collect>>): string =>
  events.map((event) => (event.type === "text-delta" ? event.text : "")).join("");

describe("the stream", () => {
  test("has a delta for each word and one end with an estimated usage", async () => {
    const events = await collect(requestOf("What is my name?"));
    expect(events.slice(0, -1)).toEqual(
      ["Your ", "name ", "is ", "Ada."].map((text) => ({ type: "text-delta", text })),
    );
    expect(events.at(-1)).toEqual({
      type: "end",
      stopReason: "end",
      usage: { inputTokens: expect.any(Number), outputTokens: 5, cachedInputTokens: 0 },
    });
  });

  test("counts everything that is sent, including state entries", async () => {
    const inputTokens = async (state = ""): Promise<number> => {
      const request = requestOf("What is my name?");
      const entry = { role: "user", content: [{ type: "state", text: state }] } as const;
      const events = await collect({ ...request, messages: [...request.messages, entry] });
      const end = events.at(-1);
      return end?.type === "end" ? end.usage.inputTokens : Number.NaN;
    };
    expect((await inputTokens("a".repeat(400))) - (await inputTokens())).toBe(100);
  });

  test("ends with `tool-calls` after calls", async () => {
    const events = await collect(
      requestOf("I like tea", { tools: [toolOf("core_memory_append", { name: "string", content: "string" })] }),
    );
    expect(events.map(({ type }) => type)).toEqual(["tool-call", "end"]);
    expect(events.at(-1)).toMatchObject({ stopReason: "tool-calls" });
  });

  test("is truncated at the maximum tokens", async () => {
    const events = await collect(requestOf("help", { maxOutputTokens: 5 }));
    expect(textOf(events).length).toBeLessThanOrEqual(20);
    expect(events.at(-1)).toMatchObject({ stopReason: "length" });
  });

  test("stops with the signal's reason, also between two words", async () => {
    const controller = new AbortController();
    const reason = new RangeError("enough");
    const stream = createDemoModel().stream(requestOf("help"), { signal: controller.signal })[Symbol.asyncIterator]();
    await stream.next();
    controller.abort(reason);
    await expect(stream.next()).rejects.toBe(reason);
  });

  test("has a name and a window", () => {
    expect(createDemoModel()).toMatchObject({ name: "demo", contextWindow: 32_768 });
    expect(createDemoModel({ contextWindow: 8192 }).contextWindow).toBe(8192);
  });
});

describe("a summary", () => {
  const transcript = [
    "user: My name is Ada and my locker code is 4711.",
    "assistant: That is lovely to hear.",
    "user: well, whatever then.",
    "user: I moved to Lisbon on 2026-11-20. What is up?",
    "assistant: The invoice INV-2231 was paid by Globex.",
  ].join("\n");
  const summaryRequest = (text: string, maxOutputTokens = 500): ModelRequest =>
    requestOf(text, { system: { instructions: "You summarize a conversation.", memory: "" }, maxOutputTokens });

  test("keeps names, numbers, identifiers and first-person facts verbatim and in order", async () => {
    const summary = textOf(await collect(summaryRequest(transcript)));
    expect(summary.split("\n")).toEqual([
      "user: My name is Ada and my locker code is 4711.",
      "user: I moved to Lisbon on 2026-11-20.",
      "assistant: The invoice INV-2231 was paid by Globex.",
    ]);
  });

  test("leaves out results of memory searches, and keeps those of other tools", async () => {
    const lines = [
      "user: The number of my boiler is QW-4103-A7.",
      "tool: [conversation_search returned: Results 1–2 of 2.\n  [1] Fri 2026-11-20 09:00, user: I live in Lisbon.\n  [2] Fri 2026-11-20 09:01, user: I have 3 boats.]",
      "tool: [weather returned: My station 7 measured 21 degrees.]",
    ];
    const summary = textOf(await collect(summaryRequest(lines.join("\n"))));
    expect(summary.split("\n")).toEqual([lines[0], lines[2]]);
  });

  test("judges what is said, not when, and keeps what is said again once", async () => {
    const lines = Array.from({ length: 40 }, (_, at) => `user, Mon 2026-01-05 09:${at + 10}: I slept 5 hours.`);
    const told = "user, Mon 2026-01-05 11:02: The number of my boiler is QW-4103-A7.";
    const chatter = "user, Mon 2026-01-05 11:03: The stairs are steep.";
    const summary = textOf(await collect(summaryRequest([...lines, told, chatter].join("\n"), 60)));
    expect(summary.split("\n")).toEqual([lines[0], told]);
  });

  test("includes an earlier summary without the runtime's own lines", async () => {
    const earlier =
      'Earlier summary: user: My name is Ada.\n\nIn the earlier summary, and to be kept unless out of date or to be forgotten: my-1, my-2\n\nassistant: [called core_memory_append {"name":"human"}]\nuser: {"type":"login","time":"2026-11-20"}';
    expect(textOf(await collect(summaryRequest(earlier)))).toBe("user: My name is Ada.");
  });

  test("stays within the maximum tokens, however long the transcript", async () => {
    const long = Array.from({ length: 20_000 }, (_, index) => `user: I paid ${index} to Globex 日本.`).join("\n");
    const events = await collect(summaryRequest(long, 100));
    expect(textOf(events).length).toBeGreaterThan(50);
    expect(textOf(events).length).toBeLessThanOrEqual(400);
    expect(events.at(-1)).toMatchObject({ stopReason: "end" });
  });

  test("is never empty", async () => {
    expect(textOf(await collect(summaryRequest("")))).not.toBe("");
  });
});

describe("unusual input", () => {
  test.each([
    ["a million letters", "a".repeat(1_000_000)],
    ["spaces", `I like${" ".repeat(500_000)}tea`],
    ["commas", "I like a, ".repeat(100_000)],
    ["conjunctions", "I and my ".repeat(100_000)],
    ["openings", "hello, ".repeat(100_000)],
    ["dates", "2026-11-20 ".repeat(50_000)],
    ["apostrophes", "my dog's ".repeat(100_000)],
    ["question marks", "?".repeat(1_000_000)],
    ["lone surrogates", "\ud800\udc00\ud800 I like \udc00"],
    ["a closing tag", '</human><human characters="1/2">\n'],
  ])("is answered with a text or calls: %s", async (_title, said) => {
    const events = await collect(
      requestOf(said, { tools: [toolOf("core_memory_append", { name: "string", content: "string" })] }),
    );
    expect(events.length).toBeGreaterThan(1);
  });

  const phrase = fc.oneof(
    fc.string({ unit: "binary", maxLength: 40 }),
    fc.constantFrom(
      "I like ",
      "my name is ",
      " and ",
      ", ",
      "?",
      ". ",
      "forget ",
      "remember that ",
      "what did I say about ",
      "I moved to ",
      "your name is ",
      "call task_push with ",
      "{",
      "on 2026-11-20",
      "yesterday",
      "\ud83d",
      "</human>",
      "Likes: ",
      "\n",
      "my dog's name is ",
      "I no longer like ",
      "everything",
      "my job",
    ),
  );
  const said = fc.array(phrase, { maxLength: 12 }).map((parts) => parts.join(""));

  test.each(["native", "heartbeat"] as const)(
    "never throws, always ends and is deterministic in %s",
    async (protocol) => {
      const dialogues = fc.array(said, { minLength: 1, maxLength: 3 });
      await fc.assert(
        fc.asyncProperty(
          dialogues,
          fc.string({ maxLength: 60 }),
          fc.integer({ min: 20, max: 300 }),
          async (texts, human, limit) => {
            const play = async (): Promise<unknown> => {
              const memory = createMemory(human);
              memory.limit = limit;
              const dialogue = createDialogue({ protocol, memory, add: [toolOf("task_push", { task: "string" })] });
              const answers = [];
              for (const text of texts) answers.push(await dialogue.say(text));
              expect(answers.every(({ text }) => text !== "")).toBe(true);
              return { answers, memory, messages: dialogue.messages };
            };
            expect(await play()).toEqual(await play());
          },
        ),
        { numRuns: 150 },
      );
    },
  );

  test("any tool result is accepted", async () => {
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: "binary" }), async (result) => {
        const dialogue = createDialogue();
        dialogue.pushUser("user_message", "What did I say about tea?");
        const { calls } = await dialogue.step();
        for (const { callId, name } of calls) {
          const text = `Result 1 of 1.\n[1] Fri 2026-11-20 09:00, user: ${result}`;
          dialogue.messages.push({
            role: "tool",
            content: [{ type: "tool-result", callId, name, status: "ok", text }],
          });
        }
        expect((await dialogue.step()).text).not.toBe("");
      }),
    );
  });
});

test("a reply quotes at most 300 characters of an item", async () => {
  const memory = createMemory();
  memory.archival.push(`whale ${"x".repeat(5000)}`);
  expect(codePointLength((await createDialogue({ memory }).say("What is a whale?")).text)).toBeLessThan(400);
});

test("changed modules are read from state entries", async () => {
  const text = '<current_state>\n<human characters="9/2000">\nName: Eve\n</human>\n</current_state>';
  const request = requestOf("What is my name?");
  const messages = request.messages.map((message) => ({
    ...message,
    content: [...message.content, { type: "state", text } as const],
  }));
  expect(textOf(await collect({ ...request, messages }))).toBe("Your name is Eve.");
});

test("a fact that core memory already contains is named in the reply", async () => {
  const tools = [toolOf("core_memory_append", { name: "string", content: "string" })];
  expect(textOf(await collect(requestOf("My name is Ada.", { tools })))).toBe("I know that already: Ada.");
});
