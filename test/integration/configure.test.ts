// `palimpsest configure` in scripts, with a server on loopback and the written files. Most calls run in the process of the test, with
// the functions that the program gives to the command; a call of each kind, and the doctor, are the program itself.
import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import path from "node:path";
import { createHiddenTexts } from "../../src/base/hidden-texts.ts";
import { loadConfig } from "../../src/config/file/load-config.ts";
import { saveSettings } from "../../src/config/file/save-file.ts";
import { openSetup } from "../../src/runtime/compose/open-setup.ts";
import { providerChoices } from "../../src/runtime/compose/provider-keys.ts";
import type { SettingFlags } from "../../src/surfaces/cli/world.ts";
import { runInWorld } from "../support/fake-world.ts";
import { type ProgramOptions, type ProgramResult, runProgram } from "../support/program.ts";
import { useRuntimes } from "../support/runtime.ts";
import { startScriptedOllama } from "../support/scripted-ollama.ts";
import { startScriptedStudio } from "../support/scripted-studio.ts";
import { wireAnswer } from "../support/wire-replies.ts";
import { plainEvents, type RawReply, startRawServer } from "../support/raw-server.ts";
import { useFolderOfTest } from "../support/folders.ts";

const home = useFolderOfTest();

const runtimes = useRuntimes();
let runs = 0;

/** Runs the command in this process, as `runProgram` does in another. A prompt has a user of its own, without an embedder. */
async function run(
  argv: readonly string[],
  { input = "", env = {} }: Partial<ProgramOptions> = {},
): Promise<ProgramResult> {
  const variables: Readonly<Record<string, string>> = { HOME: home(), PALIMPSEST_DATA_DIR: home(), ...env };
  const secrets = createHiddenTexts();
  const load = async (flags: SettingFlags) => {
    const { config, secretTexts } = await loadConfig({ flags, env: variables });
    secrets.add(secretTexts);
    return config;
  };
  const { exitCode: code, ...printed } = await runInWorld(argv, {
    input,
    hide: (text) => secrets.hide(text),
    async settings(flags) {
      const config = await load(flags);
      const share = { requests: 1, streams: 1, bytes: 1 };
      return { ...config, share, providers: providerChoices(config), hasLlama: false };
    },
    async openSetup(flags, log) {
      const write: Parameters<typeof openSetup>[0]["write"] = (changes) =>
        saveSettings({ flags, env: variables }, changes);
      return openSetup({ config: await load(flags), log, write, environment: (name) => variables[name] });
    },
    openRuntime: async (flags) =>
      runtimes.open({ ...(await load(flags)), ...runtimes.place, embedder: null, userId: `user-${(runs += 1)}` }),
  });
  return { code, ...printed };
}

