// Unfinished turns of a server: another server continues them as they were asked for, without a reader.
import { z } from "zod";
import { systemClock } from "../../src/base/clock.ts";
import type { Model } from "../../src/model/llm/model.ts";
import { defineTool } from "../../src/tool/define-tool.ts";
import {
  answeringModels,
  openUnfinishedTurnScene,
  overTurn,
  reopen,
  type SaidModel,
  sayingModel,
  textsOf,
} from "../support/unfinished-turn-scene.ts";
import { drain } from "../support/runtime.ts";
import { useScene } from "../support/use-scene.ts";

const scene = useScene(() => openUnfinishedTurnScene());

afterEach(() => scene.endHosts());

const ring = { name: "ring", description: "Rings.", parameters: { type: "object", properties: {} } } as const;

test("a turn of a closed host goes on in another, without a reader, with the options that it was asked for", async () => {
  const { agent, id } = await scene.leave({
    model: "other",
    systemPrompt: "Be brief.",
    clientTools: [ring],
    maxSteps: 7,
  });
  const next = await scene.serve(answeringModels());
  expect(await overTurn(next, id)).toMatchObject({ state: "completed", stopReason: "end-turn" });
  expect(await textsOf(next, agent)).toEqual(["WAIT first", "other: first"]);
  const [request] = next.models[1]!.requests;
  expect([next.models[0]!.requests.length, request!.system.instructions]).toEqual([
    0,
    expect.stringContaining("Be brief."),
  ]);
  expect(request!.tools.map(({ name }) => name)).toContain("ring");
});

test("a turn whose process is gone goes on when a server starts, although its lease has not expired", async () => {
  const { agent, id } = await scene.leave();
  await scene.holdAs({ pid: 2_147_483_646 }, agent, "30 minutes");
  const next = await scene.serve(answeringModels());
  expect(await overTurn(next, id)).toMatchObject({ state: "completed" });
});

test("a turn goes on when its lease expires while another server lives", async () => {
  const { agent, id } = await scene.leave();
  await scene.holdAs({ host: "elsewhere" }, agent, "1 second");
  const next = await scene.serve(answeringModels());
  expect(await overTurn(next, id)).toMatchObject({ state: "completed" });
});

test("a turn that was stopped while its dead process held the lease ends, and no model is asked", async () => {
  const { agent, id } = await scene.leave();
  await scene.holdAs({ host: "elsewhere" }, agent, "30 minutes");
  const models = answeringModels();
  const next = await scene.openHost(models);
  const other = await reopen(next, agent);
  expect(await other.stop()).toBe(true);
  await expect(drain(other.resume({ turnId: id }))).rejects.toMatchObject({ code: "nothing_to_resume" });
  await scene.holdAs({ host: "elsewhere" }, agent, "-1 second");
  void next.host.continueTurns();
  expect(await overTurn(next, id)).toMatchObject({ stopReason: "interrupted" });
  expect(models.map(({ requests }) => requests.length)).toEqual([0, 0]);
});

test("queued inputs of a process that ended are answered in turns of their own, in their order, as they were asked", async () => {
  const { agent, ids } = await scene.leaveQueue(["second", { model: "other" }], ["third"]);
  await scene.loseSenders();
  const next = await scene.serve(answeringModels());
  for (const id of ids) expect(await overTurn(next, id)).toMatchObject({ state: "completed", id });
  expect(await textsOf(next, agent)).toEqual([
    "WAIT first",
    "main: first",
    "second",
    "other: second",
    "third",
    "main: third",
  ]);
});

const work = defineTool({
  name: "work",
  description: "Works.",
  parameters: z.object({}),
  approval: true,
  run: () => Promise.resolve("worked"),
});

test("a queued message that must not discard waiting calls is refused when its turn begins in another process", async () => {
  const { agent, ids } = await scene.leaveQueue(["CALL WAIT", {}], ["third", { onWaiting: "refuse" }]);
  await scene.loseSenders();
  const next = await scene.serve(answeringModels(), { tools: { add: [work] } });
  expect(await overTurn(next, ids[1]!)).toMatchObject({ stopReason: "awaiting-approval" });
  expect(await overTurn(next, ids[2]!)).toMatchObject({ state: "failed", errorCode: "approval_pending" });
  while ((await scene.change("select status from inputs where status = 'queued'")).length > 0)
    await systemClock.sleep(20);
  expect(await next.host.forUser("ada").approvals.list(agent.record.id)).toHaveLength(1);
  expect(await textsOf(next, agent)).not.toContain("third");
});

test("the turn of a message that was queued behind its own process is known until it is refused, and afterwards", async () => {
  const saying = sayingModel("main");
  let answer = (): void => undefined;
  const gate = new Promise<void>((resolve) => (answer = resolve));
  const slow: SaidModel = {
    ...saying,
    async *stream(request, options) {
      await gate;
      yield* saying.stream(request, options);
    },
  };
  const served = await scene.serve([slow, sayingModel("other")], { tools: { add: [work] } });
  const agent = await scene.newAgent(served);
  await agent.start("CALL");
  const { id } = await agent.start("second", { onWaiting: "refuse" });
  const over = overTurn(served, id);
  answer();
  expect(await over).toMatchObject({ state: "failed", errorCode: "approval_pending" });
  expect(await drain(agent.events(id))).toMatchObject([{ type: "turn-end", error: { code: "approval_pending" } }]);
  expect(await textsOf(served, agent)).not.toContain("second");
});

