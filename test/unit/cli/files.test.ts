// `--file`: which files go with which message, and what is said when one cannot be sent.
import type { FileInput } from "../../../src/base/message/file-part.ts";
import { ConfigError, RequestError, StoreError } from "../../../src/base/errors.ts";
import { describeFailure } from "../../../src/surfaces/cli/failure.ts";
import { createFakeRuntime, reply } from "../../support/fake-runtime.ts";
import { runInWorld } from "../../support/fake-world.ts";

/** A runtime that tells what went with each message. */
function watchedRuntime() {
  const sent: (readonly [string, readonly FileInput[]])[] = [];
  const runtime = createFakeRuntime({
    turn: (text, _signal, files) => {
      sent.push([text, files]);
      return reply("ok");
    },
  });
  return { runtime, sent };
}

describe("--file", () => {
  it("is sent with -p, several in their order, and with a piped message", async () => {
    const { runtime, sent } = watchedRuntime();
    await runInWorld(["-p", "look", "--file", "a.png", "--file=-b.png"], { runtime });
    await runInWorld(["-p", "-", "--file", "c.png"], { runtime, input: "piped\n" });
    expect(sent).toEqual([
      ["look", [{ path: "a.png" }, { path: "-b.png" }]],
      ["piped", [{ path: "c.png" }]],
    ]);
  });

  it("can be the whole message", async () => {
    const { runtime, sent } = watchedRuntime();
    expect(await runInWorld(["-p", "", "--file", "a.png"], { runtime })).toMatchObject({ exitCode: 0 });
    expect(sent).toEqual([["", [{ path: "a.png" }]]]);
    expect(await runInWorld(["-p", ""], { runtime })).toMatchObject({ exitCode: 2 });
  });

  it("is sent with the first line of a chat without a terminal, and not with the next", async () => {
    const { runtime, sent } = watchedRuntime();
    await runInWorld(["--file", "a.png"], { runtime, input: "one\n\ntwo\n" });
    expect(sent).toEqual([
      ["one", [{ path: "a.png" }]],
      ["two", []],
    ]);
  });

  it.each([
    [["-p", "x", "--file"], "--file needs a value"],
    [["-p", "x", "--file", ""], "--file needs a non-empty value"],
    [["agents", "list", "--file", "a.png"], "--file"],
  ])("%j is refused with the expected form", async (argv, message) => {
    const run = await runInWorld(argv);
    expect(run.exitCode).toBe(2);
    expect(run.stderr).toContain(message);
  });

  it.each(["text", "json", "stream-json"])("that cannot be sent is an error in the format %s", async (format) => {
    const turn = (): never => {
      throw new RequestError("file_unreadable", "none.png cannot be attached: there is no such file.");
    };
    const run = await runInWorld(["-p", "x", "--file", "none.png", "--output-format", format], {
      runtime: createFakeRuntime({ turn }),
    });
    expect(run.exitCode).toBe(2);
    expect(run.stderr).toContain("none.png cannot be attached: there is no such file.");
    if (format !== "text") expect(run.stdout).toContain("file_unreadable");
  });
});

describe("a named file that is not there", () => {
  const world = { signal: new AbortController().signal, hide: (text: string) => text, command: "palimpsest" };
  const missing = Object.assign(new Error("ENOENT"), { code: "ENOENT" });

  it.each([
    [new RequestError("file_unreadable", "none"), 2],
    [new RequestError("source_file_unreadable", "none"), 2],
    [new ConfigError("none"), 2],
    [new StoreError("backup_invalid", "none", { cause: missing }), 2],
    [new StoreError("backup_invalid", "damaged"), 1],
    [new RequestError("agent_not_found", "none"), 1],
  ])("is bad usage for every command: %s", (error, exitCode) => {
    expect(describeFailure(error, world).exitCode).toBe(exitCode);
  });
});
