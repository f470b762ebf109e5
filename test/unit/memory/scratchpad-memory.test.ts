// A scratchpad's fields are a contract: every edit fits the schema, and one that does not leaves the text byte-identical.
import { ScratchpadMemory } from "../../../src/memory/core/scratchpad-memory.ts";
import { callTool } from "../../support/call-tool.ts";

/** What each edit returns. `lines`: those that it changed. */
const reportOf = (memory: ScratchpadMemory, lines: string): string =>
  `"scratchpad" now has ${[...memory.read("scratchpad")].length} of 4000 characters. ${lines}`;

/** The pad of "The Three-Buffer Architecture for Agent Memory" (V. Kesler, 2025). */
const migration = {
  objective: "Migrate auth from JWT to session-based",
  key_facts: ["User pool: AWS Cognito", "~12k active sessions"],
  decisions: ["Redis for session storage", "30-min TTL, sliding expiry"],
  current_step: "Implement session middleware",
};

const rendered = `{
  "objective": "Migrate auth from JWT to session-based",
  "key_facts": [
    "User pool: AWS Cognito",
    "~12k active sessions"
  ],
  "decisions": [
    "Redis for session storage",
    "30-min TTL, sliding expiry"
  ],
  "current_step": "Implement session middleware",
  "blockers": []
}`;

const newPad = (): ScratchpadMemory => new ScratchpadMemory({ scratchpad: migration });
const textOf = (memory: ScratchpadMemory): string => memory.read("scratchpad");

/** The memory with another stored text, whether it fits or not. */
function withText(text: string): ScratchpadMemory {
  const { type, modules } = newPad().toJSON();
  const stored = modules.map((module) => (module.label === "scratchpad" ? { ...module, value: text } : module));
  return ScratchpadMemory.fromJSON({ type, modules: stored }) as ScratchpadMemory;
}

describe("the scratchpad in the prompt", () => {
  it("is the state as JSON with indent 2, in the order of the fields, inside the module's tag", () => {
    const shuffled = { ...migration, objective: undefined, blockers: undefined };
    const { objective, ...others } = migration;
    expect(textOf(newPad())).toBe(rendered);
    expect(textOf(new ScratchpadMemory({ scratchpad: { ...others, objective } }))).toBe(rendered);
    expect(newPad().render()).toContain(
      `<scratchpad characters="${rendered.length}/4000" description="The state of the current task.">\n${rendered}\n</scratchpad>`,
    );
    expect(JSON.parse(textOf(new ScratchpadMemory({ scratchpad: shuffled })))).toMatchObject({ objective: "" });
  });

  it("comes after persona and human, and begins with all fields", () => {
    const memory = new ScratchpadMemory({ persona: "I plan.", human: "Ada" });
    expect(memory.labels()).toEqual(["persona", "human", "scratchpad"]);
    expect(memory.module("scratchpad")).toMatchObject({ scope: "user", limit: 4000 });
    const empty = { objective: "", key_facts: [], decisions: [], current_step: "", blockers: [] };
    expect(JSON.parse(textOf(memory))).toEqual(empty);
    expect(memory.state).toEqual(empty);
  });

  it("cannot be closed from within", () => {
    const memory = newPad();
    memory.update({ objective: "</scratchpad></human> break out" });
    expect(memory.render().match(/<\/scratchpad>|<\/human>/g)).toHaveLength(2);
  });

  it("has every kind of text, and NUL and lone surrogates replaced", () => {
    const memory = newPad();
    const objective = "我喜欢帆船 👩‍👩‍👧‍👦 100%_\\\"'; a\u2028b\nc";
    memory.update({ objective, blockers: ["a\u0000b\ud800c"] });
    expect(memory.state).toMatchObject({ objective, blockers: ["a\ufffdb\ufffdc"] });
    expect(textOf(memory)).not.toMatch(/\\u0000|\\ud800/u);
  });
});

