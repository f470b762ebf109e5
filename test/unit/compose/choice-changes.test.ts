// How a choice of a model changes the configuration, and the notes about it.
import { changesOf, notesOf } from "../../../src/runtime/compose/choice-changes.ts";
import type { SavedChanges } from "../../../src/config/setting-changes.ts";
import type { ModelChoice } from "../../../src/runtime/setup.ts";

const saved: SavedChanges = { file: "/c.json", secretsFile: null, dropped: "absent" };
const none = { kind: "none" } as const;
const fresh = { kind: "new", text: "k-1" } as const;
const server: ModelChoice = { model: "openai/x", baseUrl: "http://x/v1", key: none };

function notes(
  choice: ModelChoice,
  facts: {
    readonly env?: Record<string, string>;
    readonly saved?: Partial<SavedChanges>;
    readonly embedding?: string;
  } = {},
) {
  const { env = {}, embedding = "local/use-lite" } = facts;
  return notesOf(choice, {
    saved: { ...saved, ...facts.saved },
    environment: (name) => env[name],
    embedding,
    openaiApi: "auto",
  });
}

describe("the changes of a choice", () => {
  it.each<readonly [ModelChoice, ReturnType<typeof changesOf>]>([
    [
      { model: "demo", baseUrl: null, key: none },
      { values: { model: "demo", baseUrl: null, openaiApi: null }, secret: null, dropped: null },
    ],
    [
      { ...server, assist: "on", embedder: "e" },
      {
        values: {
          model: "openai/x",
          baseUrl: "http://x/v1",
          openaiApi: null,
          assist: "on",
          embedding: "openai/e",
          embeddingBaseUrl: "http://x/v1",
        },
        secret: null,
        dropped: { key: "openaiApiKey", name: "OPENAI_API_KEY" },
      },
    ],
    [
      { model: "anthropic/x", baseUrl: null, key: fresh },
      {
        values: { model: "anthropic/x", baseUrl: null, openaiApi: null },
        secret: { key: "anthropicApiKey", name: "ANTHROPIC_API_KEY", text: "k-1" },
        dropped: null,
      },
    ],
    [
      server,
      {
        values: { model: "openai/x", baseUrl: "http://x/v1", openaiApi: null },
        secret: null,
        dropped: { key: "openaiApiKey", name: "OPENAI_API_KEY" },
      },
    ],
    [
      { ...server, key: { kind: "kept" } },
      { values: { model: "openai/x", baseUrl: "http://x/v1", openaiApi: null }, secret: null, dropped: null },
    ],
  ])("of %j", (choice, changes) => {
    expect(changesOf(choice, "auto")).toEqual(changes);
  });

  it("contain the API that was given at the start", () => {
    expect(changesOf(server, "chat").values).toEqual({
      model: server.model,
      baseUrl: server.baseUrl,
      openaiApi: "chat",
    });
  });
});

describe("the notes on a choice", () => {
  it("are empty if the environment sets the same values, or none", () => {
    expect(notes(server)).toEqual([]);
    expect(notes(server, { env: { PALIMPSEST_MODEL: "openai/x", PALIMPSEST_BASE_URL: "http://x/v1" } })).toEqual([]);
    expect(notes({ model: "demo", baseUrl: null, key: none }, { env: { OPENAI_API_KEY: "k" } })).toEqual([]);
  });

  it.each<readonly [Parameters<typeof notes>, RegExp]>([
    [[server, { env: { PALIMPSEST_BASE_URL: "http://y/v1" } }], /^PALIMPSEST_BASE_URL .* overrides the file/u],
    [[{ ...server, key: fresh }, { env: { OPENAI_API_KEY: "k-2" } }], /^OPENAI_API_KEY .* overrides the file/u],
    [[server, { env: { OPENAI_API_KEY: "k-2" } }], /^OPENAI_API_KEY .* is sent to this server as well/u],
    [[server, { saved: { dropped: "kept" } }], /^The file contains openaiApiKey/u],
    [[server, { saved: { dropped: "removed" } }], /^The reference to OPENAI_API_KEY was removed/u],
  ])("name what overrides the file: %j", (given, words) => {
    const told = notes(...given);
    expect(told).toEqual([expect.stringMatching(words)]);
    expect(told.join()).not.toContain("k-2");
  });

  it("say that an embedder may need the removed key", () => {
    const told = notes(server, { saved: { dropped: "removed" }, embedding: "openai/text-embedding-3-small" });
    expect(told[1]).toContain("set embeddingApiKey to ${{ secrets.OPENAI_API_KEY }} in the file");
  });
});
