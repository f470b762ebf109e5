// A model of a server that speaks OpenAI's API: one that was found on this machine, or one by its address.
// Invariant: a key goes to no server that it was not typed for.
import { ModelAuthError } from "../../errors.ts";
import type { LocalServer, ModelChoice } from "../../runtime/setup.ts";
import { askKey } from "./ask-keyed.ts";
import type { Dialogue } from "./dialogue.ts";
import { pickModel } from "./pick-model.ts";
import { addressesOf } from "./server-address.ts";
import { isBack, repeatable, tryChoice } from "./try-choice.ts";

/** Null: back. */
export async function askServer(dialogue: Dialogue): Promise<ModelChoice | null> {
  const { questions, setup } = dialogue;
  // Again: it may have been started since.
  const servers = await setup.findServers(questions.signal);
  questions.say(["", ...(servers.length === 0 ? [nothingRuns] : servers.map(serverRow)), ""].join("\n"));
  for (;;) {
    const answer = await questions.ask(questionFor(servers));
    if (answer === "" || isBack(answer)) return null;
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
  "Nothing answers at the usual ports of this machine (11434, 1234, 8080, 8000).\n" +
  "Ollama, for one: https://ollama.com, then `ollama pull` a model that can call tools.";

function serverRow({ title, baseUrl, models, problem }: LocalServer, index: number): string {
  const count = `${models.length} model${models.length === 1 ? "" : "s"}`;
  return `  ${index + 1}  ${baseUrl}  ${problem === null ? `${title}: ${count}` : `(the port of ${title}) ${problem}`}`;
}

function questionFor(servers: readonly LocalServer[]): string {
  const first =
    servers.length === 0 ? "Its address, such as http://localhost:11434/v1" : "A number, or the address of another";
  return `${first} (Enter goes back): `;
}

function expectedAddress(count: number): string {
  const numbers = count === 0 ? "" : `a number from 1 to ${count}, or `;
  return `Expected ${numbers}an address that begins with http:// or https://, without a user and a password in it.`;
}

/** At the first address that lists models. Null: back. */
async function chooseAt(dialogue: Dialogue, addresses: readonly string[]): Promise<ModelChoice | null> {
  const { questions } = dialogue;
  let key: ModelChoice["key"] = { kind: "none" };
  let name: string | null = null;
  for (;;) {
    const text = key.kind === "new" ? key.text : "";
    const listed = await repeatable(questions, () => listAtAny(dialogue, { addresses, key: text }));
    if (listed === null) return null;
    if (listed !== "wants a key") {
      name ??= await pickModel(questions, { provider: "openai", names: listed.models });
      if (name === null) return null;
      const choice: ModelChoice = { model: `openai/${name}`, baseUrl: listed.baseUrl, key };
      const outcome = await tryChoice(dialogue, choice);
      // Some list their models to everybody, and want a key for a call.
      if (outcome !== "refused") return outcome === "answers" ? choice : null;
    } else questions.say(key.kind === "new" ? "It refused that key." : "It wants a key.");
    const given = await askKey(dialogue, { title: "this server", hasKey: false });
    if (given === null) return null;
    key = given;
  }
}

interface Listed {
  readonly baseUrl: string;
  readonly models: readonly string[];
}

interface Question {
  readonly addresses: readonly string[];
  /** Empty: none, also where one is configured for another. */
  readonly key: string;
}

/** Throws what the first address fails with, when all fail. */
async function listAtAny(
  { questions, setup }: Dialogue,
  { addresses, key }: Question,
): Promise<Listed | "wants a key"> {
  let first: unknown;
  for (const baseUrl of addresses) {
    try {
      const place = { provider: "openai", baseUrl, key } as const;
      return { baseUrl, models: await setup.listModels(place, questions.signal) };
    } catch (error) {
      questions.signal.throwIfAborted();
      if (error instanceof ModelAuthError) return "wants a key";
      first ??= error;
    }
  }
  throw first;
}
