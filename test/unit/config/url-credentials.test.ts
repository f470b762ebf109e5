// A URL with a password: refused before use, and never shown.
import { configOf, parseConfig } from "../../../src/config/config.ts";
import { checkAgentSettings } from "../../../src/config/agent-settings.ts";
import { quoteProvider } from "../../../src/model/llm/failure/model-errors.ts";
import { fakeSettings } from "../../support/fake-settings.ts";

const password = "hunter22";

const messageOf = (action: () => unknown): string => {
  try {
    action();
  } catch (error) {
    expect(error).toMatchObject({ code: "config_invalid" });
    return (error as Error).message;
  }
  throw new Error("nothing was refused");
};

const parse = (flags: Record<string, string>, file: unknown = {}) =>
  parseConfig({ flags: { "data-dir": "/d", ...flags }, env: {}, file });

const urls = [
  `https://ada:${password}@host/v1`,
  `https://${password}@host/v1`,
  `https://ada:${password}@x@host/v1`,
  `https://ada:a/${password}@host/v1`,
  `https://ada: ${password}@host/v1`,
  `ada:${password}@host:8080/v1`,
  `https://host/v1?key=${password}`,
  `https://host/v1#${password}`,
];

describe.each(urls)("%s", (url) => {
  it.each<[string, () => unknown]>([
    ["--base-url", () => parse({ "base-url": url })],
    ["baseUrl in a file", () => parse({}, { baseUrl: url })],
    ["embeddingBaseUrl", () => parse({}, { embeddingBaseUrl: url })],
    ["objects", () => parse({}, { objects: `s3:${url}` })],
    ["a program's baseUrl", () => configOf({ baseUrl: url })],
    ["an agent's baseUrl", () => checkAgentSettings(Object.assign({}, fakeSettings, { baseUrl: url }))],
    ["databaseUrl of another kind", () => parse({ "database-url": url })],
  ])("is refused as %s, and is not shown", (_name, action) => {
    expect(messageOf(action)).not.toContain(password);
  });
});

it("reports the expected form of a base URL", () => {
  expect(messageOf(() => parse({ "base-url": `https://ada:${password}@host/v1` }))).toBe(
    '--base-url: expected an http:// or https:// URL (or a port of this machine, such as localhost:1234) without a user, a password, a query or a fragment, got "https://…@host/v1".',
  );
});

it("is masked where a provider repeats it", () => {
  const told = quoteProvider(`cannot reach https://ada:${password}@host/v1 and http://b:${password}@c@d`, []);
  expect(told).not.toContain(password);
  expect(told).toContain("host/v1");
});
