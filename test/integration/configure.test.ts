// `palimpsest configure` in scripts: the real program, a server on loopback, and the written files.
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { runProgram } from "../support/program.ts";
import { startScriptedOllama } from "../support/scripted-ollama.ts";
import { wireAnswer } from "../support/wire-replies.ts";
import { plainEvents, type RawReply, startRawServer } from "../support/raw-server.ts";

let home: string;
beforeEach(() => {
  home = mkdtempSync(path.join(tmpdir(), "palimpsest-configure-"));
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

const file = (name: string): string => path.join(home, name);
const read = (name: string): Record<string, unknown> =>
  JSON.parse(readFileSync(file(name), "utf8")) as Record<string, unknown>;

function piece(delta: object, finish: string | null): object {
  const choices = [{ index: 0, delta, finish_reason: finish }];
  return { id: "c1", object: "chat.completion.chunk", created: 1, model: "tiny", choices };
}

const hello: RawReply = {
  chunks: plainEvents([piece({ role: "assistant", content: "Hello." }, null), piece({}, "stop"), "[DONE]"]),
};
/** What the test of a model asks for. */
const call = wireAnswer("chat", {
  call: { name: "core_memory_append", arguments: '{"name":"human","content":"Ada"}' },
});
const refusal = (status: number, message: string, code?: string): RawReply => ({
  status,
  headers: { "content-type": "application/json" },
  chunks: [JSON.stringify({ error: { message, code } })],
});

const key = "sk-key-of-the-test";

describe("configure in a script", () => {
  it("tests a server, saves it in private files, and the next call uses it", async () => {
    await using server = await startRawServer([call, hello]);
    const { code, stdout, stderr } = await runProgram(
      ["configure", "--model", "openai/tiny", "--base-url", `${server.url}/v1`],
      { home },
    );
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(stdout).toContain(`Saved: openai/tiny at ${server.url}/v1\n  in ${file("config.json")}\n`);
    expect(read("config.json")).toEqual({ model: "openai/tiny", baseUrl: `${server.url}/v1` });
    expect(statSync(file("config.json")).mode & 0o777).toBe(0o600);
    expect(existsSync(file("secrets.json"))).toBe(false);
    const said = await runProgram(["-p", "Hi"], { home });
    expect(said).toMatchObject({ code: 0, stdout: "Hello.\n" });
  });

  it("saves the API that the model was tested with, and removes it with the default", async () => {
    await using server = await startRawServer([call]);
    const flags = ["--model", "openai/tiny", "--base-url", server.url];
    expect((await runProgram(["configure", ...flags, "--openai-api", "chat"], { home })).code).toBe(0);
    expect(read("config.json")).toEqual({ model: "openai/tiny", baseUrl: server.url, openaiApi: "chat" });
    expect((await runProgram(["configure", ...flags, "--openai-api", "auto"], { home })).code).toBe(0);
    expect(read("config.json")).toEqual({ model: "openai/tiny", baseUrl: server.url });
  });

  it("reads a key from standard input, and shows it nowhere", async () => {
    await using server = await startRawServer([call]);
    const flags = ["--model", "openai/tiny", "--base-url", server.url, "--key-stdin"];
    const { code, stdout, stderr } = await runProgram(["configure", ...flags], { home, input: `${key}\n` });
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(stdout).toContain(`the key in ${file("secrets.json")}, which only you may read`);
    expect(read("secrets.json")).toEqual({ OPENAI_API_KEY: key });
    expect(read("config.json")["openaiApiKey"]).toBe("${{ secrets.OPENAI_API_KEY }}");
    expect(statSync(file("secrets.json")).mode & 0o777).toBe(0o600);
    const shown = await runProgram(["config", "show"], { home });
    expect(`${stdout}${shown.stdout}${readFileSync(file("config.json"), "utf8")}`).not.toContain(key);
  });

  it("sends a saved key to no other server, and says that its reference was removed", async () => {
    await using first = await startRawServer([call]);
    await using second = await startRawServer([call]);
    const at = (url: string): string[] => ["configure", "--model", "openai/tiny", "--base-url", url];
    await runProgram([...at(first.url), "--key-stdin"], { home, input: key });
    const { code, stdout } = await runProgram(at(second.url), { home });
    expect(code).toBe(0);
    expect(stdout).toContain("The reference to OPENAI_API_KEY was removed from the file");
    expect(read("config.json")).toEqual({ model: "openai/tiny", baseUrl: second.url });
    expect(read("secrets.json")).toEqual({ OPENAI_API_KEY: key });
  });

  it("only tests with --test", async () => {
    await using server = await startRawServer([call]);
    const { code, stdout } = await runProgram(
      ["configure", "--test", "--model", "openai/tiny", "--base-url", server.url],
      { home },
    );
    expect({ code, stdout }).toEqual({ code: 0, stdout: "openai/tiny answers. Nothing was saved.\n" });
    expect(existsSync(file("config.json"))).toBe(false);
  });

  it.each<readonly [number, readonly string[], { readonly code: number; readonly words: RegExp }]>([
    [
      2048,
      [],
      { code: 2, words: /leaves no room for a conversation in a window of 2,048 tokens \(stated by its server\)/u },
    ],
    [2048, ["--assist", "on"], { code: 0, words: /Its window of 2,048 tokens/u }],
    [4096, [], { code: 0, words: /Its window of 4,096 tokens .* OLLAMA_CONTEXT_LENGTH=8192 ollama serve/u }],
    [
      4096,
      ["--assist", "on"],
      { code: 0, words: /Its window of 4,096 tokens .* OLLAMA_CONTEXT_LENGTH=8192 ollama serve/u },
    ],
    [8192, [], { code: 0, words: /^$/u }],
  ])(
    "with Ollama's window of %i tokens and %j, says what it means; what it saves works, and nothing is cut",
    async (window, flags, expected) => {
      await using server = await startScriptedOllama({ window });
      const { code, stderr } = await runProgram(
        ["configure", "--model", "openai/tiny", "--base-url", server.url, ...flags],
        { home },
      );
      expect({ code, stderr }).toEqual({ code: expected.code, stderr: expect.stringMatching(expected.words) });
      expect(existsSync(file("config.json"))).toBe(code === 0);
      for (let at = 0; code === 0 && at < 3; at += 1) {
        const said = await runProgram(["-p", `${at}: ${"I like long walks. ".repeat(60)}`], { home });
        expect(said).toMatchObject({ code: 0, stdout: "Hello from tiny.\n" });
      }
      expect(server.prompts.filter(({ isCut }) => isCut)).toEqual([]);
    },
  );

  it("saves no model that calls no tool", async () => {
    await using server = await startRawServer([hello]);
    const flags = ["--model", "openai/tiny", "--base-url", `${server.url}/v1`];
    const { code, stderr } = await runProgram(["configure", ...flags], { home });
    expect({ code, stderr }).toEqual({
      code: 2,
      stderr: expect.stringMatching(/called no tool when it was asked to/u),
    });
    expect(existsSync(file("config.json"))).toBe(false);
  });

  it.each<readonly [string, RawReply, RegExp]>([
    ["refuses the key", refusal(401, `bad key ${key}`), /refused the key \(401\)/u],
    [
      "has no credit",
      refusal(429, "You exceeded your quota", "insufficient_quota"),
      /quota is used up \(429\)\. Check its plan/u,
    ],
    ["fails", refusal(500, "boom"), /overloaded or failing \(500\)\. Try again later/u],
    ["has models without tools", refusal(400, "tiny does not support tools"), /does not support tools/u],
    ["has no such model", refusal(404, "no model"), /has no model named "tiny" \(404\)/u],
    ["cuts its answer off", { chunks: [], ending: "destroy" }, /truncated its reply|cannot be reached/u],
  ])("saves nothing when the server %s, and calls it once", async (_what, reply, words) => {
    // A second call would succeed.
    await using server = await startRawServer([reply, call]);
    const flags = ["--model", "openai/tiny", "--base-url", server.url, "--key-stdin"];
    const { code, stdout, stderr } = await runProgram(["configure", ...flags], { home, input: key });
    expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
    expect(stderr).toMatch(words);
    expect(stderr).not.toContain(key);
    expect([existsSync(file("config.json")), existsSync(file("secrets.json"))]).toEqual([false, false]);
  });

  it.each([
    ["", /got nothing\. Pipe the key into `node \S+palimpsest\.js configure --key-stdin`/u],
    ["two words", /got other characters/u],
    ["schlüssel", /got other characters/u],
    ["a".repeat(1_000_000), /at most 1000 characters, got 1000000/u],
    ["\0\ud800", /got other characters/u],
  ])("takes no key of %p", async (input, words) => {
    const { code, stderr } = await runProgram(["configure", "--model", "openai/x", "--key-stdin"], { home, input });
    expect(code).toBe(2);
    expect(stderr).toMatch(words);
    expect(stderr.length).toBeLessThan(400);
  });

  it("saves the demo, and removes the address of a server", async () => {
    writeFileSync(
      file("config.json"),
      JSON.stringify({ userId: "ada", model: "openai/x", baseUrl: "http://localhost:9/v1" }),
    );
    const { code } = await runProgram(["configure", "--model", "demo"], { home });
    expect({ code, config: read("config.json") }).toEqual({ code: 0, config: { userId: "ada", model: "demo" } });
  });

  it("names the environment variable that overrides the saved value", async () => {
    const env = { PALIMPSEST_MODEL: "openai/other" };
    const { stdout } = await runProgram(["configure", "--model", "demo"], { home, env });
    expect(stdout).toContain("PALIMPSEST_MODEL is set in the environment to another value, which overrides the file");
  });

  it("says what to write without a terminal, and why a folder cannot be written to", async () => {
    const { code, stderr } = await runProgram(["configure"], { home });
    expect({ code, stderr }).toEqual({
      code: 2,
      stderr: expect.stringMatching(/configure --model MODEL`, with --base-url/u),
    });
    mkdirSync(file("secrets.json"));
    await using server = await startRawServer([call]);
    const flags = ["--model", "openai/tiny", "--base-url", server.url, "--key-stdin"];
    const failed = await runProgram(["configure", ...flags], { home, input: key });
    expect(failed).toMatchObject({ code: 2, stdout: "", stderr: expect.stringMatching(/secrets\.json/u) });
    expect(existsSync(file("config.json"))).toBe(false);
  });
});

describe("the doctor", () => {
  it("warns of a key and of secrets that others can read", async () => {
    writeFileSync(file("config.json"), JSON.stringify({ openaiApiKey: key }), { mode: 0o644 });
    writeFileSync(file("secrets.json"), "{}", { mode: 0o640 });
    const { stdout } = await runProgram(["doctor", "--json"], { home });
    const { findings } = JSON.parse(stdout) as { readonly findings: readonly { readonly check: string }[] };
    expect(findings.filter(({ check }) => ["configuration", "secrets"].includes(check))).toEqual([
      {
        check: "configuration",
        verdict: "warning",
        found: `Others may read ${file("config.json")} (644), and it contains secrets: openaiApiKey.`,
        advice: `Run chmod 600 ${file("config.json")}.`,
      },
      expect.objectContaining({ check: "secrets", verdict: "warning", advice: expect.stringContaining("chmod 600") }),
    ]);
    expect(stdout).not.toContain(key);
  });

  it("reports an unreadable configuration, and ends with 1", async () => {
    writeFileSync(file("config.json"), '{"modle": "demo"}');
    const { code, stdout } = await runProgram(["doctor"], { home });
    expect(code).toBe(1);
    expect(stdout).toMatch(/failed +configuration +.*unknown.*"model"/iu);
    expect(stdout).toMatch(/2 checks/u);
  });
});
