// What leaves the window of a message buffer: it becomes summaries, waits for them, or is counted as dropped.
import type { BufferedMessage } from "../../../src/context/buffer/buffered-message.ts";
import { MessageBuffer } from "../../../src/context/buffer/message-buffer.ts";
import type { RequestError } from "../../../src/base/errors.ts";

const range = (first: number, last: number): readonly string[] =>
  Array.from({ length: last - first + 1 }, (_, place) => `${first + place}`);

function fill(buffer: MessageBuffer, texts: readonly string[], user?: string): void {
  for (const text of texts) buffer.addMessage("user", text, user === undefined ? {} : { user_id: user });
}

const numbers = (messages: readonly BufferedMessage[]): string => messages.map(({ text }) => text).join(",");
const joining = async (messages: readonly BufferedMessage[]): Promise<string> => numbers(messages);

test("the fifty-first message of fifty moves the oldest ten into one summary", async () => {
  const buffer = new MessageBuffer({ summarizer: joining });
  fill(buffer, range(1, 50));
  expect(buffer.summaries).toEqual([]);
  fill(buffer, ["51"]);
  expect(buffer.length).toBe(41);
  await buffer.summarize();
  const first = buffer.summaries[0]!;
  expect(buffer.summaries).toHaveLength(1);
  expect(first).toMatchObject({ text: range(1, 10).join(","), user: null, messages: 10 });
  expect(first.from.getTime()).toBeLessThanOrEqual(first.through.getTime());
  expect(numbers(buffer.getMessages())).toBe(range(11, 51).join(","));
  expect(buffer.getFormattedMessages()[0]).toEqual({
    role: "system",
    content: `Previous conversation summary: ${range(1, 10).join(",")}`,
  });
  expect(buffer.getFormattedMessages()).toHaveLength(42);
});

test("a window of five summarizes messages that leave it, and keeps the five most recent", async () => {
  const buffer = new MessageBuffer({ size: 5, summarizer: joining });
  fill(buffer, range(0, 9));
  await buffer.summarize();
  expect(numbers(buffer.getMessages())).toBe("5,6,7,8,9");
  expect(buffer.getContext().summary).toBe("0\n1\n2\n3\n4");
  expect(buffer.dropped).toEqual({ messages: 0, summaries: 0 });
});

test("messages stay visible while their summary is generated", async () => {
  let finish = (_text: string): void => undefined;
  const summarizer = () => new Promise<string>((resolve) => (finish = resolve));
  const buffer = new MessageBuffer({ size: 2, summarizer });
  fill(buffer, ["1", "2", "3", "4"]);
  expect(numbers(buffer.getMessages())).toBe("3,4");
  expect(buffer.waiting).toBe(2);
  expect(numbers(buffer.getContext().messages)).toBe("1,2,3,4");
  expect((await buffer.search("1")).hits).toHaveLength(1);
  const done = buffer.summarize();
  finish("one");
  await new Promise((resolve) => setImmediate(resolve));
  expect(buffer.getContext()).toMatchObject({ summary: "one", messages: [{ text: "2" }, {}, {}] });
  finish("two");
  await done;
  expect(buffer.getContext()).toMatchObject({ summary: "one\ntwo", messages: [{ text: "3" }, { text: "4" }] });
  expect(buffer.waiting).toBe(0);
});

test("one batch is summarized at a time, and each once", async () => {
  const seen: string[] = [];
  let running = 0;
  const summarizer = async (messages: readonly BufferedMessage[]) => {
    running += 1;
    expect(running).toBe(1);
    await new Promise((resolve) => setImmediate(resolve));
    running -= 1;
    seen.push(numbers(messages));
    return "s";
  };
  const buffer = new MessageBuffer({ size: 4, batchSize: 2, summarizer });
  fill(buffer, range(1, 10));
  await Promise.all([buffer.summarize(), buffer.summarize()]);
  expect(seen).toEqual(["1,2", "3,4", "5,6"]);
});

describe("a summary", () => {
  test("covers one user: a batch of two users gives two", async () => {
    const buffer = new MessageBuffer({ size: 4, batchSize: 4, summarizer: joining });
    for (const user of ["ada", "ben", "ada"]) fill(buffer, [`of ${user}`], user);
    fill(buffer, ["of nobody", "last"]);
    await buffer.summarize();
    expect(buffer.summaries.map(({ user, text, messages }) => [user, text, messages])).toEqual([
      ["ada", "of ada,of ada", 2],
      ["ben", "of ben", 1],
      [null, "of nobody", 1],
    ]);
    expect(buffer.getContext({ user: "ada" }).summary).toBe("of ada,of ada");
    expect(buffer.getContext({ user: "eve" }).summary).toBeNull();
    expect(buffer.getContext({ metadata: { user_id: "ben" } }).summary).toBe("of ben");
    expect(buffer.getContext({ user: "ada", metadata: { user_id: "ben" } }).summary).toBeNull();
    expect(buffer.getContext({ metadata: { connection: "web" } }).summary).toBeNull();
    expect(buffer.getContext().summary).toBe("of ada,of ada\nof ben\nof nobody");
  });

  test("is kept until there are size × multiplier newer ones", async () => {
    const buffer = new MessageBuffer({ size: 2, multiplier: 2, summarizer: joining });
    for (const text of range(1, 8)) {
      fill(buffer, [text]);
      await buffer.summarize();
    }
    expect(buffer.getContext().summary).toBe("3\n4\n5\n6");
    expect(buffer.dropped).toEqual({ messages: 0, summaries: 2 });
  });
});

