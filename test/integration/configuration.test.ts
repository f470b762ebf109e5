// Effects of settings: the buffer's search, one user for everyone, no archival memory; and the program with a file.
import { createScriptedModel } from "../../src/exports/testing.ts";
import type { RuntimeOptions } from "../../src/runtime/compose/compose.ts";
import { drain, useRuntimes } from "../support/runtime.ts";
import { createSharedWordsEmbedder } from "../support/shared-words-embedder.ts";
import { chmodSync, writeFileSync } from "node:fs";
import path from "node:path";
import { runProgram } from "../support/program.ts";
import { useFolder } from "../support/folders.ts";

const runtimes = useRuntimes();

const said = Array.from({ length: 8 }, (_, at) => ({
  role: at % 2 === 0 ? ("user" as const) : ("assistant" as const),
  text: `Number ${at} is about ${["ferries", "parrots", "lemons", "bridges"][at % 4]}.`,
  at: new Date(`2026-11-21T10:0${at}:00Z`),
}));

async function open(options: RuntimeOptions) {
  const runtime = await runtimes.open({ userId: `user-${Math.random()}`, ...options });
  const { name } = await runtime.agents.create({ name: "ada" });
  return { runtime, name };
}

describe("the buffer in getContext", () => {
  const warning = "buffer: search by meaning is not available now, only words were compared";

  async function found(options: RuntimeOptions, query = "parrots", k = 5): Promise<readonly string[]> {
    const { runtime, name } = await open(options);
    await runtime.conversations.import(name, { messages: said });
    const context = await runtime.getContext(name, query, { recent: 2, k });
    expect(context.recent.map(({ text }) => text)).toEqual(said.slice(-2).map(({ text }) => text));
    return [...context.found.map(({ foundIn, text }) => `${foundIn}: ${text}`), ...context.warnings];
  }

  it("is searched by words, without recent messages and those beyond its size", async () => {
    expect(await found({ bufferSearch: "words" })).toEqual([
      "buffer: Number 5 is about parrots.",
      "buffer: Number 1 is about parrots.",
    ]);
    expect(await found({ bufferSearch: "words", bufferSize: 6 })).toEqual(["buffer: Number 5 is about parrots."]);
    expect(await found({ bufferSearch: "words" }, "bridges")).toEqual(["buffer: Number 3 is about bridges."]);
    expect(await found({ bufferSearch: "words", bufferSize: 2 })).toEqual([]);
    expect(await found({})).toEqual([]);
    // Recent messages do not reduce the number of hits.
    expect(await found({ bufferSearch: "words" }, "bridges", 1)).toEqual(["buffer: Number 3 is about bridges."]);
  });

  it("is searched by meaning with the runtime's embedder, or with its own", async () => {
    const [usual, own] = [createSharedWordsEmbedder(64), createSharedWordsEmbedder(32)];
    const meaning = { bufferSearch: "meaning", embedder: usual, embeddingFloor: 0.3 } as const;
    expect((await found(meaning, "Number 5 is about parrots"))[0]).toBe("buffer: Number 5 is about parrots.");
    expect(own.calls).toEqual([]);
    const withOwn = { ...meaning, embedders: [own], bufferEmbedding: own.name };
    expect((await found(withOwn, "Number 5 is about parrots"))[0]).toBe("buffer: Number 5 is about parrots.");
    expect(own.calls.flat()).toContain("Number 5 is about parrots");
  });

  it("is searched by words, with a warning, if its embedder fails or is missing", async () => {
    const own = createSharedWordsEmbedder(32);
    own.isDown = true;
    const broken = { embedder: createSharedWordsEmbedder(64), embedders: [own], bufferEmbedding: own.name };
    expect(await found({ ...broken, bufferSearch: "meaning" })).toEqual([
      "buffer: Number 5 is about parrots.",
      "buffer: Number 1 is about parrots.",
      warning,
    ]);
    expect(await found({ bufferSearch: "meaning" })).toContain(warning);
  });

  it("is an error at the start if its embedder cannot be opened", async () => {
    const options = { bufferSearch: "meaning", bufferEmbedding: "openai/text-embedding-3-small" } as const;
    await expect(runtimes.open(options)).rejects.toThrow(
      /^The buffer's embedder \(bufferEmbedding, or memory\.buffer\.embedding_model\): openai\/text-embedding-3-small needs a key/u,
    );
  });
});

describe("createMessageBuffer", () => {
  it("has the sizes, the search and the summarizer of the configuration", async () => {
    const model = createScriptedModel({ replies: [{ text: "They talked of ferries." }] });
    const embedder = createSharedWordsEmbedder();
    const options = { bufferSize: 4, bufferMultiplier: 3, bufferSearch: "meaning", models: [model] } as const;
    const { runtime } = await open({ ...options, model: model.name, embedder });
    const buffer = runtime.createMessageBuffer();
    expect([buffer.size, buffer.multiplier]).toEqual([4, 3]);
    for (const { role, text } of said.slice(0, 5)) buffer.addMessage(role, text);
    await buffer.summarize();
    expect(buffer.summaries.map(({ text }) => text)).toEqual(["They talked of ferries."]);
    expect(JSON.stringify(model.requests)).toContain("user: Number 0 is about ferries.");
    expect((await buffer.search("parrots")).wordsAlone).toBe(false);
    const restored = runtime.createMessageBuffer({}, JSON.stringify(buffer));
    expect(restored.toJSON()).toEqual(buffer.toJSON());
    expect(() => runtime.createMessageBuffer({}, "{}")).toThrow(/not the JSON of a message buffer/u);
    const own = runtime.createMessageBuffer({ vectorSearch: false });
    own.addMessage("user", "parrots");
    expect((await own.search("parrots")).wordsAlone).toBe(true);
  });

  it("loses nothing when the model that summarizes fails", async () => {
    const runtime = await runtimes.open({ bufferSize: 2, model: "openai/none", openaiApiKey: null });
    const buffer = runtime.createMessageBuffer();
    for (const { role, text } of said.slice(0, 3)) buffer.addMessage(role, text);
    await expect(buffer.summarize()).rejects.toMatchObject({ code: "summary_failed" });
    expect(buffer.getContext().messages).toHaveLength(3);
  });
});

