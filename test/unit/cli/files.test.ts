// `--file`: which files go with which message. What is refused is in a session of test/parity.
import { ConfigError, RequestError, StoreError } from "../../../src/base/errors.ts";
import { describeFailure } from "../../../src/surfaces/cli/failure.ts";
import { createFakeAgent } from "../../support/fake-agent.ts";
import { runInWorld } from "../../support/fake-world.ts";
import { reply, talkingRuntime } from "../../support/stub-runtime.ts";

/** Runs each command line, and returns what was sent, and which files went with it. */
async function sentBy(...lines: readonly (readonly [readonly string[], string?])[]) {
  const agent = createFakeAgent({ turns: () => reply("ok") });
  for (const [argv, input = ""] of lines) {
    expect(await runInWorld(argv, { runtime: talkingRuntime(agent), input })).toMatchObject({ exitCode: 0 });
  }
  return agent.sent.map((text, at) => [text, agent.sentFiles[at]]);
}

describe("--file", () => {
  it("is sent with -p, several in their order, with a piped message, and as the whole message", async () => {
    const several = ["-p", "look", "--file", "a.png", "--file=-b.png"];
    const piped = [["-p", "-", "--file", "c.png"], "piped\n"] as const;
    expect(await sentBy([several], piped, [["-p", "", "--file", "a.png"]])).toEqual([
      ["look", [{ path: "a.png" }, { path: "-b.png" }]],
      ["piped", [{ path: "c.png" }]],
      ["", [{ path: "a.png" }]],
    ]);
  });

  it("is sent with the first line of a chat without a terminal, and not with the next", async () => {
    expect(await sentBy([["--file", "a.png"], "one\n\ntwo\n"])).toEqual([
      ["one", [{ path: "a.png" }]],
      ["two", []],
    ]);
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
