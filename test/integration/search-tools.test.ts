// What the search tools return to the model: order, filters, pages and single results, on stored conversations.
import { createScriptedModel } from "../../src/model/llm/scripted/scripted-model.ts";
import type { ImportedMessage } from "../../src/runtime/conversations/contract.ts";
import { drain, useRuntimes } from "../support/runtime.ts";

const runtimes = useRuntimes();

const at = (day: number, minute = 0) => new Date(Date.UTC(2026, 4, day, 10, minute));
const user = (text: string, time: Date): ImportedMessage => ({ role: "user", text, at: time });
const agent = (text: string, time: Date): ImportedMessage => ({ role: "assistant", text, at: time });

let number = 0;

/** Returns the results of one search after the other, in a turn of a new conversation. */
async function searches(
  talks: readonly (readonly ImportedMessage[])[],
  calls: readonly (Readonly<Record<string, unknown>> & { readonly tool?: string })[],
): Promise<readonly string[]> {
  number += 1;
  const toolCalls = calls.map(({ tool = "conversation_search", ...args }) => ({ name: tool, arguments: args }));
  const model = createScriptedModel({ replies: [{ toolCalls }, { text: "Done." }] });
  const runtime = await runtimes.open({
    userId: `searcher ${number}`,
    model: "scripted",
    models: [model],
    embedder: null,
  });
  await runtime.agents.create({ name: "main" });
  for (const [index, messages] of talks.entries()) {
    await runtime.conversations.import("main", { title: `Talk ${index + 1}`, messages });
  }
  const opened = await runtime.agents.open("main", { conversation: "new" });
  const events = await drain(opened.send("Look it up."));
  return events.filter((event) => event.type === "tool-result").map(({ text }) => text);
}

const linesOf = (result: string | undefined): readonly string[] => (result ?? "").split("\n").slice(1, -1);

const peanuts = [
  user("I am allergic to peanuts.", at(1)),
  user("What am I allergic to?", at(3)),
  agent("You are allergic to peanuts.", at(3, 1)),
  user("It turns out that I am not allergic to peanuts, but to hazelnuts.", at(5)),
];

test("of a fact that changed the newest statement is first, then the older one; old questions are last", async () => {
  const [result] = await searches([peanuts], [{ query: "allergic peanuts" }]);
  expect(result?.split("\n")[0]).toBe("Results 1–4 of 4, best first, last page.");
  expect(linesOf(result)).toEqual([
    '[1] Tue 2026-05-05 10:00, conversation "Talk 1", user, external: It turns out that I am not allergic to peanuts, but to hazelnuts.',
    '  [2] said earlier: Fri 2026-05-01 10:00, conversation "Talk 1", user, external: I am allergic to peanuts.',
    '  [3] your answer: Sun 2026-05-03 10:01, conversation "Talk 1", you, external: You are allergic to peanuts.',
    '[4] Sun 2026-05-03 10:00, conversation "Talk 1", user, external: What am I allergic to?',
  ]);
});

test("a later statement that shares only the old value with a fact is found, first, and the fact refers to it", async () => {
  const facts = [
    user("My manager at work is Brigitte.", at(1)),
    user("The manager of the pool was friendly.", at(2)),
    user("Brigitte left on Friday. I report to Tomasz from now on.", at(5)),
    user("My manager has a dog?", at(6)),
  ];
  const query = "Who is my manager at work?";
  const [page, second, mine] = await searches(
    [facts],
    [{ query }, { query, limit: 1, page: 1 }, { query, speaker: "you" }],
  );
  expect(linesOf(page)).toEqual([
    expect.stringMatching(/^\[1\] Tue 2026-05-05 .*: Brigitte left on Friday\. I report to Tomasz from now on\.$/u),
    expect.stringMatching(/^ {2}\[2\] said earlier: Fri 2026-05-01 .*: My manager at work is Brigitte\.$/u),
    expect.stringMatching(/^\[3\] Sat 2026-05-02 .*: The manager of the pool was friendly\.$/u),
    expect.stringMatching(/^\[4\] Wed 2026-05-06 .*: My manager has a dog\?$/u),
  ]);
  expect(linesOf(second)).toEqual([
    expect.stringMatching(/^\[2\] Fri 2026-05-01 .*: My manager at work is Brigitte\.$/u),
    expect.stringMatching(/^ {4}said later, \[1\]: Tue 2026-05-05 .*: Brigitte left/u),
  ]);
  expect(mine).toBe("No results found.");
});

