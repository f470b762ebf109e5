// Commands that make no model call, run for an agent whose model lacks its key.
import { allCommands } from "../../src/surfaces/cli/commands.ts";
import { runInWorld } from "../support/fake-world.ts";
import { useRuntimes } from "../support/runtime.ts";

const commands = await allCommands();
const runtimes = useRuntimes();
let conversation = "";
beforeAll(async () => {
  const runtime = await runtimes.open({ model: "openai/x", openaiApiKey: "sk-test-123456" });
  conversation = (await runtime.agents.open("main", { create: {} })).conversationId;
});

/** They call the model, try a choice of one, or replace the whole store. */
const callsModel: ReadonlySet<string> = new Set([
  "chat",
  "approvals approve",
  "approvals deny",
  "schedule run",
  "synopsis refresh",
  "configure",
  "restore",
]);

/** The words that a command needs; all others take none. */
const wordsAfter: Readonly<Record<string, (id: string) => readonly string[]>> = {
  "agents show": () => ["main"],
  "agents add": () => ["second"],
  "agents set": () => ["summarizer", "openai/y"],
  "archival add": () => ["A fact."],
  "archival search": () => ["fact"],
  "context plan": () => ["fact"],
  "recall search": () => ["fact"],
  "recall dates": () => ["2026-01-01", "2026-12-31"],
  "memory set": () => ["human", "Ada"],
  "memory history": () => ["human"],
  "conversations switch": (id) => [id, "0199aaaa-0000-7000-8000-000000000000"],
};

const destructive = (name: string): boolean => /remove/u.test(name);
const rows = commands.map(({ words }) => words.join(" ")).filter((name) => !callsModel.has(name));

test.each([...rows.filter((name) => !destructive(name)), ...rows.filter(destructive)])(
  "%s needs no key",
  async (name) => {
    const runtime = await runtimes.open({ model: "openai/x" });
    const { stderr } = await runInWorld([...name.split(" "), ...(wordsAfter[name]?.(conversation) ?? [])], { runtime });
    expect(stderr).not.toMatch(/needs a key|API_KEY/u);
  },
);
