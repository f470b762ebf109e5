// Scratchpads with fields of one's own: by subclass, restored by type, and read again when the schema has moved on.
import { z } from "zod";
import { createMemoryRegistry } from "../../../src/memory/core/memory-registry.ts";
import { ScratchpadMemory } from "../../../src/memory/core/scratchpad-memory.ts";
import { callTool } from "../../support/call-tool.ts";

describe("a custom schema", () => {
  const schema = z.object({
    ticket: z.string().min(1).describe("Its number."),
    severity: z.enum(["low", "high"]).default("low").describe("How bad it is."),
    steps: z
      .array(z.object({ what: z.string(), done: z.boolean().default(false) }))
      .default([])
      .describe("What was tried."),
    note: z.string().optional().describe("Anything else."),
  });
  class TicketMemory extends ScratchpadMemory<typeof schema> {
    static override readonly type = "ticket";
    static override readonly schema = schema;
  }

  it("is restored through the registry as its class", async () => {
    const memory = new TicketMemory({ scratchpad: { ticket: "T-7" } });
    const restored = createMemoryRegistry([TicketMemory]).restore(JSON.parse(JSON.stringify(memory)));
    expect(restored).toBeInstanceOf(TicketMemory);
    expect((restored as TicketMemory).state.severity).toBe("low");
    expect(await callTool(restored, "scratchpad_update", { severity: "worst" })).toMatchObject({
      status: "failed",
      text: expect.stringMatching(/severity: Invalid option: expected one of "low"\|"high"/u),
    });
    expect(() => createMemoryRegistry().restore(memory.toJSON())).toThrow(
      /Expected a registered memory class, got type "ticket"/u,
    );
  });

  it("that requires a field begins blank, and the first edit must contain it", async () => {
    const memory = new TicketMemory();
    expect(memory.read("scratchpad")).toBe("");
    expect(await callTool(memory, "scratchpad_update", { severity: "high" })).toMatchObject({ status: "failed" });
    expect(await callTool(memory, "scratchpad_update", { ticket: "T-7" })).toMatchObject({ status: "ok" });
    expect(memory.state).toEqual({ ticket: "T-7", severity: "low", steps: [] });
  });

  it("may have lists of objects: items are equal whatever the order of their keys", async () => {
    const memory = new TicketMemory({ scratchpad: { ticket: "T-7", steps: [{ what: "restart", done: true }] } });
    await callTool(memory, "scratchpad_add", { steps: [{ what: "reinstall" }, { done: true, what: "restart" }] });
    expect(memory.state.steps).toEqual([
      { what: "restart", done: true },
      { what: "reinstall", done: false },
    ]);
    await callTool(memory, "scratchpad_remove", { steps: [{ done: true, what: "restart" }] });
    expect(memory.state.steps).toEqual([{ what: "reinstall", done: false }]);
  });

  it("with a new field that has a default loads the old state", async () => {
    const newer = schema.extend({ owner: z.string().default("nobody").describe("Who has it.") });
    class NewerTicketMemory extends ScratchpadMemory<typeof newer> {
      static override readonly type = "ticket";
      static override readonly schema = newer;
    }
    const old = new TicketMemory({ scratchpad: { ticket: "T-7" } });
    const memory = NewerTicketMemory.fromJSON(old.toJSON()) as NewerTicketMemory;
    expect(memory.state).toMatchObject({ ticket: "T-7", owner: "nobody" });
    await callTool(memory, "scratchpad_update", { severity: "high" });
    expect(JSON.parse(memory.read("scratchpad"))).toEqual({
      ticket: "T-7",
      severity: "high",
      steps: [],
      owner: "nobody",
    });
  });

  it("without lists has one tool; strict and loose objects decide which keys they accept", async () => {
    class Strict extends ScratchpadMemory {
      static override readonly type = "strict";
      static override readonly schema: z.ZodObject = z.strictObject({ a: z.string().default("").describe("A.") });
    }
    class Loose extends ScratchpadMemory {
      static override readonly type = "loose";
      static override readonly schema: z.ZodObject = z.looseObject({ a: z.string().default("").describe("A.") });
    }
    expect(
      new Strict()
        .tools()
        .map(({ name }) => name)
        .slice(3),
    ).toEqual(["scratchpad_update"]);
    expect(await callTool(new Strict(), "scratchpad_update", { b: 1 })).toMatchObject({
      status: "failed",
      text: expect.stringContaining('Unrecognized key: "b"'),
    });
    const loose = new Loose();
    expect(await callTool(loose, "scratchpad_update", { b: 1 })).toMatchObject({ status: "ok" });
    expect(loose.state).toEqual({ a: "", b: 1 });
  });

  it.each<[string, z.ZodObject, RegExp]>([
    ["has no field", z.object({}), /it has no field/u],
    ["has a date", z.object({ due: z.date().describe("When.") }), /Date cannot be represented/u],
    [
      "transforms",
      z.object({
        a: z
          .string()
          .transform((text) => text.length)
          .describe("A."),
      }),
      /Transforms cannot be/u,
    ],
    ["does not type a field", z.object({ a: z.unknown().describe("A.") }), /has no type/u],
  ])("that %s is refused when its tools are requested", (_, wrong, message) => {
    class Wrong extends ScratchpadMemory {
      static override readonly type = "wrong";
      static override readonly schema = wrong;
    }
    expect(() => new Wrong().tools()).toThrow(message);
  });

  it("with an invalid first state, or a limit below the empty state, is refused at once", () => {
    const wrong = { objective: 7 } as unknown as { objective: string };
    expect(() => new ScratchpadMemory({ scratchpad: wrong })).toThrow(/objective: Invalid input: expected string/u);
    expect(() => new ScratchpadMemory({ limit: 50 })).toThrow(/has 99 characters and its limit is 50/u);
  });
});
