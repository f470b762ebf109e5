// `palimpsest config show` as a table and as JSON, and secrets that stay out of whatever fails.
import { ConfigError } from "../../../src/base/errors.ts";
import { runInWorld } from "../../support/fake-world.ts";

const configuration = {
  file: "/etc/palimpsest.yaml",
  settings: [
    { key: "model", value: "demo", from: { kind: "default" as const } },
    {
      key: "databaseUrl",
      value: "(set)",
      from: { kind: "file" as const, name: "memory.persistent.connection_string" },
    },
    { key: "prices", value: {}, from: { kind: "default" as const } },
    { key: "userId", value: "ada", from: { kind: "flag" as const, name: "--user" } },
    { key: "baseUrl", value: null, from: { kind: "environment" as const, name: "PALIMPSEST_BASE_URL" } },
  ],
};

test("config show prints a table for people", async () => {
  const asked: unknown[] = [];
  const { stdout, exitCode } = await runInWorld(["config", "show", "--config", "x.yaml", "--user", "ada"], {
    configuration: async (flags) => (asked.push(flags), configuration),
  });
  expect(asked).toEqual([{ config: "x.yaml", user: "ada" }]);
  expect(exitCode).toBe(0);
  expect(stdout.split("\n").map((line) => line.trim().split(/ {2,}/u))).toEqual([
    ["Configuration file: /etc/palimpsest.yaml"],
    [""],
    ["SETTING", "FROM", "VALUE"],
    ["model", "default", "demo"],
    ["databaseUrl", "file: memory.persistent.connection_string", "(set)"],
    ["prices", "default", "{}"],
    ["userId", "flag: --user", "ada"],
    ["baseUrl", "environment: PALIMPSEST_BASE_URL", "-"],
    [""],
  ]);
});

test("config show --json prints it for programs", async () => {
  const { stdout } = await runInWorld(["config", "show", "--json"], { configuration: async () => configuration });
  expect(JSON.parse(stdout)).toEqual(configuration);
});

test("a failure is reported without secrets, in every form and with its stack", async () => {
  const hide = (text: string): string => text.replaceAll("hunter22", "(hidden)");
  const openRuntime = (): never => {
    throw new ConfigError("hunter22 was refused", { cause: new TypeError("by hunter22") });
  };
  const { stdout, stderr, exitCode } = await runInWorld(["-p", "Hi", "--output-format", "json"], {
    hide,
    debug: true,
    openRuntime,
  });
  expect(exitCode).toBe(2);
  expect(JSON.parse(stdout)).toMatchObject({ is_error: true });
  expect(`${stdout}${stderr}`).toContain("(hidden) was refused");
  expect(stderr).toContain("caused by");
  expect(`${stdout}${stderr}`).not.toContain("hunter22");
});