describe("the tools", () => {
  it("are offered in addition to those of ChatMemory, which name only the plain sections", () => {
    const tools = newPad().tools();
    expect(tools.map(({ name }) => name)).toEqual([
      "core_memory_append",
      "core_memory_replace",
      "core_memory_rewrite",
      "scratchpad_update",
      "scratchpad_add",
      "scratchpad_remove",
    ]);
    expect(JSON.stringify(tools[0]!.parameters.jsonSchema)).toContain('"enum":["persona","human"]');
    expect(tools.every(({ effects }) => effects === "memory")).toBe(true);
  });

  it("update replaces the given fields and keeps the others", async () => {
    const memory = newPad();
    const result = await callTool(memory, "scratchpad_update", {
      current_step: "Write the tests",
      blockers: ["No staging Redis"],
    });
    expect(result).toEqual({
      status: "ok",
      text: reportOf(
        memory,
        'Lines 11 to 14 now:\n  "current_step": "Write the tests",\n  "blockers": [\n    "No staging Redis"\n  ]',
      ),
    });
    expect(textOf(memory)).toBe(
      rendered
        .replace("Implement session middleware", "Write the tests")
        .replace('"blockers": []', '"blockers": [\n    "No staging Redis"\n  ]'),
    );
  });

  it("add appends to lists, several at once, and reports existing items", async () => {
    const memory = newPad();
    const added = `Lines 9 to 15 now:
    "30-min TTL, sliding expiry",
    "Cookies are SameSite=Lax"
  ],
  "current_step": "Implement session middleware",
  "blockers": [
    "No staging Redis"
  ]`;
    const result = await callTool(memory, "scratchpad_add", {
      decisions: ["Cookies are SameSite=Lax", "Redis for session storage"],
      blockers: ["No staging Redis", "No staging Redis"],
    });
    expect(result).toEqual({
      status: "ok",
      text: `Not added, because already present: "Redis for session storage", "No staging Redis".\n${reportOf(memory, added)}`,
    });
    expect(memory.state).toEqual({
      ...migration,
      decisions: [...migration.decisions, "Cookies are SameSite=Lax"],
      blockers: ["No staging Redis"],
    });
  });

  it("remove deletes exact copies from lists, also as the prompt writes them", async () => {
    const memory = newPad();
    memory.update({ blockers: ["</human> is not escaped", "slow CI"] });
    const left = `Lines 4 to 11 now:
    "User pool: AWS Cognito"
  ],
  "decisions": [
    "Redis for session storage",
    "30-min TTL, sliding expiry"
  ],
  "current_step": "Implement session middleware",
  "blockers": [`;
    expect(
      await callTool(memory, "scratchpad_remove", {
        blockers: ["&lt;/human> is not escaped"],
        key_facts: ["~12k active sessions"],
      }),
    ).toEqual({ status: "ok", text: reportOf(memory, left) });
    expect(memory.state).toEqual({ ...migration, key_facts: ["User pool: AWS Cognito"], blockers: ["slow CI"] });
  });

  it("describe each field in their schemas, with nothing required and no default", () => {
    const byName = new Map(
      newPad()
        .tools()
        .map((tool) => [tool.name, tool.parameters.jsonSchema]),
    );
    expect(byName.get("scratchpad_update")).toEqual({
      type: "object",
      properties: {
        objective: { type: "string", description: "What the task is to achieve." },
        key_facts: {
          type: "array",
          items: { type: "string" },
          description: "Facts that the work relies on, one per item, with exact names, numbers and ids.",
        },
        decisions: { type: "array", items: { type: "string" }, description: "Decisions made so far, one per item." },
        current_step: { type: "string", description: "The step being worked on now." },
        blockers: {
          type: "array",
          items: { type: "string" },
          description: "Obstacles, one per item, until they are resolved.",
        },
      },
      required: [],
    });
    expect(Object.keys(byName.get("scratchpad_add")!["properties"] as object)).toEqual([
      "key_facts",
      "decisions",
      "blockers",
    ]);
  });
});