test("of passages on one subject the newest is first", async () => {
  const tool = "archival_memory_insert";
  const saved = ["The manager is Brigitte.", "The pool is closed.", "Brigitte left; reports go to Tomasz."];
  const results = await searches(
    [],
    [...saved.map((content) => ({ tool, content })), { tool: "archival_memory_search", query: "Who is the manager?" }],
  );
  expect(linesOf(results[3])).toEqual([
    expect.stringMatching(/Tomasz/u),
    expect.stringMatching(/^ {2}\[2\] saved earlier: .*Brigitte\.$/u),
  ]);
});

test("passages that share only the year of a date are on different subjects", async () => {
  const tool = "archival_memory_insert";
  const saved = [
    "Car: an old blue Volvo 240, plate KLM 482. Next inspection: April 2027.",
    "Lease of the flat: 24 months from 2027-01-01.",
    "Physio appointment: 2027-01-14, room 204.",
  ];
  const search = { tool: "archival_memory_search", query: "car plate inspection" };
  const results = await searches([], [...saved.map((content) => ({ tool, content })), search]);
  expect(linesOf(results[3])).toEqual([expect.stringMatching(/^\[1\] .*Volvo/u)]);
});

const chatter = Array.from({ length: 25 }, (_, index) => user(`Boat number ${index} has sails.`, at(1, index)));

test("by time, all results are sorted, also those that rank behind the first 20", async () => {
  const talk = [
    ...chatter,
    user("A boat without a name, and without sails: this one is the newest of all that float.", at(9)),
  ];
  const [newest, oldest] = await searches(
    [talk],
    [
      { query: "boat sails", order: "newest" },
      { query: "boat sails", order: "oldest" },
    ],
  );
  expect(linesOf(newest)[0]).toContain("the newest of all");
  expect(linesOf(oldest)[0]).toContain("Boat number 0 has sails.");
});

test("the pages of any size are the same list, and each result is read by its number", async () => {
  const query = "boat sails";
  const asked = [
    ...[0, 1, 2, 3, 4, 5].map((page) => ({ query, page })),
    ...[0, 1, 2, 3, 4].map((page) => ({ query, page, limit: 7 })),
    { query, hit: 22 },
    { query, hit: 22, limit: 7 },
    { query, hit: 26 },
  ];
  const results = await searches([chatter], asked);
  const texts = (from: number, to: number) =>
    results
      .slice(from, to)
      .flatMap((page) => linesOf(page).map((line) => /^ {0,2}\[(\d+)\].*: (.*)$/u.exec(line)?.slice(1)))
      .filter((found) => found !== undefined);
  const byFive = texts(0, 6);
  expect(byFive).toHaveLength(25);
  expect(byFive.map(([place]) => Number(place))).toEqual(Array.from({ length: 25 }, (_, index) => index + 1));
  expect(new Set(byFive.map(([, text]) => text)).size).toBe(25);
  expect(texts(6, 11)).toEqual(byFive);
  expect(results[5]).toBe("No results found.");
  for (const read of results.slice(11, 13)) {
    expect(read).toMatch(/^Result 22 of 25\. Fri 2026-05-01 10:\d\d, conversation "Talk 1", user, external:\n> Boat/u);
    expect(read).toContain(`> ${byFive[21]?.[1]}\n`);
  }
  expect(results[13]).toBe("There is no result 26: the number of results is 25.");
});

test("each search takes the number of results on a page", async () => {
  const saved = ["The red boat.", "The blue boat.", "The green boat."];
  const insert = { tool: "archival_memory_insert" };
  const [archive, last] = (
    await searches(
      [],
      [
        ...saved.map((content) => ({ ...insert, content })),
        { tool: "archival_memory_search", query: "boat", limit: 2 },
        { tool: "archival_memory_search", query: "boat", limit: 2, hit: 3 },
      ],
    )
  ).slice(3);
  expect(archive).toMatch(/^Results 1–2 of 3, best first, next page: 1\./u);
  expect(last).toMatch(/^Result 3 of 3\. .*\n> The \w+ boat\.\n/u);
  const tool = "conversation_search_date";
  const [day] = await searches([peanuts], [{ tool, end_date: "2026-05-05", limit: 3 }]);
  expect(day).toMatch(/^Results 1–3 of 4, /u);
});

