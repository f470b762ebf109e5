// References in configuration files: their values, where these are searched, and that secrets are never shown.
import { parseConfig, type ParsedConfig } from "../../../src/config/config.ts";
import { referencedNames } from "../../../src/config/references.ts";
import { ConfigError } from "../../../src/base/errors.ts";

const env = { HOME: "/home/ada", NAME: "ada", SIZE: "20", EMPTY: "", OFF: "false" };
const values = { PASSWORD: "hunter22", URL: "postgres://ada:hunter22@db/x", MODEL: "openai/hidden-model" };
const parse = (file: unknown): ParsedConfig =>
  parseConfig({ flags: {}, env, file, filePath: "c.yaml", secrets: { path: "/etc/secrets.json", values } });

function messageOf(file: unknown): string {
  try {
    parse(file);
  } catch (error) {
    if (error instanceof ConfigError) return error.message;
    throw error;
  }
  return "no error";
}

describe("a reference", () => {
  it.each([
    ["${NAME}", "ada"],
    ["${{ env.NAME }}", "ada"],
    ["${{env.NAME}}", "ada"],
    ["${{ secrets.PASSWORD }}", "hunter22"],
    ["${{ secrets.NAME }}", "ada"],
    ["before ${NAME} and ${{ env.SIZE }}", "before ada and 20"],
    ["$${NAME}", "${NAME}"],
    ["$${{ secrets.NAME }}", "${{ secrets.NAME }}"],
    ["$NAME {NAME} $$ %_ </human> 漢字 😀", "$NAME {NAME} $$ %_ </human> 漢字 😀"],
  ])("%s is replaced by %s", (text, expected) => {
    expect(parse({ s3Region: text }).config.s3Region).toBe(expected);
  });

  it("is not resolved recursively", () => {
    const secrets = { path: null, values: { OUTER: "${NAME}" } };
    const file = { s3Region: "${{ secrets.OUTER }}" };
    expect(parseConfig({ flags: {}, env, file, secrets }).config.s3Region).toBe("${NAME}");
  });

  it("may be replaced by a number or a truth value", () => {
    const memory = { buffer: { size: "${SIZE}" }, synopsis: { refresh_on_access: "${{ env.OFF }}" } };
    expect(parse({ memory, maxSteps: "${SIZE}" }).config).toMatchObject({
      bufferSize: 20,
      synopsisRefresh: "by-hand",
      maxSteps: 20,
    });
    expect(messageOf({ memory: { buffer: { size: "2${SIZE}" } } })).toContain(
      "memory.buffer.size: expected a whole number",
    );
  });

  it.each([
    [
      "${MISSING}",
      "c.yaml: s3Region: ${MISSING} is not defined. Searched the environment (MISSING is not set, or empty). Set MISSING, or write $${ for a literal ${.",
    ],
    ["${EMPTY}", "EMPTY is not set, or empty"],
    [
      "${{ secrets.MISSING }}",
      "Searched the environment (MISSING is not set, or empty) and /etc/secrets.json (no such key).",
    ],
    ["${{ secrets.toString }}", "is not defined"],
    ["${{ other.NAME }}", "c.yaml: s3Region: expected ${{ secrets.NAME }}, ${{ env.NAME }} or ${NAME} after"],
    ["${", 'for a literal "${", write "$${".'],
    ["${1X}", "expected ${{ secrets.NAME }}"],
    [`\${${"A".repeat(1e6)}}`, "expected ${{ secrets.NAME }}"],
    ["a\0b", "c.yaml: s3Region: expected a text that can be stored, got one with a NUL character."],
    ["a\uD800b", "got one with half of a surrogate pair."],
  ])("text %# is refused with its key", (text, expected) => {
    expect(messageOf({ s3Region: text })).toContain(expected);
  });

  it("is named by its key, also in lists and sections", () => {
    expect(messageOf({ approvals: ["pay", "${MISSING}"] })).toContain("c.yaml: approvals[1]: ${MISSING}");
    expect(messageOf({ llm: { models: [{ embedding: "${MISSING}" }] } })).toContain(
      "llm.models[0].embedding: ${MISSING}",
    );
  });

  it("is searched in deep nesting without overflow", () => {
    const deep = JSON.parse(`${'{"memory":'.repeat(50)}1${"}".repeat(50)}`);
    expect(messageOf(deep)).toContain("more than 20 levels deep");
  });

  it("reports which secrets are needed", () => {
    const file = { a: "${{ secrets.ONE }}/${{ secrets.TWO }}", b: ["$${{ secrets.NOT }}", "${{ env.NOT }}"] };
    expect([...referencedNames(file).secrets]).toEqual(["ONE", "TWO"]);
  });
});

describe("a secret", () => {
  it.each([
    [{ model: "${{ secrets.PASSWORD }}" }, "c.yaml: model: expected"],
    [{ memory: { buffer: { embedding_model: "${{ secrets.PASSWORD }}" } } }, "memory.buffer.embedding_model: expected"],
    [{ memory: { working: "${{ secrets.PASSWORD }}" } }, "memory.working: expected"],
    [{ memory: { persistent: { connection_string: "${{ secrets.PASSWORD }}" } } }, "connection_string: expected"],
    [{ llm: { models: ["${{ secrets.PASSWORD }}"] } }, "llm.models[0]: expected"],
    [{ prices: { x: "${{ secrets.PASSWORD }}" } }, "c.yaml: prices: expected"],
    [{ summarizer: "openai/${{ secrets.PASSWORD }} x" }, "c.yaml: summarizer: expected"],
    [{ approvals: ["${{ secrets.PASSWORD }}!"] }, "c.yaml: approvals: expected"],
    [{ embedding: "openai/${{ secrets.PASSWORD }}", llm: { models: [{ embedding: "none" }] } }, "contradicts"],
  ])("%j is in no message", (file, expected) => {
    const message = messageOf(file);
    expect(message).toContain(expected);
    expect(message).not.toContain("hunter22");
  });

  it("is passed to code that shows text, so that it can be hidden", () => {
    const { secretTexts, found } = parse({ databaseUrl: "${{ secrets.URL }}", model: "${{ secrets.MODEL }}" });
    expect(secretTexts).toEqual([values.URL, values.MODEL]);
    expect(found.get("model")?.isSecret).toBe(true);
  });
});
