// `/btw` and `/copy`: an answer that is not stored, and a reply that is copied to the terminal's clipboard.
import { takesClipboard } from "../../src/surfaces/cli/chat/clipboard.ts";
import { checkRequest } from "../support/check-request.ts";
import { clipboardSequence, maxCopyBytes } from "../../src/surfaces/terminal/commands/last-reply.ts";
import { drain, lastOf, useRuntimes } from "../support/runtime.ts";
import { append, openScene, type Scene } from "../support/scene.ts";
import { typeLine } from "../support/typed-line.ts";
import { entriesOf } from "../support/state-text.ts";

const runtimes = useRuntimes();

/** All rows that an answer could have changed. */
async function standing({ runtime, agent, name }: Scene) {
  const opened = await runtime.agents.open(name, { conversation: { id: agent.conversationId } });
  return {
    messages: opened.messages,
    steps: await opened.steps(),
    branches: await opened.branches(),
    modules: await runtime.memory.show(name),
    passages: await runtime.archival.list(name),
    conversations: (await runtime.conversations.list(name)).length,
  };
}

const insert = { name: "archival_memory_insert", arguments: { content: "Ada asks." } };

describe("/btw", () => {
  test("answers from the window; messages, steps, memory and archive do not change, even if the model calls tools", async () => {
    const scene = await openScene(runtimes, [
      { toolCalls: [append("Sails")] },
      { text: "You sail." },
      { text: "Red.", toolCalls: [append("Likes red"), insert] },
      { text: "Going on." },
    ]);
    const { agent, model } = scene;
    await drain(agent.send("I sail a red boat"));
    const before = await standing(scene);
    const { text } = await typeLine("/btw Which colour?", scene);
    expect(text).toBe("\n● Red.\n· Outside the conversation: the question and the answer are not kept.");
    expect(await standing(scene)).toEqual(before);
    const request = model.requests[2]!;
    const question = expect.stringMatching(/^\[\w{3} [-\d]+ [:\d]+\] Which colour\?$/u);
    const [said, statement] = request.messages.at(-1)!.content;
    expect(said).toEqual({ type: "text", text: question });
    expect(statement?.type).toBe("state");
    expect(entriesOf(request).at(-1)).toContain("[System alert: the message before this is a side question.");
    expect(request.tools).toEqual(model.requests[1]!.tools);
    expect(request.system).toEqual(model.requests[1]!.system);
    expect((await lastOf(agent.send("Well"))).text).toBe("Going on.");
    expect(JSON.stringify(model.requests[3])).not.toMatch(/Which colour|side question|Red\./u);
    expect(model.requests.flatMap(checkRequest)).toEqual([]);
  });

  test("in the heartbeat protocol the answer may be a send_message call, which is not run", async () => {
    const say = (message: string) => ({ name: "send_message", arguments: { message } });
    const scene = await openScene(runtimes, [{ text: "Hm.", toolCalls: [say("Red.")] }, { text: "Blue." }], {
      protocol: "heartbeat",
    });
    const before = await standing(scene);
    expect((await typeLine("/btw Colour?", scene)).text).toContain("● Red.\n");
    expect((await typeLine("/btw Colour?", scene)).text).toContain("● Blue.\n");
    expect(await standing(scene)).toEqual(before);
  });

  test("also works while a turn runs", async () => {
    const scene = await openScene(runtimes, [{ text: "Hello.", delayMs: 300 }, { text: "Beside." }]);
    const turn = drain(scene.agent.send("Hi"));
    while (scene.model.requests.length < 1) await new Promise((resolve) => setTimeout(resolve, 5));
    expect((await typeLine("/btw And?", scene)).text).toContain("● Beside.");
    await turn;
    expect((await standing(scene)).messages.map(({ text }) => text)).toEqual(["Hi", "Hello."]);
  });

  test("reports why there is no answer", async () => {
    const scene = await openScene(runtimes, [{ toolCalls: [append("x")] }, {}], { contextWindow: 8000 });
    const refused = (line: string, said: string) => expect(typeLine(line, scene)).rejects.toThrow(said);
    await refused("/btw Colour?", "wanted to call core_memory_append, which was not run");
    await refused("/btw Colour?", "it said nothing");
    await refused(`/btw ${"word ".repeat(2e4)}`, "The question takes 2");
    await expect(typeLine("/btw Once more?", scene)).rejects.toMatchObject({ code: "model_request" });
    expect((await typeLine("/btw", scene)).text).toContain("Expected a question.");
    await expect(scene.agent.ask(" \n")).rejects.toMatchObject({ code: "input_invalid" });
    expect((await standing(scene)).messages).toEqual([]);
  });

  test("an interruption ends it", async () => {
    const scene = await openScene(runtimes, [{ text: "Late.", delayMs: 60_000 }]);
    const abort = new AbortController();
    const asked = scene.agent.ask("Colour?", { signal: abort.signal });
    const reason = new Error("Interrupted by the test.");
    setTimeout(() => abort.abort(reason), 20);
    await expect(asked).rejects.toBe(reason);
  });
});

