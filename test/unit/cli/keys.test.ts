// `keys create`, `list` and `revoke`: what they print. A secret is printed once.
import { createFakeRuntime } from "../../support/fake-runtime.ts";
import { runInWorld } from "../../support/fake-world.ts";

const run = (...argv: string[]) => runInWorld(argv, { runtime: createFakeRuntime({ agents: ["main"] }) });

it("keys create prints the secret, as text and as JSON", async () => {
  const { stdout } = await run("keys", "create");
  expect(stdout).toBe('Created a key of "local" (scope chat). Its secret is shown only now:\npk_secret\n');
  expect(JSON.parse((await run("keys", "create", "--json")).stdout)).toEqual({
    id: "key-1",
    name: "laptop",
    prefix: "pk_abcdef",
    scope: "chat",
    agentId: null,
    createdAt: "2026-11-21T10:13:01.000Z",
    lastUsedAt: null,
    revokedAt: null,
    secret: "pk_secret",
  });
});

it("keys create refuses an unknown scope", async () => {
  const { stderr, exitCode } = await run("keys", "create", "--scope", "all");
  expect([exitCode, stderr]).toEqual([2, expect.stringContaining("expected read or chat or admin")]);
});

it("keys list prints the beginning of each secret, its use and its end", async () => {
  const { stdout } = await run("keys", "list");
  expect(stdout).toMatch(/^laptop +pk_abcdef… +chat +every agent +2026-11-21 10:13 +never +key-1$/mu);
  expect(stdout).toMatch(/^laptop .* agent-main .* revoked 2026-11-21 10:13 +key-2$/mu);
  expect(JSON.parse((await run("keys", "list", "--json")).stdout)).toHaveLength(2);
});

it("keys revoke prints the id", async () => {
  expect((await run("keys", "revoke", "key-1")).stdout).toBe("Revoked the key key-1.\n");
});