const file = (name: string): string => path.join(home(), name);
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
      { home: home() },
    );
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(stdout).toContain(`Saved: openai/tiny at ${server.url}/v1\n  in ${file("config.json")}\n`);
    expect(read("config.json")).toEqual({ model: "openai/tiny", baseUrl: `${server.url}/v1` });
    expect(statSync(file("config.json")).mode & 0o777).toBe(0o600);
    expect(existsSync(file("secrets.json"))).toBe(false);
    const said = await runProgram(["-p", "Hi"], { home: home() });
    expect(said).toMatchObject({ code: 0, stdout: "Hello.\n" });
  });

  it("saves the API that the model was tested with, and removes it with the default", async () => {
    await using server = await startRawServer([call]);
    const flags = ["--model", "openai/tiny", "--base-url", server.url];
    expect((await run(["configure", ...flags, "--openai-api", "chat"])).code).toBe(0);
    expect(read("config.json")).toEqual({ model: "openai/tiny", baseUrl: server.url, openaiApi: "chat" });
    expect((await run(["configure", ...flags, "--openai-api", "auto"])).code).toBe(0);
    expect(read("config.json")).toEqual({ model: "openai/tiny", baseUrl: server.url });
  });

  it("reads a key from standard input, and shows it nowhere", async () => {
    await using server = await startRawServer([call]);
    const flags = ["--model", "openai/tiny", "--base-url", server.url, "--key-stdin"];
    const { code, stdout, stderr } = await runProgram(["configure", ...flags], { home: home(), input: `${key}\n` });
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(stdout).toContain(`the key in ${file("secrets.json")}, which only you may read`);
    expect(read("secrets.json")).toEqual({ OPENAI_API_KEY: key });
    expect(read("config.json")["openaiApiKey"]).toBe("${{ secrets.OPENAI_API_KEY }}");
    expect(statSync(file("secrets.json")).mode & 0o777).toBe(0o600);
    const shown = await runProgram(["config", "show"], { home: home() });
    expect(`${stdout}${shown.stdout}${readFileSync(file("config.json"), "utf8")}`).not.toContain(key);
  });

  it("sends a saved key to no other server, and says that its reference was removed", async () => {
    await using first = await startRawServer([call]);
    await using second = await startRawServer([call]);
    const at = (url: string): string[] => ["configure", "--model", "openai/tiny", "--base-url", url];
    await run([...at(first.url), "--key-stdin"], { input: key });
    const { code, stdout } = await run(at(second.url));
    expect(code).toBe(0);
    expect(stdout).toContain("The reference to OPENAI_API_KEY was removed from the file");
    expect(read("config.json")).toEqual({ model: "openai/tiny", baseUrl: second.url });
    expect(read("secrets.json")).toEqual({ OPENAI_API_KEY: key });
  });

  it("only tests with --test", async () => {
    await using server = await startRawServer([call]);
    const { code, stdout } = await run(["configure", "--test", "--model", "openai/tiny", "--base-url", server.url]);
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
      const { code, stderr } = await run(["configure", "--model", "openai/tiny", "--base-url", server.url, ...flags]);
      expect({ code, stderr }).toEqual({ code: expected.code, stderr: expect.stringMatching(expected.words) });
      expect(existsSync(file("config.json"))).toBe(code === 0);
      for (let at = 0; code === 0 && at < 3; at += 1) {
        const said = await run(["-p", `${at}: ${"I like long walks. ".repeat(60)}`]);
        expect(said).toMatchObject({ code: 0, stdout: "Hello from tiny.\n" });
      }
      expect(server.prompts.filter(({ isCut }) => isCut)).toEqual([]);
    },
  );

  it.each<readonly [number, RawReply, { readonly code: number; readonly words: RegExp }]>([
    [16_384, call, { code: 0, words: /^$/u }],
    [6000, call, { code: 0, words: /Its window of 6,000 tokens \(stated by its server\).* lms load tiny/u }],
    [
      2048,
      call,
      { code: 2, words: /no room for a conversation in a window of 2,048 tokens \(stated by its server\)/u },
    ],
    [2048, refusal(404, "no model"), { code: 1, words: /has no model named "tiny" \(404\)/u }],
  ])(
    "asks LM Studio for the window of %i tokens after the call that loads the model",
    async (window, reply, expected) => {
      await using server = await startScriptedStudio({ window, reply });
      const { code, stderr } = await run(["configure", "--model", "openai/tiny", "--base-url", server.url]);
      expect({ code, stderr }).toEqual({ code: expected.code, stderr: expect.stringMatching(expected.words) });
      expect(existsSync(file("config.json"))).toBe(code === 0);
    },
  );

  it("takes the window with which Ollama has loaded the model for the call", async () => {
    const reply = { call: { name: "core_memory_append", arguments: '{"name":"human","content":"Ada"}' } };
    await using server = await startScriptedOllama({
      window: 4096,
      reply() {
        server.restart(16_384);
        return reply;
      },
    });
    const { code, stderr } = await run(["configure", "--model", "openai/tiny", "--base-url", server.url]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  });

  it("saves no model that calls no tool", async () => {
    await using server = await startRawServer([hello]);
    const flags = ["--model", "openai/tiny", "--base-url", `${server.url}/v1`];
    const { code, stderr } = await run(["configure", ...flags]);
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
    const { code, stdout, stderr } = await run(["configure", ...flags], { input: key });
    expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
    expect(stderr).toMatch(words);
    expect(stderr).not.toContain(key);
    expect([existsSync(file("config.json")), existsSync(file("secrets.json"))]).toEqual([false, false]);
  });

  it.each([
    ["", /got nothing\. Pipe the key into `palimpsest configure --key-stdin`/u],
    ["two words", /got other characters/u],
    ["schlüssel", /got other characters/u],
    ["a".repeat(1_000_000), /at most 1000 characters, got 1000000/u],
    ["\0\ud800", /got other characters/u],
  ])("takes no key of %p", async (input, words) => {
    const { code, stderr } = await run(["configure", "--model", "openai/x", "--key-stdin"], { input });
    expect(code).toBe(2);
    expect(stderr).toMatch(words);
    expect(stderr.length).toBeLessThan(400);
  });

  it("saves the demo, and removes the address of a server", async () => {
    writeFileSync(
      file("config.json"),
      JSON.stringify({ userId: "ada", model: "openai/x", baseUrl: "http://localhost:9/v1" }),
    );
    const { code } = await run(["configure", "--model", "demo"]);
    expect({ code, config: read("config.json") }).toEqual({ code: 0, config: { userId: "ada", model: "demo" } });
  });

  it("names the environment variable that overrides the saved value", async () => {
    const env = { PALIMPSEST_MODEL: "openai/other" };
    const { stdout } = await run(["configure", "--model", "demo"], { env });
    expect(stdout).toContain("PALIMPSEST_MODEL is set in the environment to another value, which overrides the file");
  });

  it("says what to write without a terminal, and why a folder cannot be written to", async () => {
    const { code, stderr } = await run(["configure"]);
    expect({ code, stderr }).toEqual({
      code: 2,
      stderr: expect.stringMatching(/configure --model MODEL`, with --base-url/u),
    });
    mkdirSync(file("secrets.json"));
    await using server = await startRawServer([call]);
    const flags = ["--model", "openai/tiny", "--base-url", server.url, "--key-stdin"];
    const failed = await run(["configure", ...flags], { input: key });
    expect(failed).toMatchObject({ code: 2, stdout: "", stderr: expect.stringMatching(/secrets\.json/u) });
    expect(existsSync(file("config.json"))).toBe(false);
  });
});

describe("the doctor", () => {
  it("warns of a key and of secrets that others can read", async () => {
    writeFileSync(file("config.json"), JSON.stringify({ openaiApiKey: key }), { mode: 0o644 });
    writeFileSync(file("secrets.json"), "{}", { mode: 0o640 });
    const { stdout } = await runProgram(["doctor", "--json"], { home: home() });
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
    const { code, stdout } = await runProgram(["doctor"], { home: home() });
    expect(code).toBe(1);
    expect(stdout).toMatch(/failed +configuration +.*unknown.*"model"/iu);
    expect(stdout).toMatch(/2 checks/u);
  });
});