describe("archivalMemory off", () => {
  it("removes its tools and its source; stored passages stay", async () => {
    const model = createScriptedModel({ replies: [{ text: "Hello." }, { text: "Hello." }] });
    const userId = "archivist";
    const shared = { models: [model], model: model.name, userId, queryPlanner: "on" } as const;
    const { runtime, name } = await open({ ...shared, archivalMemory: "off" });
    await drain((await runtime.agents.open(name)).send("Parrots?"));
    const namesIn = (at: number) => model.requests[at]?.tools.map((tool) => tool.name) ?? [];
    expect(namesIn(0)).toContain("conversation_search");
    expect(namesIn(0).filter((tool) => tool.startsWith("archival"))).toEqual([]);
    await runtime.archival.add(name, "Parrots live long.");
    expect((await runtime.getContext(name, "parrots")).sources.map((source) => source.name)).not.toContain("archival");
    const again = await runtimes.open(shared);
    await drain((await again.agents.open(name)).send("Parrots?"));
    expect(namesIn(1)).toContain("archival_memory_search");
    expect((await again.getContext(name, "parrots")).found.map(({ text }) => text)).toContain("Parrots live long.");
  });
});

describe("userIsolation off", () => {
  it("is logged at the start, and refuses a user", async () => {
    const lines: string[] = [];
    const runtime = await runtimes.open({ userIsolation: "off", log: (line) => lines.push(line) });
    expect(runtime.userId).toBe("local");
    expect(lines).toContain(
      'Users are not isolated (userIsolation: off): every caller acts as user "local" and sees all data.',
    );
    await expect(runtimes.open({ userIsolation: "off", userId: "ada" })).rejects.toThrow(
      "userId names a user, but userIsolation gives everyone the same user.",
    );
  });
});

describe("the program with a file", () => {
  const home = useFolder();

  function write(name: string, text: string): string {
    writeFileSync(path.join(home, name), text);
    chmodSync(path.join(home, name), 0o600);
    return name;
  }

  it("shows the origin of its settings, and secrets only as set", async () => {
    write("secrets.json", JSON.stringify({ POSTGRES_URI: "postgres://ada:hunter22@db/x" }));
    const file = write(
      "mine.yaml",
      "memory:\n  buffer: {size: 20}\n  persistent: {provider: postgresql, connection_string: '${{ secrets.POSTGRES_URI }}'}\n",
    );
    const { code, stdout, stderr } = await runProgram(["config", "show", "--config", file, "--json"], { home });
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(stdout).not.toContain("hunter22");
    const shown = JSON.parse(stdout) as { readonly file: string; readonly settings: readonly { key: string }[] };
    expect(shown.file).toBe(file);
    expect(shown.settings.find(({ key }) => key === "databaseUrl")).toEqual({
      key: "databaseUrl",
      value: "(set)",
      from: { kind: "file", name: "memory.persistent.connection_string" },
    });
  });

  it("shows no secret, whatever fails: a file, a value, a missing server", async () => {
    write("secrets.json", JSON.stringify({ PASSWORD: "hunter22", URI: "postgres://ada:hunter%2F22@127.0.0.1:1/x" }));
    const files = [
      write("value.yaml", "memory: {buffer: {embedding_model: '${{ secrets.PASSWORD }}'}}"),
      write("syntax.yaml", "openaiApiKey: hunter22: x"),
      write("syntax.json", '{"openaiApiKey": hunter22}'),
      write("server.yaml", "memory: {persistent: {connection_string: '${{ secrets.URI }}'}}"),
      write("model.yaml", "model: openai/${{ secrets.PASSWORD }}"),
      write("objects.yaml", "objects: s3:http://${{ secrets.PASSWORD }}.invalid/x"),
    ];
    for (const file of files) {
      for (const format of ["text", "stream-json"]) {
        const args = ["-p", "Hi", "--config", file, "--output-format", format, "--embedding", "none"];
        const { code, stdout, stderr } = await runProgram(args, { home, env: { PALIMPSEST_DEBUG: "1" } });
        const isRun = file === "objects.yaml" && code === 0;
        expect([file, isRun || stderr.includes("palimpsest: ")]).toEqual([file, true]);
        expect(`${stdout}${stderr}`).not.toMatch(/hunter(?:22|%2F22|\/22)/u);
      }
    }
  });

  it("says that everyone is the same user", async () => {
    const file = write("one.yaml", "memory: {persistent: {user_isolation: false}}");
    const args = ["-p", "Hi", "--config", file, "--embedding", "none", "--data-dir", path.join(home, "one")];
    const { code, stderr } = await runProgram(args, { home });
    expect(code).toBe(0);
    expect(stderr).toContain(
      'palimpsest: Users are not isolated (userIsolation: off): every caller acts as user "local"',
    );
    const refused = await runProgram([...args, "--user", "ada"], { home });
    expect(refused.code).toBe(2);
    expect(refused.stderr).toContain(
      `palimpsest: --user names a user, but ${file}: memory.persistent.user_isolation gives everyone the same user.`,
    );
  });
});