test("a later message waits behind the queued inputs of a process that ended, and does not change their options", async () => {
  const { agent, ids } = await scene.leaveQueue(["second", { model: "other" }]);
  const next = await scene.openHost(answeringModels());
  const reopened = await reopen(next, agent);
  await drain(reopened.resume({ turnId: ids[0]! }));
  const later = drain(reopened.send("third"));
  void next.host.continueTurns();
  await scene.loseSenders();
  await later;
  expect(await overTurn(next, ids[1]!)).toMatchObject({ state: "completed" });
  expect(await textsOf(next, agent)).toEqual([
    "WAIT first",
    "main: first",
    "second",
    "other: second",
    "third",
    "main: third",
  ]);
});

test("a turn that was stopped while it summarized is over, and no server goes on with it", async () => {
  const models = [sayingModel("main"), sayingModel("other", "WAIT")] as const;
  const served = await scene.serve(models, { summarizer: "other", compactMessages: 4, keepLast: 2 });
  const agent = await scene.newAgent(served);
  for (const text of ["WAIT first", "second"]) await drain(agent.send(text));
  const { id } = await agent.start("third");
  await models[1].asked;
  expect(await agent.stop()).toBe(true);
  expect(await overTurn(served, id)).toMatchObject({ state: "interrupted", stopReason: "interrupted" });
  expect(await scene.change("select id from turns where is_served and stop_reason is null")).toEqual([]);
});

test("of two servers, one continues a turn", async () => {
  const { id } = await scene.leave();
  const servers = await Promise.all([scene.serve(answeringModels()), scene.serve(answeringModels())]);
  for (const server of servers) await overTurn(server, id);
  expect(servers.flatMap(({ models }) => models.flatMap(({ requests }) => requests))).toHaveLength(1);
});

test("turns of several users go on, each for its user, at most eight at once", async () => {
  const models = [sayingModel("main", "WAIT")];
  const served = await scene.serve(models);
  const left = [];
  for (let number = 0; number < 12; number += 1) {
    const user = number % 2 === 0 ? "ada" : "ben";
    const agent = await scene.newAgent(served, user);
    left.push({ user, agent, ...(await agent.start(`WAIT number${number}`)) });
  }
  while (models[0]!.requests.length < 12) await systemClock.sleep(20);
  await served.host.close({ graceMs: 0 });
  let running = 0;
  let most = 0;
  const slow: Model = {
    ...sayingModel("main"),
    async *stream(request) {
      running += 1;
      most = Math.max(most, running);
      await systemClock.sleep(100);
      running -= 1;
      yield* sayingModel("main").stream(request, {});
    },
  };
  const next = await scene.serve([slow as SaidModel]);
  for (const { user, id } of left) expect(await overTurn(next, id, user)).toMatchObject({ state: "completed" });
  for (const { user, agent } of left) expect(await textsOf(next, agent, user)).toHaveLength(2);
  expect(most).toBeLessThanOrEqual(8);
  expect(most).toBeGreaterThan(1);
});

test("a turn of a host that serves nothing is left to its program", async () => {
  const model = sayingModel("main", "WAIT");
  const program = await scene.openHost([model]);
  const agent = await scene.newAgent(program);
  const own = await agent.start("WAIT first");
  await model.asked;
  await program.host.close({ graceMs: 0 });
  const served = await scene.leave();
  const next = await scene.serve(answeringModels());
  await overTurn(next, served.id);
  expect(await next.host.forUser("ada").turns.find(own.id)).toMatchObject({ state: "interrupted", stopReason: null });
});

test("a turn that is handed over after an approval goes on", async () => {
  let begun = (): void => undefined;
  const isBegun = new Promise<void>((resolve) => (begun = resolve));
  const work = (run: () => Promise<string>) =>
    defineTool({
      name: "work",
      description: "Works.",
      parameters: z.object({}),
      effects: "memory",
      approval: true,
      run,
    });
  const stuck = work(async () => {
    begun();
    return new Promise<string>(() => undefined);
  });
  const served = await scene.serve(answeringModels(), { tools: { add: [stuck] } });
  const agent = await scene.newAgent(served);
  const { id } = await agent.start("CALL it");
  expect(await overTurn(served, id)).toMatchObject({ state: "waiting" });
  const [call] = (await served.host.forUser("ada").approvals.list(agent.record.id)) as readonly {
    readonly callId: string;
  }[];
  const opened = await reopen(served, agent);
  const decided = drain(opened.approve(call!.callId)).catch(() => undefined);
  await isBegun;
  await served.host.close({ graceMs: 0 });
  await decided;
  const next = await scene.serve(answeringModels(), { tools: { add: [work(() => Promise.resolve("worked"))] } });
  expect(await overTurn(next, id)).toMatchObject({ state: "completed" });
  expect((await textsOf(next, agent)).at(-1)).toBe("main: it");
});

test("resume of one turn continues no other", async () => {
  const { agent, id } = await scene.leave();
  const program = await scene.openHost(answeringModels());
  const opened = await reopen(program, agent);
  await expect(drain(opened.resume({ turnId: "0190a7a0-0000-7000-8000-000000000000" }))).rejects.toMatchObject({
    code: "nothing_to_resume",
  });
  expect((await drain(opened.resume({ turnId: id }))).at(-1)).toMatchObject({ stopReason: "end-turn", turnId: id });
  await expect(drain(opened.resume({ turnId: id }))).rejects.toMatchObject({ code: "nothing_to_resume" });
});
