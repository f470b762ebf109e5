// Asks for a model of a server with OpenAI's API: one found on this machine, or one at a typed address.
// Invariant: a key is sent only to the server that it was typed for.
import { ModelAuthError } from "../../../base/errors.ts";
import { withScheme } from "../../../config/settings/forms.ts";
import type { LocalServer, ModelChoice } from "../../../runtime/setup.ts";
import { askKey } from "./ask-keyed.ts";
import type { Dialogue } from "./dialogue.ts";
import { type ModelList, pickModel, preferredEmbedder } from "./pick-model.ts";
import { isBack, repeatable, tryChoice } from "./try-choice.ts";
import { isYes } from "../print.ts";

/** Asks for a server and one of its models. Returns the tested choice; null to go back. */
export async function askServer(dialogue: Dialogue): Promise<ModelChoice | null> {
  const { questions, setup } = dialogue;
  // Servers are searched again, because one may have been started since the menu was shown.
  const servers = await setup.findServers(questions.signal);
  questions.say(["", ...(servers.length === 0 ? [nothingRuns] : servers.map(serverRow)), ""].join("\n"));
  for (let last: readonly string[] = []; ; ) {
    const answer = await questions.ask(questionFor(servers, last), { choices: last });
    if (answer === "" || isBack(answer)) return null;
    last = [answer];
    const addresses = /^\d{1,2}$/u.test(answer) ? [servers[Number(answer) - 1]?.baseUrl ?? ""] : addressesOf(answer);
    if (addresses.length === 0 || addresses.includes("")) {
      questions.say(expectedAddress(servers.length));
      continue;
    }
    const choice = await chooseAt(dialogue, addresses);
    if (choice !== null) return choice;
  }
}

const nothingRuns =
  "No server answers at the usual ports of this machine (11434, 1234, 8080, 8000).\n" +
  "For example, install Ollama (https://ollama.com) and `ollama pull` a model that can call tools.";

function serverRow({ title, baseUrl, models, problem }: LocalServer, index: number): string {
  const count = `${models.length} model${models.length === 1 ? "" : "s"}`;
  return `  ${index + 1}  ${baseUrl}  ${problem === null ? `${title}: ${count}` : `(the port of ${title}) ${problem}`}`;
}

function questionFor(servers: readonly LocalServer[], last: readonly string[]): string {
  const first = servers.length === 0 ? "The server's address, such as localhost:1234" : "A number, or another address";
  return `${first} (Enter goes back${last.length === 0 ? "" : ", ↑ types the last one"}): `;
}

function expectedAddress(count: number): string {
  const numbers = count === 0 ? "" : `a number from 1 to ${count}, or `;
  return `Expected ${numbers}an address that begins with http:// or https:// (not needed for localhost:PORT), without a user or a password.`;
}

/** Asks for a model of the first address that lists models. Returns the tested choice; null to go back. */
async function chooseAt(dialogue: Dialogue, addresses: readonly string[]): Promise<ModelChoice | null> {
  const { questions } = dialogue;
  let key: ModelChoice["key"] = { kind: "none" };
  let name: string | null = null;
  for (;;) {
    const text = key.kind === "new" ? key.text : "";
    const listed = await repeatable(questions, (signal) => listAtAny(dialogue, { addresses, key: text, signal }));
    if (listed === null) return null;
    if (listed !== "wants a key") {
      const { embedders, ...offered } = await readModels(dialogue, listed, text);
      name ??= await pickModel(questions, { provider: "openai", ...offered });
      if (name === null) return null;
      const choice: ModelChoice = { model: `openai/${name}`, baseUrl: listed.baseUrl, key };
      const tried = await tryChoice(dialogue, choice);
      // After `refused`, a key is asked for: some servers list their models without a key, but require one for calls.
      if (tried === "back") return null;
      if (tried !== "refused") return withEmbedder(dialogue, tried, embedders);
    } else questions.say(key.kind === "new" ? "The server rejected the key." : "The server requires a key.");
    const given = await askKey(dialogue, { title: "this server", hasKey: false });
    if (given === null) return null;
    key = given;
  }
}

/** Returns the models for chats, with marks on those that cannot call tools, and the embedders. */
async function readModels(
  { questions, setup }: Dialogue,
  { baseUrl, models }: Listed,
  key: string,
): Promise<Pick<ModelList, "names" | "marks"> & { readonly embedders: readonly string[] }> {
  const known = await setup.abilities({ provider: "openai", baseUrl, key }, models, questions.signal);
  const embedders = models.filter((name) => known.get(name)?.embeddings === true);
  const names = models.filter((name) => !embedders.includes(name));
  const without = names.filter((name) => known.get(name)?.tools === false);
  return { names, embedders, marks: new Map(without.map((name) => [name, "  cannot call tools: not for agents"])) };
}

/** Offers one of the embedders for new agents. Returns the choice, with the embedder if the user accepts it. */
async function withEmbedder(
  { questions, context: { embedding, locale } }: Dialogue,
  choice: ModelChoice,
  names: readonly string[],
): Promise<ModelChoice> {
  const embedder = preferredEmbedder(names, locale);
  if (embedder === undefined || embedding === `openai/${embedder}`) return choice;
  questions.say(`\nNew agents search memory by ${embedding}. This server has the embedder ${embedder}.`);
  const answer = await questions.ask("y uses it for new agents, Enter keeps the other: ");
  return isYes(answer) ? { ...choice, embedder } : choice;
}

interface Listed {
  readonly baseUrl: string;
  readonly models: readonly string[];
}

interface Question {
  readonly addresses: readonly string[];
  /** The key of the server; empty for none, even if a key is configured for another server. */
  readonly key: string;
  readonly signal: AbortSignal;
}

/** Lists the models of the first address that answers. If all fail, throws the error of the first one. */
async function listAtAny(
  { setup }: Pick<Dialogue, "setup">,
  { addresses, key, signal }: Question,
): Promise<Listed | "wants a key"> {
  let first: unknown;
  for (const baseUrl of addresses) {
    try {
      const place = { provider: "openai", baseUrl, key } as const;
      return { baseUrl, models: await setup.listModels(place, signal) };
    } catch (error) {
      signal.throwIfAborted();
      if (error instanceof ModelAuthError) return "wants a key";
      first ??= error;
    }
  }
  throw first;
}

/**
 * Returns the URLs to try in order: the typed one, then the same with `/v1`, which users often omit. Empty for an invalid
 * address.
 */
export function addressesOf(given: string): readonly string[] {
  const text = withScheme(given);
  if (!/^https?:\/\/[^\s\p{Cc}]{1,2000}$/iu.test(text) || !URL.canParse(text)) return [];
  const { username, password, search, hash, pathname } = new URL(text);
  if (username !== "" || password !== "" || search !== "" || hash !== "") return [];
  const typed = text.replace(/\/{1,20}$/u, "");
  return /\/v\d/u.test(pathname) ? [typed] : [typed, `${typed}/v1`];
}
