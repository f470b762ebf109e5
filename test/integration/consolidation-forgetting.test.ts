// What a forgetting does to a consolidation at each moment of the run. On the engine at hand.
import { composeRuntime } from "../../src/runtime/compose/compose.ts";
import type { Model } from "../../src/model/llm/model.ts";
import { createScriptedModel } from "../../src/model/llm/scripted/scripted-model.ts";
import type { Runtime } from "../../src/runtime/runtime.ts";
import type { Store } from "../../src/store/port/store.ts";
import {
  answerOf,
  isConsolidationRequest,
  named,
  rowsOf,
  type WrittenOperation,
} from "../support/consolidation-scene.ts";
import { useStore } from "../support/database.ts";
import { drain } from "../support/runtime.ts";

const { test } = useStore();

const [short, long] = ["Dentist appointment on 2026-12-05", "The dentist appointment on 2026-12-05 is at 10:00"];
const forgotten = { texts: [short, long] };

/** What happens at moments of a run: when memory has been read, when the run is stored, and during the model call. */
interface Moments {
  readonly read?: (runtime: Runtime) => Promise<unknown>;
  readonly begun?: (runtime: Runtime) => Promise<unknown>;
  readonly called?: (runtime: Runtime) => Promise<unknown>;
}

function storeWith({ begun }: { readonly begun: () => Promise<unknown> }): Store {
  const as: Store["as"] = (userId) => {
    const user = test.store.as(userId);
    const begin: typeof user.consolidations.begin = async (run) => {
      const isBegun = await user.consolidations.begin(run);
      await begun();
      return isBegun;
    };
    return { ...user, consolidations: { ...user.consolidations, begin } };
  };
  return { ...test.store, as };
}

let users = 0;

/** An agent with two similar passages, whose model merges them, and adds what the user said. */
async function openScene(moments: Moments, said: readonly string[] = []) {
  const script = createScriptedModel({
    replies: (request) => {
      if (!isConsolidationRequest(request)) return { text: "ok" };
      const rows = rowsOf(request);
      const [one, other] = [named(rows, short), named(rows, long)];
      const added = said.map((text): WrittenOperation => {
        const evidence = [{ row: named(rows, text), quote: text }];
        return { kind: "add", texts: [text], reason: `"${text}" is not saved.`, evidence };
      });
      return { text: answerOf([{ kind: "merge", targets: [one, other], keep: other }, ...added]) };
    },
  });
  const model: Model = {
    ...script,
    prepare: async () => void (await moments.read?.(runtime)),
    async *stream(request, streaming) {
      await moments.called?.(runtime);
      yield* script.stream(request, streaming);
    },
  };
  const options = { model: "scripted", models: [model], embedder: null, userId: `user-${(users += 1)}` };
  const runtime: Runtime = await composeRuntime(options, {
    store: storeWith({ begun: async () => moments.begun?.(runtime) }),
  });
  await runtime.agents.create({ name: "tidy", persona: "", human: "" });
  for (const text of [short, long]) await runtime.archival.add("tidy", text);
  return { runtime, script };
}

it.each(["read", "begun"] as const)(
  "is not shown to the model if it comes when the run has just %s",
  async (moment) => {
    const { runtime, script } = await openScene({ [moment]: (one: Runtime) => one.forget.apply(forgotten) });
    await expect(runtime.consolidation.run("tidy")).rejects.toMatchObject({
      code: "consolidation_refused",
      message: expect.stringContaining("a text was forgotten") as string,
    });
    expect(script.requests).toEqual([]);
    const runs = await runtime.consolidation.list("tidy");
    expect(runs.filter(({ status }) => status !== "failed")).toEqual([]);
    expect(JSON.stringify(runs)).not.toContain("entist");
    await runtime.close();
  },
);

it("asks no model about a passage that was deleted before the run began, although no place has its text", async () => {
  const { runtime, script } = await openScene({
    read: async (one) => {
      for (const { id } of await one.archival.list("tidy")) await one.archival.delete("tidy", id);
      expect(await one.forget.apply(forgotten)).toMatchObject({ id: null, places: [] });
    },
  });
  await expect(runtime.consolidation.run("tidy")).rejects.toMatchObject({ code: "consolidation_refused" });
  expect(script.requests).toEqual([]);
  expect(await runtime.consolidation.list("tidy")).toMatchObject([{ status: "failed", operations: [] }]);
  await runtime.close();
});

it("ends the run whose model reads a passage that was deleted meanwhile, although no place has its text", async () => {
  const { runtime } = await openScene({
    called: async (one) => {
      for (const { id } of await one.archival.list("tidy")) await one.archival.delete("tidy", id);
      expect(await one.forget.apply(forgotten)).toMatchObject({ id: null, places: [] });
    },
  });
  await expect(runtime.consolidation.run("tidy")).rejects.toMatchObject({ code: "agent_busy" });
  expect(await runtime.consolidation.list("tidy")).toMatchObject([
    { status: "failed", operations: [], reason: "A text was forgotten during the run." },
  ]);
  await runtime.close();
});

it("empties the operations that quote a removed message, however short, and no other", async () => {
  const said = "My PIN is 4711.";
  const { runtime } = await openScene({}, [said]);
  const agent = await runtime.agents.open("tidy");
  await drain(agent.send(said));
  const run = await runtime.consolidation.run("tidy");
  expect(run?.operations).toMatchObject([{ status: "proposed" }, { status: "proposed", texts: [said] }]);
  const [message] = (await runtime.conversations.messages(agent.conversationId)).messages;
  const request = { messages: [message!.id] };
  const { places } = await runtime.forget.preview(request);
  const place = { kind: "other", id: "consolidations: operations", excerpt: said, effect: "redacted" };
  expect(places).toContainEqual(place);
  expect((await runtime.forget.apply(request)).places).toEqual(places);
  const { operations } = await runtime.consolidation.find(run!.id);
  expect(JSON.stringify(operations)).not.toContain("4711");
  expect(operations[0]).toEqual(run?.operations[0]);
  const applied = await runtime.consolidation.apply(run!.id);
  expect(applied.operations.map(({ status }) => status)).toEqual(["applied", "dropped"]);
  expect(JSON.stringify(await runtime.archival.list("tidy"))).not.toContain("forgotten");
  await runtime.close();
});
