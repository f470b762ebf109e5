// `/mcp login` and `/mcp logout` in the chat, and a turn that needs a sign-in.
import { driveDialog } from "../support/drive-dialog.ts";
import { type GuardedServer, guardedMcpServer, visit } from "../support/guarded-mcp-server.ts";
import { drain, useRuntimes } from "../support/runtime.ts";
import { openScene } from "../support/scene.ts";
import { typeLine } from "../support/typed-line.ts";
import { useFolder } from "../support/folders.ts";

const runtimes = useRuntimes();
const dataDir = useFolder();
let guarded: GuardedServer;

beforeEach(async () => (guarded = await guardedMcpServer()));
afterEach(() => guarded.close());

const say = { name: "guarded__say", arguments: {} };
const scene = (replies: Parameters<typeof openScene>[1] = []) =>
  openScene(runtimes, replies, {
    mcpServers: { guarded: { url: guarded.url } },
    ...(runtimes.place.dataDir === undefined ? { dataDir } : {}),
  });

/** A browser that signs in, and dialogs that stay until they are closed. */
const signsIn = {
  openAddress: async (address: string) => (void visit(address).then((to) => fetch(to)), true),
  dialogs: {
    open: (_dialog: unknown, until?: AbortSignal) =>
      new Promise<null>((resolve) => until?.addEventListener("abort", () => resolve(null), { once: true })),
  },
};

test("/mcp says how to sign in, login opens the browser and ends with it, logout forgets it", async () => {
  const at = await scene();
  const listed = (await typeLine("/mcp", at)).text;
  expect(listed).toContain("guarded  needs sign in\n    it needs a sign-in, with /mcp login guarded");
  expect((await typeLine("/mcp login guarded", { ...at, ...signsIn })).text).toContain("You are signed in to guarded.");
  expect((await typeLine("/mcp", at)).text).toContain("guarded  connected\n    guarded__say");
  expect((await typeLine("/mcp logout guarded", at)).text).toContain("You are signed out of guarded.");
  expect((await typeLine("/mcp logout guarded", at)).text).toContain("You were not signed in to guarded.");
});

test("the dialog shows the whole address and takes a pasted one", async () => {
  const at = await scene();
  const dialogs = driveDialog(["x", "ctrl+u", "enter", "escape"], { width: 40, max: 30 });
  const cancelled = await typeLine("/mcp login guarded", { ...at, dialogs });
  expect(cancelled.text).toContain("The sign-in was cancelled.");
  const [first = ""] = dialogs.screens;
  expect(first).toMatch(/^guarded\. Open this in your browser/u);
  const address = first.split("\n").slice(1, -2).join("");
  expect(new URL(address).searchParams.get("code_challenge_method")).toBe("S256");
  const pasting = {
    open: async (dialog: Parameters<typeof dialogs.open>[0]) => {
      const page = dialog
        .draw({ width: 2000, max: 9, now: new Date() })
        .rows[1]!.map(({ text }) => text)
        .join("");
      return driveDialog([await visit(page), "enter"]).open(dialog);
    },
  };
  const pasted = await typeLine("/mcp login guarded", { ...at, dialogs: pasting as typeof dialogs });
  expect(pasted.text).toContain("You are signed in to guarded.");
});

test("a call without a sign-in ends the turn with words for the user, and runs after it", async () => {
  const at = await scene([{ toolCalls: [say] }, { text: "sign in" }, { toolCalls: [say] }, { text: "done" }]);
  await typeLine("/mcp login guarded", { ...at, ...signsIn });
  await at.runtime.mcp.trust("guarded__say");
  guarded.expire();
  guarded.revoke();
  const events = await drain(at.agent.send("go"));
  expect(events.at(-1)).toMatchObject({ type: "turn-end", stopReason: "end-turn" });
  expect(events.find(({ type }) => type === "tool-result")).toMatchObject({
    status: "failed",
    text: expect.stringContaining("its sign-in has ended. Ask the user to sign in to it"),
  });
  await typeLine("/mcp login guarded", { ...at, ...signsIn });
  const after = await drain(at.agent.send("again"));
  expect(after.find(({ type }) => type === "tool-result")).toMatchObject({ status: "ok", text: "did say" });
});
