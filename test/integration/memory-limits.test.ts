// How many modules an agent can hold, and how long a passage can be.
import type { Runtime } from "../../src/runtime/runtime.ts";
import { openLettaServer } from "../support/letta-server.ts";
import { useScene } from "../support/use-scene.ts";

const server = useScene(() => openLettaServer());
let runtime: Pick<Runtime, "agents" | "archival" | "modules" | "memory" | "sources">;
beforeAll(async () => (runtime = server.host.forUser("ada")));

const modules = (count: number) => Array.from({ length: count }, (_, at) => ({ label: `module-${at}` }));
const tooMany = (count: number) => ({
  code: "input_invalid",
  message: `Expected at most 100 modules for an agent, got ${count}. Nothing was changed: detach some, or join their texts.`,
});

test("an agent has at most 100 modules, however they come to it", async () => {
  const create = (name: string, count: number) =>
    runtime.agents.create({ name, memoryType: "free", modules: modules(count) });
  await expect(create("over", 101)).rejects.toMatchObject(tooMany(101));
  const { id } = await create("full", 100);
  const { id: another } = await runtime.modules.create({ label: "another" });
  await expect(runtime.modules.attach(id, another)).rejects.toMatchObject(tooMany(101));
  expect(await runtime.memory.show(id)).toHaveLength(100);
  await runtime.modules.detach(id, (await runtime.memory.show(id))[0]!.id);
  expect(await runtime.modules.attach(id, another)).toBe(true);
});

test.each(["block_ids", "tool_ids", "tags", "tools", "memory_blocks", "folder_ids", "identity_ids"])(
  "a request with 5,000 items in %s is refused before anything is read",
  async (field) => {
    const prefix = field.replace("_ids", "").replace("folder", "source");
    const item = field.endsWith("_ids") ? `${prefix}-00000000-0000-4000-8000-000000000000` : "x";
    const items = Array.from({ length: 5000 }, () => (field === "memory_blocks" ? { label: "x", value: "" } : item));
    const { status, body } = await server.ask("POST", "/v1/agents", { name: "many", [field]: items });
    expect(status).toBe(422);
    expect(JSON.stringify(body)).toContain("100");
  },
);

test("a passage of more than 1,000,000 characters is refused, in the archive, in a source and in an agent file", async () => {
  const { id } = await runtime.agents.create({ name: "reader", memoryType: "free" });
  await runtime.sources.create("shelf");
  const long = `${"word ".repeat(200_000)}.`;
  const refusal =
    "Expected at most 1,000,000 characters for a passage, got 1,000,001. Load the text as a file of a source.";
  await expect(runtime.archival.add(id, long)).rejects.toThrow(refusal);
  await expect(runtime.sources.add("shelf", long)).rejects.toThrow(refusal);
  expect(await runtime.archival.count(id)).toBe(0);
  await runtime.archival.add(id, "short");
  const file = JSON.stringify(await runtime.agents.export(id)).replace('"short"', JSON.stringify(long));
  await expect(runtime.agents.import(file, { name: "copy" })).rejects.toThrow(
    /expected at most 1,000,000 characters for a passage, got 1,000,001/u,
  );
});
