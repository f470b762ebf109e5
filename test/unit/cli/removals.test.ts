// `users remove` and `conversations remove`: nothing goes without --yes, and what would go is said before.
import type { SettingFlags } from "../../../src/surfaces/cli/world.ts";
import { createFakeRuntime } from "../../support/fake-runtime.ts";
import { runInWorld } from "../../support/fake-world.ts";

function remove(argv: readonly string[], runtime = createFakeRuntime()) {
  const opened: SettingFlags[] = [];
  const openRuntime = async (flags: SettingFlags) => {
    opened.push(flags);
    return runtime;
  };
  return runInWorld(argv, { openRuntime }).then((result) => ({ ...result, opened, calls: runtime.calls }));
}

describe("users remove", () => {
  it("lists the data of the user and of others that would be deleted, and requires --yes", async () => {
    const { stderr, exitCode, calls } = await remove(["users", "remove", "ada"]);
    expect(stderr).toContain("2 agents, 3 conversations with 40 messages, 6 sources, 5 passages");
    expect(stderr).toContain("Other users who could then only read their data with these agents: 1.");
    expect({ exitCode, calls }).toEqual({ exitCode: 2, calls: [["close"]] });
  });

  it("deletes as that user, in a runtime of the user that is closed afterwards", async () => {
    const { stdout, exitCode, calls, opened } = await remove(["users", "remove", "ada", "--yes", "--data-dir", "/d"]);
    expect(stdout).toMatch(/^Deleted "local": 2 agents/u);
    expect({ exitCode, calls }).toEqual({ exitCode: 0, calls: [["user.delete"], ["close"]] });
    expect(opened).toEqual([{ user: "ada", "data-dir": "/d" }]);
  });

  it("does not find an unknown user", async () => {
    const user = { usage: async () => null, delete: async () => Promise.reject(new RangeError("deleted")) };
    const { stderr, exitCode, calls } = await remove(
      ["users", "remove", "x", "--yes"],
      createFakeRuntime({ override: { user } }),
    );
    expect(stderr).toContain("There is no data of a user");
    expect({ exitCode, calls }).toEqual({ exitCode: 1, calls: [["close"]] });
  });

  it("does not accept --user, which would be redundant", async () => {
    expect((await remove(["users", "remove", "ada", "--user", "ben", "--yes"])).exitCode).toBe(2);
  });
});

describe("conversations remove", () => {
  it("requires --yes before anything is opened", async () => {
    const { stderr, exitCode, opened } = await remove(["conversations", "remove", "c-1"]);
    expect(stderr).toContain("This would permanently delete the conversation c-1");
    expect({ exitCode, opened }).toEqual({ exitCode: 2, opened: [] });
  });

  it("deletes it", async () => {
    const { stdout, calls } = await remove(["conversations", "remove", "c-1", "--yes"]);
    expect(stdout).toBe("Deleted conversation c-1.\n");
    expect(calls).toEqual([["conversations.delete", "c-1"], ["close"]]);
  });
});
