// The share that each user of a host has of the sandbox, with a scripted sandbox whose slow work ends when the test says so.
import { closeHostDeps, type HostDeps, openHostDeps } from "../../src/runtime/compose/host-deps.ts";
import { createUserRuntime } from "../../src/runtime/compose/user-runtime.ts";
import { createScriptedModel } from "../../src/model/llm/scripted/scripted-model.ts";
import { maxRunning, maxRunningOfUser, shareOf } from "../../src/tool/sandbox/sandbox-limits.ts";
import { createSlots } from "../../src/base/waiting.ts";
import type { Sandbox } from "../../src/tool/sandbox.ts";
import { createTestRuntimes, type TestRuntimes } from "../support/runtime.ts";
import { until } from "../support/until.ts";

let runtimes: TestRuntimes;
let host: HostDeps;

beforeAll(async () => {
  runtimes = await createTestRuntimes();
  const model = createScriptedModel({ replies: [] });
  host = await openHostDeps({ ...runtimes.place, model: model.name, models: [model], embedder: null }, {});
});
afterAll(async () => {
  await closeHostDeps(host);
  await runtimes.close();
});

/** With the slots of the real one. Source code that is "slow" takes until `release`. */
function createSlowSandbox() {
  let release: () => void = () => undefined;
  const released = new Promise<void>((resolve) => (release = resolve));
  const slots = createSlots(maxRunning);
  const running: string[] = [];
  const work = (source: string): Promise<void> =>
    slots.use(async () => {
      running.push(source);
      if (source === "slow") await released;
    });
  const sandbox: Sandbox = {
    async describe(source, name = "tool") {
      await work(source);
      return { name, description: "Is scripted.", parameters: { type: "object", properties: {} } };
    },
    async run({ source }) {
      await work(source);
      return { status: "ok", text: source, stdout: "", stderr: "" };
    },
    close: async () => undefined,
  };
  return { sandbox, running, release };
}

test("slow work of one user leaves slots for another user of the host", async () => {
  const { sandbox, running, release } = createSlowSandbox();
  const deps = { ...host, sandbox };
  const [greedy, other] = [createUserRuntime(deps, "greedy"), createUserRuntime(deps, "other")];
  const slow = Array.from({ length: 2 * maxRunning }, (_, at) =>
    greedy.tools.create({ source: "slow", name: `slow_${at}` }),
  );
  await until(async () => running.length >= maxRunningOfUser);
  expect(await other.tools.create({ source: "quick", name: "quick" })).toMatchObject({ name: "quick", kind: "python" });
  expect(running).toEqual([...Array(maxRunningOfUser).fill("slow"), "quick"]);
  release();
  await Promise.all(slow);
  for (const runtime of [greedy, other]) await runtime.close();
});

test("a share counts calls and the reading of source code together", async () => {
  const { sandbox, running, release } = createSlowSandbox();
  const share = shareOf(sandbox);
  const work = Array.from({ length: maxRunningOfUser }, () => [
    share.describe("slow"),
    share.run({ source: "slow", name: "tool", args: {} }),
  ]).flat();
  await until(async () => running.length >= maxRunningOfUser);
  await new Promise((resolve) => setImmediate(resolve));
  expect(running).toHaveLength(maxRunningOfUser);
  release();
  await Promise.all(work);
  expect(running).toHaveLength(2 * maxRunningOfUser);
});
