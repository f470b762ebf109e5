// Unfinished turns of a server that cannot be continued: another server gives them the end that their readers wait for.
import { z } from "zod";
import { defineTool } from "../../src/tool/define-tool.ts";
import {
  answeringModels,
  type UnfinishedTurn,
  openUnfinishedTurnScene,
  overTurn,
  reopen,
  sayingModel,
  type ServedHost,
  textsOf,
} from "../support/unfinished-turn-scene.ts";
import { drain } from "../support/runtime.ts";
import { useScene } from "../support/use-scene.ts";

const scene = useScene(() => openUnfinishedTurnScene());

afterEach(() => scene.endHosts());

describe("a turn that cannot be continued", () => {
  /** Resolves to its record, and its last event. */
  async function ended(next: ServedHost, { agent, id }: UnfinishedTurn) {
    const record = await overTurn(next, id);
    const reader = await reopen(next, agent);
    const events = await drain(reader.events(id));
    expect(events.map(({ sequence }) => sequence)).toEqual(events.map((_, at) => at + 1));
    return { record, last: events.at(-1) };
  }

  test("because its model is not there ends with the error, which is logged by its id", async () => {
    const left = await scene.leave({ model: "other" });
    const next = await scene.serve([sayingModel("main")]);
    const { record, last } = await ended(next, left);
    expect(record).toMatchObject({ state: "failed", stopReason: "model-error", errorCode: "config_invalid" });
    expect(last).toMatchObject({ type: "turn-end", error: { code: "config_invalid" } });
    expect(next.lines).toEqual([expect.stringContaining(`unfinished turn ${left.id} is not continued`)]);
  });

  test("because its processes end again and again is not continued for ever", async () => {
    const left = await scene.leave();
    await scene.change("update turns set continued = 5 where id = $1::uuid", [left.id]);
    const next = await scene.serve(answeringModels());
    const { record, last } = await ended(next, left);
    expect(record).toMatchObject({ state: "interrupted", errorCode: "turn_abandoned" });
    expect(last).toMatchObject({ type: "turn-end", stopReason: "interrupted", error: { code: "turn_abandoned" } });
    expect(next.models[0]!.requests).toEqual([]);
  });

  test("is counted each time that it is continued", async () => {
    const left = await scene.leave();
    const again = [sayingModel("main", "WAIT")];
    const second = await scene.serve(again);
    await again[0]!.asked;
    await second.host.close({ graceMs: 0 });
    const rows = await scene.change("select continued, is_served from turns where id = $1::uuid", [left.id]);
    expect(rows).toEqual([{ continued: 1, is_served: true }]);
  });

  test("because another one followed ends", async () => {
    const left = await scene.leave();
    const program = await scene.openHost(answeringModels());
    const agent = await reopen(program, left.agent);
    await drain(agent.send("second"));
    const { record } = await ended(await scene.serve(answeringModels()), left);
    expect(record).toMatchObject({ state: "interrupted", errorCode: "turn_abandoned" });
  });

  test("because its reply was complete, or it waits, has that end", async () => {
    const left = await scene.leave();
    const work = defineTool({
      name: "work",
      description: "Works.",
      parameters: z.object({}),
      approval: true,
      run: () => "",
    });
    const served = await scene.serve(answeringModels(), { tools: { add: [work] } });
    await overTurn(served, left.id);
    const waiting = await scene.newAgent(served);
    const { id } = await waiting.start("CALL it");
    await overTurn(served, id);
    await served.host.close();
    await scene.change("delete from turn_events where turn_id = $1::uuid or turn_id = $2::uuid", [left.id, id]);
    await scene.change("update turns set stop_reason = null where is_served");
    const next = await scene.serve(answeringModels());
    expect(await ended(next, left)).toMatchObject({
      record: { stopReason: "end-turn" },
      last: { text: "main: first" },
    });
    expect(await ended(next, { agent: waiting, id })).toMatchObject({
      record: { stopReason: "awaiting-approval", state: "waiting" },
    });
  });

  test("because its input has a model that is not there leaves the queue", async () => {
    const { agent, ids } = await scene.leaveQueue(["second", { model: "other" }]);
    await scene.loseSenders();
    const next = await scene.serve([sayingModel("main")]);
    const { record } = await ended(next, { agent, id: ids[1]! });
    expect(record).toMatchObject({ state: "failed", errorCode: "config_invalid" });
    expect(await textsOf(next, agent)).toEqual(["WAIT first", "main: first"]);
    expect(await scene.change("select 1 from inputs where status = 'queued'")).toEqual([]);
  });
});
