// The first run in a terminal: when it asks, what it saves, and that leaving writes nothing.
import { ModelAuthError, ModelRequestError } from "../../../../src/base/errors.ts";
import { preferredEmbedder } from "../../../../src/surfaces/cli/setup/pick-model.ts";
import type { ModelChoice } from "../../../../src/runtime/setup.ts";
import { stubRuntime, talkingRuntime } from "../../../support/stub-runtime.ts";
import { nothingConfigured, runWithAnswers, type SetupScene } from "./setup-scene.ts";

const facts = { provider: "openai" } as const;
const ollama = {
  title: "Ollama",
  baseUrl: "http://localhost:11434/v1",
  models: ["llama3.2", "qwen3:8b"],
  problem: null,
};

/** With `configure`, which asks the same questions without a chat. */
async function choose(
  scene: SetupScene,
): Promise<{ readonly choice: ModelChoice | undefined; readonly screen: string }> {
  const { setup, screen } = await runWithAnswers(["configure"], scene);
  return { choice: setup.saved[0], screen };
}

describe("the first start", () => {
  it.each<readonly [string, readonly string[], Partial<SetupScene>]>([
    ["a message is given", ["-p", "Hi"], {}],
    ["a model is named", ["-m", "demo"], {}],
    ["nobody is there to be asked", [], { world: { isAttended: false } }],
    ["there is a configuration file", [], { configuration: { ...nothingConfigured, file: "/data/config.json" } }],
    ["the environment names a model", [], { configuration: withSetting("model", "demo") }],
    ["there is a key of Anthropic's", [], { configuration: withSetting("anthropicApiKey", "(set)") }],
    ["there is a key of OpenAI's", [], { configuration: withSetting("openaiApiKey", "(set)") }],
  ])("asks nothing when %s, and opens the chat", async (_why, argv, scene) => {
    const { screen, opened } = await runWithAnswers(argv, { keys: [], ...scene });
    expect(opened).toBeDefined();
    expect(screen).not.toContain("Which model");
  });

  it("takes the demo on Enter, and saves it", async () => {
    const { setup, screen, opened } = await runWithAnswers([], { keys: ["\r"] });
    expect(opened).toBeDefined();
    expect(setup.saved).toEqual([{ model: "demo", baseUrl: null, key: { kind: "none" } }]);
    expect(screen).toContain("Saved: demo\n  in /data/config.json");
  });

  it.each([
    ["a name", ["DEMO\r"]],
    ["a word of the line", ["pattern\r"]],
    ["Down", ["\u001b[B\r"]],
    ["Up, over the beginning", ["\u001b[B\u001b[B\u001b[A\u001b[A\u001b[B\r"]],
  ])("takes the demo by %s", async (_title, keys) => {
    expect((await runWithAnswers([], { keys })).setup.saved).toMatchObject([{ model: "demo" }]);
  });

  it("takes nothing on Enter after it came back from another question", async () => {
    const { setup, screen } = await runWithAnswers([], { keys: ["2\r", "\r", "\r", "\u0003"] });
    expect(setup.saved).toEqual([]);
    expect(screen).toContain("Expected a number from 1 to 5 or a name (demo, anthropic, openai, server, file).");
  });

  it.each([
    ["Ctrl+C", "\u0003"],
    ["Ctrl+D", "\u0004"],
    ["Esc", "\u001b"],
  ])("leaves by %s without saving, opens nothing and ends with 130", async (_name, key) => {
    const { setup, screen, exitCode, opened } = await runWithAnswers([], { keys: [key] });
    expect({ saved: setup.saved, tested: setup.tested, exitCode, opened }).toEqual({
      saved: [],
      tested: [],
      exitCode: 130,
      opened: undefined,
    });
    expect(screen).toContain("Nothing was saved.");
  });

  it("leaves while a model is tested", async () => {
    const test: NonNullable<SetupScene["test"]> = (_choice, signal) =>
      new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason as Error)));
    const scene = { keys: ["4\r", "1\r", "1\r"], servers: [ollama], list: () => ollama.models, test };
    const { setup, exitCode, screen } = await runWithAnswers([], { ...scene, keyWhileTesting: "\u0003" });
    expect({ saved: setup.saved, tested: setup.tested.length, exitCode }).toEqual({
      saved: [],
      tested: 1,
      exitCode: 130,
    });
    expect(screen).toContain("Nothing was saved.");
  });

  it("goes back by Esc without the typed text, and sends nothing of it", async () => {
    const scene = { servers: [ollama], list: () => ollama.models };
    const { choice, screen } = await choose({ ...scene, keys: ["4\r", "1\r", "qwen\u001b", "1\r", "2\r"] });
    expect(choice?.model).toBe("openai/qwen3:8b");
    expect(screen.split("A number, or another address")).toHaveLength(3);
    expect(screen).not.toContain("Expected");
  });

  it("goes back from a hidden key by Esc, and never shows it", async () => {
    const { choice, screen } = await choose({ keys: ["2\r", "sk-secret\u001b", "1\r"] });
    expect(choice?.model).toBe("demo");
    expect(screen).not.toContain("secret");
  });

  it("stops the test of a model by Esc and asks again", async () => {
    const test: NonNullable<SetupScene["test"]> = (_choice, signal) =>
      new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason as Error)));
    const scene = {
      keys: ["4\r", "1\r", "1\r", "\u001b", "\u001b"],
      servers: [ollama],
      list: () => ollama.models,
      test,
    };
    const { setup, screen } = await runWithAnswers(["configure"], { ...scene, keyWhileTesting: "\u001b" });
    expect({ saved: setup.saved, tested: setup.tested.length }).toEqual({ saved: [], tested: 1 });
    expect(screen.indexOf("Stopped.")).toBeLessThan(screen.lastIndexOf("A number, or another address"));
    expect(screen).toContain("Nothing was saved.");
  });

  it("the chat uses the chosen model, even for an agent that was created with the demo", async () => {
    const runtime = talkingRuntime();
    const scene = { keys: ["4\r", "1\r", "2\r"], servers: [ollama], list: () => ollama.models };
    await runWithAnswers([], { ...scene, world: { openRuntime: async () => runtime } });
    const opened = runtime.calls.filter(([name]) => name === "agents.open");
    expect(opened).toEqual([["agents.open", "main", expect.objectContaining({ model: "openai/qwen3:8b" })]]);
  });
});

