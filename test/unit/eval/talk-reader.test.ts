// What the talk reader does, and that it does it only if its instructions have the rule.
import { hasRule, type ReaderRule } from "../../../src/surfaces/eval/reader-rules.ts";
import { createTalkReader } from "../../../src/surfaces/eval/talk-reader.ts";
import type { ModelRequest } from "../../../src/model/llm/model.ts";
import { loadPrompt } from "../../../src/context/prompts/load-prompt.ts";

const rules = loadPrompt("memory-rules");
const state = { type: "state" as const, text: "Now: Sat 2026-11-28 10:00 (UTC, UTC+00:00)" };
const tool = { name: "forget", description: "", parameters: {} };

function request(said: string, { core = "", instructions = rules } = {}): ModelRequest {
  const content = [{ type: "text" as const, text: `[Sat 2026-11-28 10:00] ${said}` }, state];
  const memory = `<human characters="1/2000">\n${core}\n</human>`;
  return {
    system: { instructions, memory },
    messages: [{ role: "user", content }],
    tools: [tool],
    maxOutputTokens: 100,
  };
}

async function moveOn(asked: ModelRequest): Promise<string> {
  const moves: string[] = [];
  for await (const event of createTalkReader().stream(asked, {})) {
    if (event.type === "text-delta") moves.push(event.text);
    if (event.type === "tool-call") moves.push(`${event.name} ${event.arguments}`);
  }
  return moves.join("\n");
}

const archived = (content: string) => `archival_memory_insert {"content":"${content}"}`;
const appended = (content: string) => `core_memory_append {"name":"human","content":"${content}"}`;

it.each<[ReaderRule, string, string, string, string?]>([
  ["save", "The boat is in Faro.", archived("The boat is in Faro."), "Noted."],
  ["wishes", "From now on end your replies with Ahoy.", appended("From now on end your replies with Ahoy."), "Noted."],
  ["places", "I live in Faro.", appended("I live in Faro."), archived("I live in Faro.")],
  ["dates", "I fell yesterday.", appended("I fell on 2026-11-27."), appended("I fell yesterday.")],
  [
    "replace",
    "I live in Tavira.",
    'core_memory_replace {"name":"human","old_content":"I live in Faro.","new_content":"I live in Tavira."}',
    appended("I live in Tavira."),
    "I live in Faro.",
  ],
  ["secrets", "My password is Tulip77.", "Noted.", appended("My password is Tulip77.")],
  ["forget", "Please forget that Ada left.", 'forget {"texts":["Ada left"]}', "Noted."],
  [
    "search",
    "Who left?",
    'archival_memory_search {"query":"Who left?"}\nconversation_search {"query":"Who left?"}',
    "I do not know.",
  ],
])("follows the rule about %s only if it is there", async (...given) => {
  const [rule, said, withRule, without, core = ""] = given;
  expect(await moveOn(request(said, { core }))).toBe(withRule);
  const sentences = rules.split(/(?<=[.!?])\s/u);
  const others = sentences.filter((sentence) => !hasRule({ system: { instructions: sentence, memory: "" } }, rule));
  expect(others.length).toBeLessThan(sentences.length);
  expect(await moveOn(request(said, { core, instructions: others.join("\n") }))).toBe(without);
});

it("answers with the line that has most words of the question, of core memory first", async () => {
  expect(await moveOn(request("Where do I live?", { core: "I work in Olhão.\nI live in Faro." }))).toBe(
    "[core] I live in Faro.",
  );
  expect(await moveOn(request("Which date is today?"))).toBe(`[state] ${state.text}`);
});

it("does what a wish in core memory says", async () => {
  expect(await moveOn(request("Good morning.", { core: "From now on end your replies with Ahoy." }))).toBe(
    "Noted. Ahoy",
  );
});

it("summarizes what has a name or a number, and what was summarized before", async () => {
  const text = [
    "Earlier summary: I live in Faro.",
    "",
    "user, Sat 2026-11-28 10:00: The table is number 42. rain and tea",
    "assistant: Noted. 7",
    "user, Sat 2026-11-28 10:01 (part 1 of 2): Who is Ada?",
  ].join("\n");
  const asked = request("");
  const messages = [{ role: "user" as const, content: [{ type: "text" as const, text }] }];
  expect(await moveOn({ ...asked, messages, tools: [] })).toBe("I live in Faro. The table is number 42.");
});
