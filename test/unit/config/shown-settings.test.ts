// A configuration for display: the sources of values, without secrets.
import { parseConfig } from "../../../src/config/config.ts";
import { shownConnection, shownSettings } from "../../../src/config/shown-settings.ts";

const secrets = { path: null, values: { PASSWORD: "hunter22", REGION: "hunter33" } };
const env = { HOME: "/home/ada", OPENAI_API_KEY: "sk-hunter44", PALIMPSEST_USER: "ada" };

function shown(file: unknown, flags: Readonly<Record<string, string>> = {}) {
  const settings = shownSettings(parseConfig({ flags, env, file, filePath: "c.yaml", secrets }));
  return new Map(settings.map(({ key, ...rest }) => [key, rest]));
}

describe("shownSettings", () => {
  it("reports the origin of each value", () => {
    const settings = shown({ maxSteps: 3, memory: { buffer: { size: 20 } } }, { model: "openai/x" });
    expect(settings.get("model")).toEqual({ value: "openai/x", from: { kind: "flag", name: "--model" } });
    expect(settings.get("userId")).toEqual({ value: "ada", from: { kind: "environment", name: "PALIMPSEST_USER" } });
    expect(settings.get("maxSteps")).toEqual({ value: 3, from: { kind: "file", name: "maxSteps" } });
    expect(settings.get("compactMessages")).toEqual({ value: 20, from: { kind: "file", name: "memory.buffer.size" } });
    expect(settings.get("keepLast")?.from).toEqual({ kind: "file", name: "memory.buffer" });
    expect(settings.get("layout")).toEqual({ value: "stable", from: { kind: "default" } });
    expect(settings.get("dataDir")).toEqual({ value: "/home/ada/.palimpsest", from: { kind: "default" } });
  });

  it("shows secrets only as set", () => {
    const settings = shown({
      s3Region: "${{ secrets.REGION }}",
      baseUrl: "https://host/v1",
      databaseUrl: "postgres://ada:hunter77@db/x",
      migrationUrl: "postgres://root:${{ secrets.PASSWORD }}@db/x",
    });
    expect(settings.get("openaiApiKey")?.value).toBe("(set)");
    expect(settings.get("anthropicApiKey")?.value).toBeNull();
    expect(settings.get("s3Region")?.value).toBe("(set)");
    expect(settings.get("migrationUrl")?.value).toBe("(set)");
    expect(settings.get("databaseUrl")?.value).toBe("postgres://ada@db/x");
    expect(settings.get("baseUrl")?.value).toBe("https://host/v1");
    expect(JSON.stringify([...settings])).not.toContain("hunter");
  });
});

test.each([
  ["postgres://ada:pw@db:5432/x", "postgres://ada@db:5432/x"],
  ["postgresql://ada@db/x?sslmode=require&password=pw", "postgresql://ada@db/x"],
  ["postgres://db/x", "postgres://db/x"],
  ["postgres://:pw@db/x", "postgres://@db/x"],
  ["postgres://ada:p@w@db/x", "(set)"],
  ["postgres://ada:p/w@db/x", "(set)"],
  ["postgres://ada:p?w@db/x", "(set)"],
  ["postgres://ada:p#w@db/x", "(set)"],
])("of %s is shown %s", (url, expected) => {
  expect(shownConnection(url)).toBe(expected);
});