describe("configure", () => {
  const former = { model: "openai/old", settings: { baseUrl: null } };
  const records = [
    { name: "main", ownerId: "local", ...former },
    { name: "poet", ownerId: "local", ...former },
    { name: "elsewhere", ownerId: "local", model: "openai/old", settings: { baseUrl: "http://localhost:1/v1" } },
    { name: "borrowed", ownerId: "bob", ...former },
  ];

  it.each<readonly [string, readonly string[]]>([
    ["y", ["main", "poet"]],
    ["", []],
    ["no", []],
  ])("offers to change the agents that use the former model; after %j it changes %j", async (answer, expected) => {
    const changed: unknown[] = [];
    const agents = {
      list: async () => records as never,
      setModel: async (name: string, model: string, options: object) => (
        changed.push([name, model, options]), null as never
      ),
    };
    const scene = { keys: ["1\r", `${answer}\r`], former: "openai/old" };
    const world = { openRuntime: async () => stubRuntime({ agents }) };
    const { screen, setup } = await runWithAnswers(["configure"], { ...scene, world });
    expect(setup.saved).toHaveLength(1);
    expect(screen).toContain("2 agents still use openai/old: main, poet.");
    expect(changed).toEqual(expected.map((name) => [name, "demo", { baseUrl: null }]));
  });
});

