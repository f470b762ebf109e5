// One of a list of models, by its number or its name.
import type { Questions } from "./questions.ts";
import { isBack } from "./try-choice.ts";

/** How many are shown: with the question they fit on a screen of 24 rows. */
const maxShown = 18;

export interface ModelList {
  readonly provider: string;
  /** Without the provider. May be empty: then a name is typed. */
  readonly names: readonly string[];
}

/** A name without its provider; null: back. */
export async function pickModel(questions: Questions, { provider, names }: ModelList): Promise<string | null> {
  const shown = names.slice(0, maxShown);
  const more = names.length - shown.length;
  const rows = shown.map((name, index) => `  ${String(index + 1).padStart(2)}  ${name}`);
  questions.say(["", ...rows, ...(more > 0 ? [`      and ${more} more, by their names`] : []), ""].join("\n"));
  for (;;) {
    const answer = await questions.ask(
      `Which model? (${shown.length > 0 ? "a number or a name" : "its name"}; Enter goes back): `,
    );
    if (answer === "" || isBack(answer)) return null;
    const picked = /^\d{1,4}$/u.test(answer) ? shown[Number(answer) - 1] : nameIn(answer, provider);
    if (picked !== undefined) return picked;
    questions.say(
      shown.length > 0
        ? `Expected a number from 1 to ${shown.length}, or the name of a model without spaces.`
        : "Expected the name of a model without spaces.",
    );
  }
}

/** As it is typed, also with the provider in front; undefined for what cannot be one. */
function nameIn(text: string, provider: string): string | undefined {
  const name = text.startsWith(`${provider}/`) ? text.slice(provider.length + 1) : text;
  return /^[^\s\p{Cc}]{1,500}$/u.test(name) ? name : undefined;
}