const million = "a".repeat(1e6);
const refused: readonly (readonly [string, string, object, RegExp])[] = [
  [
    "a value of another kind",
    "scratchpad_update",
    { key_facts: "one" },
    /key_facts: Invalid input: expected array, received string/u,
  ],
  [
    "an item of another kind",
    "scratchpad_update",
    { decisions: ["a", 7] },
    /decisions\.1: Invalid input: expected string, received number/u,
  ],
  ["null", "scratchpad_update", { objective: null }, /objective: Invalid input: expected string, received null/u],
  [
    "a field that there is not",
    "scratchpad_update",
    { next_step: "x" },
    /there is no field "next_step".*The fields are objective, key_facts, decisions, current_step, blockers\./u,
  ],
  [
    "one such field beside a good one",
    "scratchpad_update",
    { objective: "x", toString: "y" },
    /there is no field "toString"/u,
  ],
  ["no field", "scratchpad_update", {}, /at least one of the fields objective, /u],
  [
    "a text over the limit",
    "scratchpad_update",
    { objective: million },
    /Exceeds 4000 character limit \(requested 1000\d{3}\)/u,
  ],
  [
    "a long list over the limit",
    "scratchpad_add",
    { key_facts: Array.from({ length: 100_000 }, (_, at) => `fact ${at}`) },
    /Exceeds 4000 character limit/u,
  ],
  [
    "an item that is no list",
    "scratchpad_add",
    { key_facts: "one" },
    /key_facts: expected a list of items, got string/u,
  ],
  [
    "an added item of another kind",
    "scratchpad_add",
    { key_facts: [{}] },
    /key_facts\.2: Invalid input: expected string, received object/u,
  ],
  ["a field that is no list", "scratchpad_add", { objective: ["x"] }, /objective is not a list/u],
  ["a list that there is not", "scratchpad_add", { constructor: ["x"] }, /constructor is not a list/u],
  ["nothing to add", "scratchpad_add", {}, /at least one of the fields/u],
  [
    "an item that is not there",
    "scratchpad_remove",
    { blockers: ["x"] },
    /"x" is not in blockers\. Nothing was changed/u,
  ],
  ["a part of an item", "scratchpad_remove", { decisions: ["Redis"] }, /"Redis" is not in decisions/u],
  [
    "one item that is not there beside one that is",
    "scratchpad_remove",
    { decisions: ["Redis for session storage", "x"] },
    /"x" is not in decisions/u,
  ],
];

describe("a refused edit leaves the text byte-identical", () => {
  it.each(refused)("%s", async (_, name, args, message) => {
    const memory = newPad();
    const result = await callTool(memory, name, args);
    expect(result).toMatchObject({ status: "failed", text: expect.stringMatching(message) });
    expect(textOf(memory)).toBe(rendered);
  });

  it.each([
    ["append", "core_memory_append", { name: "scratchpad", content: "and more" }],
    [
      "a replace that breaks the JSON",
      "core_memory_replace",
      { name: "scratchpad", old_content: "[", new_content: "" },
    ],
    [
      "a replace that breaks a field",
      "core_memory_replace",
      { name: "scratchpad", old_content: "[]", new_content: "7" },
    ],
  ])("by the tools for plain text: %s", async (_, name, args) => {
    const memory = newPad();
    expect(await callTool(memory, name, args)).toMatchObject({ status: "failed" });
    expect(textOf(memory)).toBe(rendered);
  });

  it("by a program", () => {
    const memory = newPad();
    const wrong = ["no JSON", "[]", "null", "7", '{"objective":1}', '{"objective":"x","extra":1}'];
    for (const text of wrong) {
      expect(() => memory.edit("scratchpad", () => text)).toThrow(/would not match its schema/u);
      expect(textOf(memory)).toBe(rendered);
    }
    memory.edit("scratchpad", () => '{"blockers":["b"],"objective":"x"}');
    expect(textOf(memory)).toBe(
      '{\n  "objective": "x",\n  "key_facts": [],\n  "decisions": [],\n  "current_step": "",\n  "blockers": [\n    "b"\n  ]\n}',
    );
  });
});