describe("the choice", () => {
  it("says what a small window means before it saves, and tries the short prompt", async () => {
    const test: NonNullable<SetupScene["test"]> = ({ assist }) => ({
      window: 2048,
      promptTokens: 2500,
      fits: assist === "on" ? "well" : "not",
      advice: "Start it with a larger one.",
    });
    const scene = { servers: [ollama], list: () => ollama.models, test };
    const { choice, screen } = await choose({ ...scene, keys: ["4\r", "1\r", "1\r", "y\r", "s\r"] });
    expect(wordsOf(screen)).toContain(
      "take 2,500 tokens, which leaves no room for a conversation in a window of 2,048 tokens (stated by its server). Start it with a larger one.",
    );
    expect(screen).toContain("Expected one of these letters, or Enter.");
    expect(choice).toMatchObject({ model: "openai/llama3.2", assist: "on" });
  });

  it("saves a model with a window smaller than needed only after a yes", async () => {
    const scene = { servers: [ollama], list: () => ollama.models, test: () => ({ fits: "barely" as const }) };
    const left = await choose({ ...scene, keys: ["4\r", "1\r", "1\r", "\r", "\u0003"] });
    expect(left.choice).toBeUndefined();
    const { choice } = await choose({ ...scene, keys: ["4\r", "1\r", "1\r", "y\r"] });
    expect(choice).toEqual({ model: "openai/llama3.2", baseUrl: ollama.baseUrl, key: { kind: "none" } });
  });

  it("marks models that cannot call tools, and offers none that return vectors", async () => {
    const abilities = {
      "llama3.2": { tools: false, embeddings: false },
      "nomic-embed-text": { tools: false, embeddings: true },
    };
    const models = ["nomic-embed-text", "llama3.2", "qwen3:8b"];
    const { screen, choice } = await choose({
      keys: ["4\r", "1\r", "2\r", "\r"],
      servers: [{ ...ollama, models }],
      list: () => models,
      abilities,
    });
    expect(screen).toContain("   1  llama3.2  cannot call tools: not for agents\n   2  qwen3:8b\n");
    expect(choice?.model).toBe("openai/qwen3:8b");
  });

  it.each<readonly [string, string | undefined]>([
    ["y", "nomic-embed-text"],
    ["", undefined],
    ["n", undefined],
  ])("offers a model that returns vectors as the embedder; after %j it saves %j", async (answer, embedder) => {
    const abilities = { "nomic-embed-text": { tools: false, embeddings: true } };
    const models = ["nomic-embed-text", "qwen3:8b"];
    const { screen, choice } = await choose({
      keys: ["4\r", "1\r", "1\r", `${answer}\r`],
      servers: [{ ...ollama, models }],
      list: () => models,
      abilities,
    });
    expect(wordsOf(screen)).toContain(
      "New agents search memory by local/use-lite. This server has the embedder nomic-embed-text.",
    );
    expect(choice?.model).toBe("openai/qwen3:8b");
    expect(choice?.embedder).toBe(embedder);
  });

  it.each([
    ["en-US", "nomic-embed-text"],
    ["pt-PT", "bge-m3:latest"],
    ["ja-JP", "bge-m3:latest"],
  ])("prefers for %s the embedder %s", (locale, expected) => {
    expect(preferredEmbedder(["nomic-embed-text", "bge-m3:latest", "intfloat/multilingual-e5"], locale)).toBe(expected);
  });

  it("prefers the first embedder if none is known to know the user's language", () => {
    expect(preferredEmbedder(["nomic-embed-text", "all-minilm"], "pt-PT")).toBe("nomic-embed-text");
    expect(preferredEmbedder([], "pt-PT")).toBeUndefined();
  });

  it("does not save a model that calls no tool", async () => {
    const scene = { servers: [ollama], list: () => ollama.models, test: () => ({ callsTools: false }) };
    const { choice, screen } = await choose({ ...scene, keys: ["4\r", "1\r", "1\r", "y\r", "\r", "\u0003"] });
    expect(choice).toBeUndefined();
    expect(wordsOf(screen)).toContain("called no tool when it was asked to");
  });

  it("asks again after an invalid answer", async () => {
    const answers = ["9\r", "-1\r", "0\r", "one\r", `${"a".repeat(1000)}\r`, "日本\r", "🦊\r", "</human>\r"];
    const { screen, choice } = await choose({ keys: [...answers, "1\r"] });
    expect(
      screen.split("Expected a number from 1 to 5 or a name (demo, anthropic, openai, server, file)."),
    ).toHaveLength(answers.length + 1);
    expect(choice?.model).toBe("demo");
  });

  it("accepts a key without showing it, and a model by its number", async () => {
    const list = () => ["gpt-9", "text-embedding-9", "gpt-9-audio"];
    const { screen, choice } = await choose({ keys: ["3\r", "sk-very-secret\r", "1\r"], list });
    expect(choice).toEqual({ model: "openai/gpt-9", baseUrl: null, key: { kind: "new", text: "sk-very-secret" } });
    expect(screen).not.toContain("sk-very-secret");
    expect(screen).not.toContain("text-embedding-9");
    expect(screen).not.toContain("audio");
  });

  it("asks for the key again when it is refused, with a message", async () => {
    const list: NonNullable<SetupScene["list"]> = ({ key }) => {
      if (key === "right") return ["claude-9"];
      throw new ModelAuthError("Anthropic refused the key (401). Check that it is whole.", facts);
    };
    const { screen, choice } = await choose({ keys: ["2\r", "wrong\r", "right\r", "claude-9\r"], list });
    expect(screen).toContain("That did not work. Anthropic refused the key (401).");
    expect(choice).toEqual({ model: "anthropic/claude-9", baseUrl: null, key: { kind: "new", text: "right" } });
  });

  it("goes back from an empty key, and refuses one that cannot be sent", async () => {
    const { screen, choice } = await choose({ keys: ["2\r", "schlüssel\r", "a b\r", "\r", "1\r"] });
    expect(screen.split("Expected a key of letters, digits and symbols")).toHaveLength(3);
    expect(screen).not.toContain("schlüssel");
    expect(choice?.model).toBe("demo");
  });

  it("tries again on a, goes back on Enter, and ignores other answers", async () => {
    let calls = 0;
    const test = (): void => {
      calls += 1;
      if (calls < 3) throw new ModelRequestError("The account's quota is used up (429). Check its plan.", facts);
    };
    const keys = ["4\r", "1\r", "2\r", "a\r", "/help\r", "a\r"];
    const { screen, choice } = await choose({ keys, servers: [ollama], list: () => ollama.models, test });
    expect(screen.split("quota is used up")).toHaveLength(3);
    expect(choice).toEqual({ model: "openai/qwen3:8b", baseUrl: ollama.baseUrl, key: { kind: "none" } });
    expect(calls).toBe(3);
    expect(screen).toContain("Expected a, or Enter.");
  });

  it("goes back to the path on Enter, without another test", async () => {
    let calls = 0;
    const test = (): void => {
      calls += 1;
      if (calls === 1) throw new ModelRequestError("There is no such file.", facts);
    };
    const { choice } = await choose({ keys: ["5\r", "/wrong.gguf\r", "\r", "/right.gguf\r"], test });
    expect(choice?.model).toBe("/right.gguf");
    expect(calls).toBe(2);
  });

  it("lists servers that answer on this machine, and reports others", async () => {
    const ours = { ...ollama, models: [...ollama.models, "Qwen/Qwen3-8B"] };
    expect((await choose({ keys: ["Qwen/Qwen3-8B\r", "\r", "1\r"], servers: [ours] })).screen).toContain(
      "Ollama: 3 models",
    );
    const broken = { title: "vLLM", baseUrl: "http://localhost:8000/v1", models: [], problem: "it requires a key" };
    const { screen } = await choose({ keys: ["qwen3:8b\r", "\r", "1\r"], servers: [ollama, broken] });
    expect(screen).toContain("Ollama runs here: llama3.2, qwen3:8b");
    expect(screen).toContain("  1  http://localhost:11434/v1  Ollama: 2 models");
    expect(screen).toContain("  2  http://localhost:8000/v1  (the port of vLLM) it requires a key");
  });

  it("accepts an address with or without /v1, and asks for a key only if it is required", async () => {
    const list: NonNullable<SetupScene["list"]> = ({ baseUrl, key }) => {
      if (baseUrl?.endsWith("/v1") !== true) throw new ModelRequestError("No list there (404).", facts);
      if (key === "") throw new ModelAuthError("It wants one.", facts);
      return ["big"];
    };
    const keys = ["4\r", "ftp://x\r", "http://u:p@x\r", "7\r", "https://models.example/\r", "k-1\r", "big\r"];
    const { screen, choice } = await choose({ keys, list });
    expect(screen.split("Expected an address that begins with http://")).toHaveLength(4);
    expect(screen).toContain("The server requires a key.");
    expect(choice).toEqual({
      model: "openai/big",
      baseUrl: "https://models.example/v1",
      key: { kind: "new", text: "k-1" },
    });
  });

  it("types the last address on Up", async () => {
    let calls = 0;
    const list = (): readonly string[] => {
      calls += 1;
      if (calls === 1) throw new ModelRequestError("Nothing listens there.", facts);
      return ["big"];
    };
    const keys = ["4\r", "http://off.example/v1\r", "\r", "\u001b[A", "\r", "big\r"];
    const { screen, choice } = await choose({ keys, list });
    expect(screen).toContain("(Enter goes back, ↑ types the last one): http://off.example/v1");
    expect(choice).toMatchObject({ model: "openai/big", baseUrl: "http://off.example/v1" });
  });

  it("asks for a key if the list of models is public but calls are not", async () => {
    const test: NonNullable<SetupScene["test"]> = ({ key }) => {
      if (key.kind !== "new") throw new ModelAuthError("It refused (401).", facts);
    };
    const keys = ["4\r", "http://open.example/v1\r", "big\r", "k-1\r"];
    const { choice } = await choose({ keys, list: () => ["big"], test });
    expect(choice).toMatchObject({ model: "openai/big", key: { kind: "new", text: "k-1" } });
  });

  it("accepts the path of a GGUF file, also quoted, and makes it absolute", async () => {
    const { screen, choice } = await choose({ keys: ["5\r", "model.bin\r", "'models/a b.gguf'\r"] });
    expect(screen).toContain("Expected the path of a file that ends in .gguf.");
    expect(choice?.model).toBe(`${process.cwd()}/models/a b.gguf`);
  });

  it("keeps an existing key", async () => {
    const configuration = withSetting("openaiApiKey", "(set)");
    const { choice, screen } = await choose({ keys: ["3\r", "\r", "gpt-9\r"], configuration });
    expect(choice).toEqual({ model: "openai/gpt-9", baseUrl: null, key: { kind: "kept" } });
    expect(screen).toContain("Enter keeps the configured key");
  });

  it("shows no control sequence of a server's", async () => {
    const evil = { ...ollama, models: ["\u001b]0;title\u0007x"] };
    const { screen } = await choose({ keys: ["1\r"], servers: [evil] });
    expect(screen).toContain("Ollama runs here: x");
  });

  it("rethrows an error of another class", async () => {
    const scene: SetupScene = {
      keys: ["4\r", "1\r"],
      servers: [ollama],
      list: () => {
        throw new RangeError("a bug");
      },
    };
    const { exitCode, stderr, setup } = await runWithAnswers(["configure"], scene);
    expect({ exitCode, saved: setup.saved }).toEqual({ exitCode: 1, saved: [] });
    expect(stderr).toContain("unexpected error: a bug");
  });
});

/** A screen without its line breaks. */
function wordsOf(screen: string): string {
  return screen.replaceAll(/\s+/gu, " ");
}

function withSetting(key: string, value: string) {
  const settings = nothingConfigured.settings.map((setting) =>
    setting.key === key ? { key, value, from: { kind: "environment", name: "X" } as const } : setting,
  );
  return { file: null, settings };
}
