// `users remove` and `conversations remove`: nothing goes without --yes, and what would go is said before; and `users list`.
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
  it("deletes as that user, in a runtime of the user that is closed afterwards", async () => {
    const { stdout, exitCode, calls, opened } = await remove(["users", "remove", "ada", "--yes", "--data-dir", "/d"]);
    expect(stdout).toMatch(/^Deleted "local": 2 agents/u);
    expect({ exitCode, calls }).toEqual({ exitCode: 0, calls: [["user.delete"], ["close"]] });
    expect(opened).toEqual([{ user: "ada", "data-dir": "/d" }]);
  });
});

describe("users list", () => {
  it("lists all users with their agents and their last message", async () => {
    const { stdout, exitCode } = await remove(["users", "list"]);
    expect(exitCode).toBe(0);
    expect(stdout).toMatch(
      /^USER +AGENTS +SINCE \(UTC\) +LAST MESSAGE \(UTC\)\nada +2 +2026-03-01 08:00 +never\nbob +0 /u,
    );
    expect(JSON.parse((await remove(["users", "list", "--json"])).stdout)).toMatchObject([
      { userId: "ada" },
      { agents: 0 },
    ]);
  });
});

describe("conversations remove", () => {
  it("requires --yes before anything is opened", async () => {
    const { stderr, exitCode, opened } = await remove(["conversations", "remove", "c-1"]);
    expect(stderr).toContain("This would permanently delete the conversation c-1");
    expect({ exitCode, opened }).toEqual({ exitCode: 2, opened: [] });
  });
});
