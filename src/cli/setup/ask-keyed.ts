// A model of a provider that wants a key: the key, then one of the models that it opens.
// Invariant: the key is typed hidden and shown in nothing that is said.
import type { ModelChoice, ProviderChoice } from "../../runtime/setup.ts";
import type { Dialogue } from "./dialogue.ts";
import { faultOfKey } from "./key-fault.ts";
import { chatNames } from "./model-names.ts";
import { pickModel } from "./pick-model.ts";
import { isBack, repeatable, tryChoice } from "./try-choice.ts";

/** Null: back. */
export async function askKeyed(dialogue: Dialogue, chosen: ProviderChoice): Promise<ModelChoice | null> {
  const { questions, setup, standing } = dialogue;
  const { id: provider, brand: title, keyPage, hasKey } = chosen;
  const baseUrl = standing.imposedBaseUrl;
  questions.say(`\nA key of ${title}'s is made at ${keyPage}. What you use is paid for there.`);
  for (;;) {
    const key = await askKey(dialogue, { title, hasKey });
    if (key === null) return null;
    const place = { provider, baseUrl, key: key.kind === "new" ? key.text : null };
    const models = await repeatable(questions, () => setup.listModels(place, questions.signal));
    if (models === null) continue;
    const name = await pickModel(questions, { provider, names: chatNames(provider, models) });
    if (name === null) return null;
    const choice: ModelChoice = { model: `${provider}/${name}`, baseUrl, key };
    if ((await tryChoice(dialogue, choice)) === "answers") return choice;
  }
}

interface KeyWanted {
  readonly title: string;
  /** One is configured already. */
  readonly hasKey: boolean;
}

/** Null: back. */
export async function askKey(
  { questions }: Pick<Dialogue, "questions">,
  { title, hasKey }: KeyWanted,
): Promise<ModelChoice["key"] | null> {
  const otherwise = hasKey ? "Enter takes the one that is set, b goes back" : "Enter goes back";
  for (;;) {
    const answer = await questions.ask(`Key for ${title} (it stays hidden; ${otherwise}): `, { isHidden: true });
    if (answer === "") return hasKey ? { kind: "kept" } : null;
    if (isBack(answer)) return null;
    const fault = faultOfKey(answer);
    if (fault === null) return { kind: "new", text: answer };
    questions.say(fault);
  }
}