test("a long text is an excerpt around the match, and can be read in parts", async () => {
  const long = `${"word ".repeat(1500)}the zebra crossed\nthe river ${"tail ".repeat(400)}`;
  const [page, first, second, third] = await searches(
    [[user(long, at(1)), user("A zebra.", at(2))]],
    [
      { query: "zebra", order: "newest" },
      { query: "zebra", order: "newest", hit: 2 },
      { query: "zebra", order: "newest", hit: 2, part: 1 },
      { query: "zebra", order: "newest", hit: 2, part: 9 },
    ],
  );
  const [shorter, longer] = linesOf(page);
  expect(shorter).toMatch(/: A zebra\.$/u);
  expect(longer).toMatch(/^\[2\] .*: ….*the zebra crossed the river.*…$/u);
  expect(longer?.length).toBeLessThan(500);
  expect(first).toMatch(/^Result 2 of 2, part 0 of 0 to 2\. /u);
  expect(second).toContain("the zebra crossed\n> the river");
  expect(third).toBe("Result 2 has no part 9: its parts are 0 to 2.");
});

test("whole results are left out of a page that is too long, with their numbers", async () => {
  const talk = Array.from({ length: 20 }, (_, index) =>
    user(`Whale ${index}: ${"deep sea ".repeat(100)}`, at(1, index)),
  );
  const [page] = await searches([talk], [{ query: "whale", limit: 20 }]);
  const lines = linesOf(page);
  const shown = lines.filter((line) => /^ {0,2}\[/u.test(line));
  expect(shown.length).toBeGreaterThan(5);
  expect(shown.every((line) => line.endsWith("…"))).toBe(true);
  expect(lines.at(-1)).toBe(
    `(${shown.length + 1} to 20 are left out for length: read one with hit, or use a smaller limit.)`,
  );
});

const mixed = [
  user("I painted the boat red.", at(1)),
  agent("A red boat is easy to see.", at(1, 1)),
  { role: "user", speaker: "Ben", text: "My boat is green.", at: at(2) } as const,
  user("The boat is blue now.", at(3)),
];

test("a search is narrowed to days and minutes, and to a speaker", async () => {
  const asked = [
    { speaker: "you" },
    { speaker: "user" },
    { speaker: "ben" },
    { speaker: "Nobody" },
    { start_date: "2026-05-02" },
    { start_date: "2026-05-01 10:01", end_date: "2026-05-02T10:00" },
    { end_date: "2026-05-01 09:59" },
    { end_date: null, speaker: "none" },
  ].map((narrowed) => ({ query: "boat", order: "oldest", ...narrowed }));
  const results = await searches([mixed], asked);
  const texts = results.map((result) => linesOf(result).map((line) => line.replace(/^.*?: /u, "")));
  const [painted, easy, green, blue] = mixed.map(({ text }) => text);
  expect(texts).toEqual([
    [easy],
    [painted, green, blue],
    [green],
    [],
    [green, blue],
    [easy, green],
    [],
    [painted, easy, green, blue],
  ]);
});

test("results are sorted by time on request, also those of a literal query", async () => {
  const orders = ["newest", "oldest"];
  const results = await searches(
    [mixed],
    ["boat", '"boat"'].flatMap((query) => orders.map((order) => ({ query, order, limit: 2 }))),
  );
  const days = results.map((result) => [
    result.split("\n")[0],
    linesOf(result).map((line) => /2026-05-(\d\d) (\d\d:\d\d)/u.exec(line)?.slice(1).join(" ")),
  ]);
  const newest = ["Results 1–2 of 4, newest first, next page: 1.", ["03 10:00", "02 10:00"]];
  const oldest = ["Results 1–2 of 4, oldest first, next page: 1.", ["01 10:00", "01 10:01"]];
  expect(days).toEqual([newest, oldest, newest, oldest]);
});

test("a search by date needs no dates: it begins with the newest message, or the first of a given day", async () => {
  const tool = "conversation_search_date";
  const results = await searches(
    [mixed],
    [
      { tool },
      { tool, start_date: "2026-05-01" },
      { tool, end_date: "2026-05-02" },
      { tool, end_date: "2026-05-02", order: "oldest" },
      { tool, hit: 3, start_date: "2026-05-01" },
    ],
  );
  const texts = results.map((result) => linesOf(result).map((line) => line.replace(/^.*?: /u, "")));
  const said = mixed.map(({ text }) => text);
  expect(texts.slice(0, 4)).toEqual([said.toReversed(), said, said.slice(0, 3).toReversed(), said.slice(0, 3)]);
  expect(results[4]).toMatch(
    /^Result 3 of 4\. Sat 2026-05-02 10:00, conversation "Talk 1", Ben, external:\n> My boat is green\./u,
  );
});

test.each([
  [{ limit: 21 }, "'limit' argument must be an integer from 1 to 20."],
  [{ limit: 0 }, "'limit' argument must be an integer from 1 to 20."],
  [{ hit: 0 }, "'hit' argument must be an integer, 1 or more."],
  [{ order: "random" }, "'order' argument must be one of best, newest, oldest."],
  [{ speaker: 3 }, "'speaker' argument must be a text."],
  [
    { start_date: "yesterday" },
    'Expected a day of the years 1 to 9999 as YYYY-MM-DD, or with a time as YYYY-MM-DD HH:MM, got "yesterday".',
  ],
  [
    { start_date: "2026-05-01 24:00" },
    'Expected a day of the years 1 to 9999 as YYYY-MM-DD, or with a time as YYYY-MM-DD HH:MM, got "2026-05-01 24:00".',
  ],
])("%j is refused with what is expected", async (narrowed, message) => {
  expect(await searches([], [{ query: "boat", ...narrowed }])).toEqual([message]);
});

test("the open conversation is named as such, other ones by title or first words; what is in view is not repeated", async () => {
  const search = (query: string) => ({ toolCalls: [{ name: "conversation_search", arguments: { query } }] });
  const pasted = `The harbour is crowded. ${"Many boats wait outside. ".repeat(20)}`;
  const model = createScriptedModel({
    replies: [
      { text: "Noted." },
      { text: "Noted, too." },
      search("harbour"),
      { text: "Done." },
      { text: "Earlier summary." },
      search("crowded harbour"),
      { text: "Done." },
    ],
  });
  const runtime = await runtimes.open({ userId: "two talks", model: "scripted", models: [model], embedder: null });
  const first = await runtime.agents.open("main", { create: { settings: { keepLast: 0 } } });
  await drain(first.send("The harbour is closed."));
  const second = await runtime.agents.open("main", { conversation: "new" });
  await drain(second.send(pasted));
  const resultOf = async (text: string): Promise<string | undefined> =>
    (await drain(second.send(text))).filter((event) => event.type === "tool-result").map((event) => event.text)[0];
  const seen = await resultOf("Look.");
  expect(seen).toMatch(/, this conversation, user, in view above: .{0,2}The harbour is crowded\..{0,80}…$/mu);
  expect(seen).toMatch(/, conversation "The harbour is closed\.", user: The harbour is closed\.$/mu);
  await second.compact();
  const gone = await resultOf("Look again.");
  expect(gone).toMatch(/, this conversation, user: The harbour is crowded\..{200,}$/mu);
});

test("what states a secret is not first in a search of messages or of the archive; a booking code can be", async () => {
  const passage = (content: string) => ({ tool: "archival_memory_insert", content });
  const talk = [
    user("My PIN is 4711, for the hotel safe.", at(1)),
    user("The hotel safe was broken, sadly for us.", at(2)),
  ];
  const [, , , messages, passages] = await searches(
    [talk],
    [
      passage("hotel wifi: the password is sunrise42"),
      passage("The hotel wifi needs a password from the front desk, which they change daily."),
      passage("Hotel booking code 4711-K7QX2P."),
      { query: "PIN 4711 for the hotel safe" },
      { tool: "archival_memory_search", query: "hotel wifi password sunrise42" },
    ],
  );
  expect(linesOf(messages).map((line) => /PIN|broken/u.exec(line)?.[0])).toEqual(["broken", "PIN"]);
  expect(linesOf(passages).findIndex((line) => line.includes("sunrise42"))).toBe(linesOf(passages).length - 1);
});
