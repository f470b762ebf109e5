// `palimpsest forget`: what a person and a script see of a forgetting, and what it does to the history of inputs.
import { openInputHistory } from "../../../src/surfaces/cli/chat/input-history-file.ts";
import { createScriptedModel } from "../../../src/model/llm/scripted/scripted-model.ts";
import { runInWorld } from "../../support/fake-world.ts";
import { drain, useRuntimes } from "../../support/runtime.ts";
import { useFolder } from "../../support/folders.ts";

const runtimes = useRuntimes();
const folder = useFolder();

async function run(argv: readonly string[], options: Parameters<typeof runInWorld>[1] = {}) {
  const model = createScriptedModel({ replies: () => ({ text: "ok" }) });
  const openRuntime = () => runtimes.open({ model: "scripted", models: [model] });
  const settings = async () => ({ dataDir: folder }) as never;
  return runInWorld(["forget", ...argv], { openRuntime, settings, ...options });
}

async function say(text: string): Promise<string> {
  const model = createScriptedModel({ replies: () => ({ text: "ok" }) });
  const runtime = await runtimes.open({ model: "scripted", models: [model] });
  const agent = await runtime.agents.open("main", { create: {} });
  await drain(agent.send(text));
  return agent.messages.find((message) => message.text === text)!.id;
}

test("needs --yes outside of a terminal; shows the places, removes them, and lists the record without the content", async () => {
  await say("My code is 4711-A.");
  const history = await openInputHistory(folder, "local");
  for (const input of ["Hello", "My code is 4711-A.", "/forget 4711-a"]) await history.keep(input);
  const refused = await run(["4711-a"]);
  expect(refused).toMatchObject({ exitCode: 2, stdout: "" });
  expect(refused.stderr).toMatch(
    /permanently remove the content from \d+ places?: .*message.* add --yes; to see the places, add --dry-run\./u,
  );
  const shown = await run(["4711-a", "--dry-run"]);
  expect(shown.stdout).toMatch(/^redacted {2}message [-0-9a-f]+: My code is 4711-A\.\n/u);
  expect((await openInputHistory(folder, "local")).inputs.length).toBe(3);

  const done = await run(["4711-a", "--yes"]);
  expect(done).toMatchObject({ exitCode: 0, stderr: "" });
  expect(done.stdout).toMatch(/^Removed from \d+ places?: .*\nBackups, exports and logs/u);
  expect((await openInputHistory(folder, "local")).inputs).toEqual(["Hello"]);
  expect((await run(["4711-a", "--yes"])).stdout).toMatch(/^It was not found in any place\.\n/u);
  const listed = await run(["--list"]);
  expect(listed.stdout).toMatch(/^\d{4}-\d\d-\d\d \d\d:\d\d {2}by the user: .*1 message/u);
  expect(listed.stdout).not.toContain("4711");
});

test("asks in a terminal; anything but yes changes nothing", async () => {
  await say("My code is 815-B.");
  const no = await run(["815-B"], { isTerminal: true, input: "n\n" });
  expect(no).toMatchObject({ exitCode: 1 });
  expect(no.stderr).toContain("for good? [y/N]");
  expect(no.stdout).toContain("My code is 815-B.");
  const yes = await run(["815-B"], { isTerminal: true, input: "y\n" });
  expect(yes).toMatchObject({ exitCode: 0 });
  expect((await run(["815-B", "--json", "--dry-run"])).stdout).toContain('"places":[]');
});

test("removes a message by its id, and needs something to forget", async () => {
  const id = await say("My locker is number ninety-one.");
  expect((await run(["--message", id, "--yes"])).stdout).toMatch(/^Removed from/u);
  expect((await run(["ninety-one", "--dry-run"])).stdout).toMatch(/^It was not found in any place\./u);
  expect(await run([])).toMatchObject({ exitCode: 2 });
  expect((await run(["--passage", id, "--yes"])).stderr).toContain("There is no passage");
});