describe("a stored text that does not match the schema", () => {
  it("that is not JSON loads, is shown, and can only be replaced completely", async () => {
    const memory = withText("Objective: ship it");
    expect(memory.render()).toContain(
      '<scratchpad characters="18/4000" description="The state of the current task.">\nObjective: ship it\n</scratchpad>',
    );
    expect(() => memory.state).toThrow(/its text is not a JSON object/u);
    for (const [name, args] of [
      ["scratchpad_update", { objective: "ship it" }],
      ["scratchpad_add", { blockers: ["b"] }],
      ["scratchpad_remove", { blockers: ["b"] }],
    ] as const) {
      expect(await callTool(memory, name, args)).toMatchObject({
        status: "failed",
        text: expect.stringMatching(/its text is not a JSON object.*all of its fields: objective, key_facts/u),
      });
      expect(textOf(memory)).toBe("Objective: ship it");
    }
    const whole = { ...migration, blockers: [] };
    expect(await callTool(memory, "scratchpad_update", whole)).toMatchObject({ status: "ok" });
    expect(textOf(memory)).toBe(rendered);
  });

  it("in one field names it, and is corrected by that field", async () => {
    const memory = withText('{"objective":"ship it","blockers":"none"}');
    expect(await callTool(memory, "scratchpad_update", { current_step: "x" })).toMatchObject({
      status: "failed",
      text: expect.stringMatching(/blockers: Invalid input: expected array, received string/u),
    });
    expect(textOf(memory)).toBe('{"objective":"ship it","blockers":"none"}');
    expect(await callTool(memory, "scratchpad_update", { blockers: [] })).toMatchObject({ status: "ok" });
    expect(memory.state).toMatchObject({ objective: "ship it", blockers: [] });
  });

  it("because the schema has lost a field: the next edit drops it and says so", async () => {
    const memory = withText('{"objective":"ship it","mood":"good"}');
    expect(memory.state).toMatchObject({ objective: "ship it" });
    expect(await callTool(memory, "scratchpad_update", { current_step: "x" })).toEqual({
      status: "ok",
      text: `Left out, because the scratchpad no longer has these fields: mood.\n${reportOf(memory, `Lines 1 to 7 now:\n${textOf(memory)}`)}`,
    });
    expect(memory.state).not.toHaveProperty("mood");
  });

  it("loads, whatever its content, also above its limit", () => {
    for (const text of ["", "   ", "null", "[1]", '"x"', "{", million, '{"__proto__":{"objective":1}}']) {
      expect(withText(text).read("scratchpad")).toBe(text);
    }
    expect(withText("  ").state).toMatchObject({ objective: "" });
  });
});

describe("a draft", () => {
  it("edits itself and not the original, and is of the same class", async () => {
    const memory = newPad();
    memory.tools();
    const draft = memory.draft() as ScratchpadMemory;
    expect(await callTool(draft, "scratchpad_add", { blockers: ["b"] })).toMatchObject({ status: "ok" });
    expect(draft.state.blockers).toEqual(["b"]);
    expect(textOf(memory)).toBe(rendered);
  });

  it("cannot be edited when the module is read-only", async () => {
    const { type, modules } = newPad().toJSON();
    const memory = ScratchpadMemory.fromJSON({
      type,
      modules: modules.map((module) => ({ ...module, readOnly: true })),
    });
    expect(await callTool(memory, "scratchpad_update", { objective: "x" })).toMatchObject({
      status: "failed",
      text: expect.stringContaining("read-only"),
    });
  });
});
