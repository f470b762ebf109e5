// The models that `/model` offers: where they are asked for, and with which key.
import { offeredModels } from "../../../src/surfaces/cli/chat/offered-models.ts";
import { providerChoices } from "../../../src/runtime/compose/provider-keys.ts";
import { configDefaults } from "../../../src/config/settings.ts";
import { ModelUnavailableError } from "../../../src/base/errors.ts";
import { createFakeSetup, type FakeSetupOptions } from "../../support/fake-setup.ts";

const never = new AbortController().signal;
const server = { title: "Ollama", baseUrl: "http://localhost:11434/v1", models: ["tiny"], problem: null };

interface Given extends FakeSetupOptions {
  readonly model?: string;
  readonly baseUrl?: string | null;
  readonly openai?: string | null;
}

function offer({ model = "demo", baseUrl = null, openai = null, ...setting }: Given, signal = never) {
  const setup = createFakeSetup(setting);
  const providers = providerChoices({ ...configDefaults, openaiApiKey: openai });
  return { setup, listing: offeredModels({ settings: { model, baseUrl, providers }, setup }, signal) };
}

test("without a key, local servers and the demo model are offered, and no provider is asked", async () => {
  const { setup, listing } = offer({ servers: [server] });
  expect(await listing).toEqual({
    offers: [
      { model: "openai/tiny", baseUrl: server.baseUrl, about: "Ollama" },
      { model: "demo", baseUrl: null, about: "pattern rules" },
    ],
    notes: ["Not listed, no key: Anthropic (ANTHROPIC_API_KEY), OpenAI (OPENAI_API_KEY)."],
  });
  expect(setup.listed).toEqual([]);
});

test("a provider with a key is asked for its models, without those for other uses", async () => {
  const { listing } = offer({ openai: "sk-x", list: () => ["gpt-5", "gpt-5-audio", "text-embedding-3"] });
  const { offers } = await listing;
  expect(offers.map(({ model, baseUrl }) => [model, baseUrl])).toEqual([
    ["openai/gpt-5", null],
    ["demo", null],
  ]);
});

test("the key of a configured address is not sent to the provider's own server", async () => {
  const given = { model: "openai/a", baseUrl: server.baseUrl, openai: "sk-x", servers: [server], list: () => ["a"] };
  const { setup, listing } = offer(given);
  const { offers } = await listing;
  expect(setup.listed).toEqual([{ provider: "openai", baseUrl: server.baseUrl, key: null }]);
  expect(offers[0]).toEqual({ model: "openai/a", baseUrl: server.baseUrl, about: "the configured server" });
  expect(offers).toHaveLength(2);
});

test("a server that fails is a note, and the others are offered", async () => {
  const { listing } = offer({
    openai: "sk-x",
    servers: [server],
    list: () => {
      throw new ModelUnavailableError("OpenAI cannot be reached.", { provider: "openai" });
    },
  });
  const { offers, notes } = await listing;
  expect(offers.map(({ model }) => model)).toEqual(["openai/tiny", "demo"]);
  expect(notes).toEqual([
    "The models of OpenAI are not listed: OpenAI cannot be reached.",
    "Not listed, no key: Anthropic (ANTHROPIC_API_KEY).",
  ]);
});

test("an interruption ends the listing", async () => {
  const abort = new AbortController();
  const { listing } = offer(
    {
      openai: "sk-x",
      list: () => {
        abort.abort(new Error("left"));
        throw new ModelUnavailableError("Aborted.", { provider: "openai" });
      },
    },
    abort.signal,
  );
  await expect(listing).rejects.toThrow("left");
});

test("models of a server that cannot call tools are marked, and those that return vectors are left out", async () => {
  const models = ["chat", "plain", "vectors"];
  const abilities = { plain: { tools: false, embeddings: false }, vectors: { tools: false, embeddings: true } };
  const { listing } = offer({ servers: [{ ...server, models }], abilities });
  expect((await listing).offers.map(({ model, about }) => [model, about])).toEqual([
    ["openai/chat", "Ollama"],
    ["openai/plain", "Ollama, cannot call tools"],
    ["demo", "pattern rules"],
  ]);
});
