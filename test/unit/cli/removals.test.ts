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
  it("deletes as that user, in a runtime of the user that is closed afterwards", async () => {
    const { stdout, exitCode, calls, opened } = await remove(["users", "remove", "ada", "--yes", "--data-dir", "/d"]);
    expect(stdout).toMatch(/^Deleted "local": 2 agents/u);
    expect({ exitCode, calls }).toEqual({ exitCode: 0, calls: [["user.delete"], ["close"]] });
    expect(opened).toEqual([{ user: "ada", "data-dir": "/d" }]);
  });
});

describe("conversations remove", () => {
  it("requires --yes before anything is opened", async () => {
    const { stderr, exitCode, opened } = await remove(["conversations", "remove", "c-1"]);
    expect(stderr).toContain("This would permanently delete the conversation c-1");
    expect({ exitCode, opened }).toEqual({ exitCode: 2, opened: [] });
  });
});
