// Asks for a model of a provider that requires a key: first the key, then one of its models.
// Invariant: the typed key is hidden, and no output contains it.
import type { ModelChoice, ProviderChoice } from "../../../runtime/setup.ts";
import type { Dialogue } from "./dialogue.ts";
import { chatNames, pickModel } from "./pick-model.ts";
import { isBack, repeatable, tryChoice } from "./try-choice.ts";

/** Asks for the key and the model of a provider. Returns the tested choice; null to go back. */
export async function askKeyed(dialogue: Dialogue, chosen: ProviderChoice): Promise<ModelChoice | null> {
  const { questions, setup, context } = dialogue;
  const { id: provider, brand: title, keyPage, hasKey } = chosen;
  const baseUrl = context.fixedBaseUrl;
  questions.say(`\nCreate a key at ${keyPage}. ${title} bills what you use.`);
  for (;;) {
    const key = await askKey(dialogue, { title, hasKey });
    if (key === null) return null;
    const place = { provider, baseUrl, key: key.kind === "new" ? key.text : null };
    const models = await repeatable(questions, (signal) => setup.listModels(place, signal));
    if (models === null) continue;
    const name = await pickModel(questions, { provider, names: chatNames(provider, models) });
    if (name === null) return null;
    const choice: ModelChoice = { model: `${provider}/${name}`, baseUrl, key };
    const tried = await tryChoice(dialogue, choice);
    if (typeof tried !== "string") return tried;
  }
}

/** Asks for a key. Returns null to go back. */
export async function askKey(
  { questions }: Pick<Dialogue, "questions">,
  { title, hasKey }: { readonly title: string; readonly hasKey: boolean },
): Promise<ModelChoice["key"] | null> {
  const otherwise = hasKey ? "Enter keeps the configured key, Esc goes back" : "Enter goes back";
  for (;;) {
    const answer = await questions.ask(`Key for ${title} (hidden; ${otherwise}): `, { isHidden: true });
    if (answer === "") return hasKey ? { kind: "kept" } : null;
    if (isBack(answer)) return null;
    const fault = faultOfKey(answer);
    if (fault === null) return { kind: "new", text: answer };
    questions.say(fault);
  }
}

/**
 * Returns the fault of a typed key; null for a possible key. A key is sent in a header, which allows only visible ASCII. The
 * fault does not quote the text.
 */
export function faultOfKey(text: string): string | null {
  if (text.length > 1000) return `Expected a key of at most 1000 characters, got ${text.length}. Copy it again.`;
  if (/^[\x21-\x7e]+$/u.test(text)) return null;
  return "Expected a key of letters, digits and symbols, got other characters (not shown). Copy it again.";
}