describe("a summarizer that fails", () => {
  const outage = new TypeError("No route to the model");

  test("loses nothing, is reported, and is retried with the next overflow", async () => {
    const failures: RequestError[] = [];
    let fails = true;
    const summarizer = async (messages: readonly BufferedMessage[]) =>
      fails ? Promise.reject(outage) : joining(messages);
    const buffer = new MessageBuffer({ size: 2, summarizer, onSummaryFailure: (error) => failures.push(error) });
    fill(buffer, ["1", "2", "3"]);
    await new Promise((resolve) => setImmediate(resolve));
    expect(failures).toMatchObject([{ code: "summary_failed", cause: outage }]);
    expect(buffer.summaryFailure).toBe(failures[0]);
    expect(numbers(buffer.getContext().messages)).toBe("1,2,3");
    expect(buffer.dropped).toEqual({ messages: 0, summaries: 0 });
    fails = false;
    fill(buffer, ["4"]);
    await buffer.summarize();
    expect(buffer.getContext().summary).toBe("1\n2");
    expect(buffer.summaryFailure).toBeNull();
  });

  test.each([
    [
      "throws at once",
      () => {
        throw outage;
      },
    ],
    ["rejects", async () => Promise.reject(outage)],
    ["gives nothing", async () => ""],
    ["gives blanks", async () => " \n"],
    ["gives no text", async () => undefined as unknown as string],
  ])("when it %s: `summarize` throws, and the messages wait", async (_, summarizer) => {
    const buffer = new MessageBuffer({ size: 1, summarizer });
    fill(buffer, ["1", "2"]);
    await expect(buffer.summarize()).rejects.toMatchObject({ code: "summary_failed" });
    expect(buffer.waiting).toBe(1);
    expect(numbers(buffer.getContext().messages)).toBe("1,2");
  });

  test("for one of two users keeps the whole batch, and generates no summary twice", async () => {
    const summarizer = async (messages: readonly BufferedMessage[]) =>
      messages[0]!.text === "of ben" && fails ? Promise.reject(outage) : joining(messages);
    let fails = true;
    const buffer = new MessageBuffer({ size: 2, batchSize: 2, summarizer });
    fill(buffer, ["of ada"], "ada");
    fill(buffer, ["of ben", "next"], "ben");
    await expect(buffer.summarize()).rejects.toMatchObject({ cause: outage });
    expect([buffer.summaries.length, buffer.waiting]).toEqual([0, 2]);
    fails = false;
    await buffer.summarize();
    expect(buffer.summaries.map(({ text }) => text)).toEqual(["of ada", "of ben"]);
  });

  test("permanently: as many messages wait as summaries would be kept, and dropped ones are counted", async () => {
    const buffer = new MessageBuffer({ size: 2, multiplier: 3, summarizer: async () => Promise.reject(outage) });
    fill(buffer, range(1, 20));
    await expect(buffer.summarize()).rejects.toMatchObject({ code: "summary_failed" });
    expect(numbers(buffer.getContext().messages)).toBe(range(13, 20).join(","));
    expect(buffer.dropped).toEqual({ messages: 12, summaries: 0 });
  });

  test("a summary that arrives after its messages were dropped still counts", async () => {
    let finish = (_text: string): void => undefined;
    const slow = () => new Promise<string>((resolve) => (finish = resolve));
    const buffer = new MessageBuffer({ size: 1, multiplier: 1, summarizer: slow });
    fill(buffer, ["1", "2"]);
    fill(buffer, ["3"]);
    expect(buffer.dropped.messages).toBe(1);
    finish("late");
    await new Promise((resolve) => setImmediate(resolve));
    expect(buffer.getContext().summary).toBe("late");
    expect(buffer.dropped.messages).toBe(0);
  });

  test("waiting messages are in the JSON, and are summarized after it is restored", async () => {
    const buffer = new MessageBuffer({ size: 2, summarizer: async () => Promise.reject(outage) });
    fill(buffer, ["1", "2", "3"]);
    const json = JSON.stringify(buffer);
    const idle = MessageBuffer.fromJSON(json);
    await idle.summarize();
    expect([idle.waiting, JSON.stringify(idle)]).toEqual([1, json]);
    const restored = MessageBuffer.fromJSON(json, { summarizer: joining });
    await restored.summarize();
    expect(restored.getContext()).toMatchObject({ summary: "1", messages: [{ text: "2" }, { text: "3" }] });
  });
});