describe("/copy", () => {
  const esc = String.fromCharCode(27);
  const bell = String.fromCharCode(7);
  const copied = (sequence: string) => {
    const [, base64] = sequence
      .replaceAll(esc, "<esc>")
      .replaceAll(bell, "<bell>")
      .match(/^<esc>\]52;c;(.*)<bell>$/u)!;
    return Buffer.from(base64!, "base64").toString("utf8");
  };

  test.each(["You sail 字🙂.", "</human>%_'", `${esc}]52;c;ZXZpbA==${bell}`, "two\nlines", "a".repeat(maxCopyBytes)])(
    "sends the last reply to the terminal unchanged (%#)",
    async (said) => {
      const scene = await openScene(runtimes, [{ text: said }]);
      await drain(scene.agent.send("Hi"));
      const written: string[] = [];
      const { text } = await typeLine("/copy", { ...scene, writeClipboard: (sequence) => void written.push(sequence) });
      expect(written.map(copied)).toEqual([said]);
      expect(text).toContain(`Sent the last reply to the terminal's clipboard: ${Array.from(said).length} character`);
    },
  );

  test("reports a terminal that does not allow it, and writes nothing", async () => {
    const scene = await openScene(runtimes, [{ text: `${"a".repeat(maxCopyBytes - 2)}字` }]);
    const written: string[] = [];
    const writeClipboard = (sequence: string) => void written.push(sequence);
    expect((await typeLine("/copy", { ...scene, writeClipboard })).text).toContain("There is no reply in the window");
    await drain(scene.agent.send("Hi"));
    expect((await typeLine("/copy", { ...scene, writeClipboard })).text).toContain("more than 74994 bytes");
    expect((await typeLine("/copy", scene)).text).toContain("does not allow clipboard writes");
    expect((await typeLine("/copy 2", { ...scene, writeClipboard })).text).toContain("/copy takes no argument.");
    expect(written).toEqual([]);
  });

  test("the sequence has at most 100,000 characters of base64", () => {
    expect(clipboardSequence("a".repeat(maxCopyBytes))).toHaveLength(99_992 + 8);
    expect(clipboardSequence("a".repeat(maxCopyBytes + 1))).toBeNull();
    expect(clipboardSequence("")).toBe(`${esc}]52;c;${bell}`);
  });

  test.each([
    [{ TERM: "xterm-256color" }, true],
    [{ TERM: "xterm-256color", TERM_PROGRAM: "Apple_Terminal" }, false],
    [{ TERM: "linux" }, false],
    [{ TERM: "dumb" }, false],
    [{ TERM: "screen.xterm" }, false],
    [{ TERM: "screen-256color", TMUX: "/tmp/tmux-1000/default,1,0" }, true],
    [{}, true],
  ])("a terminal of %j accepts it: %s", (variables, expected) => {
    expect(takesClipboard(variables)).toBe(expected);
  });
});
