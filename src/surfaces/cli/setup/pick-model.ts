// Asks the user to choose a model from a list, by number or name, and selects the names to show.
// Invariant: a name that is not shown can still be typed.
import type { Questions } from "./questions.ts";
import { isBack } from "./try-choice.ts";

/** Maximum names shown, so that they fit on a screen of 24 rows with the question. */
const maxShown = 18;

export interface ModelList {
  readonly provider: string;
  /** Names without the provider. If empty, the user types a name. */
  readonly names: readonly string[];
  /** For some names, a text that the list shows after the name, for example that the model cannot call tools. */
  readonly marks?: ReadonlyMap<string, string>;
}

/** Asks for a model of the list. Returns its name without the provider; null to go back. */
export async function pickModel(questions: Questions, { provider, names, marks }: ModelList): Promise<string | null> {
  const shown = names.slice(0, maxShown);
  const more = names.length - shown.length;
  const rows = shown.map((name, index) => `  ${String(index + 1).padStart(2)}  ${name}${marks?.get(name) ?? ""}`);
  questions.say(["", ...rows, ...(more > 0 ? [`      and ${more} more: type a name`] : []), ""].join("\n"));
  for (;;) {
    const answer = await questions.ask(
      `Which model? (${shown.length > 0 ? "a number, a name, or ↑ ↓" : "its name"}; Enter goes back): `,
      { choices: shown },
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

/** Returns a typed name without the provider's prefix; undefined for an invalid name. */
function nameIn(text: string, provider: string): string | undefined {
  const name = text.startsWith(`${provider}/`) ? text.slice(provider.length + 1) : text;
  return /^[^\s\p{Cc}]{1,500}$/u.test(name) ? name : undefined;
}

const maxWidth = 50;

/** Returns the first names that fit into 50 characters, and the number of the others. */
export function listedNames(names: readonly string[]): string {
  const shown: string[] = [];
  for (const name of names) {
    if (shown.length > 0 && [...shown, name].join(", ").length > maxWidth) break;
    shown.push(name.length > maxWidth ? `${name.slice(0, maxWidth - 1)}…` : name);
  }
  const more = names.length - shown.length;
  return `${shown.join(", ")}${more === 0 ? "" : ` and ${more} more`}`;
}

/** Returns the embedder to offer: the first multilingual one if the locale is not English, otherwise the first one. */
export function preferredEmbedder(names: readonly string[], locale: string): string | undefined {
  const multilingual = /^en\b/u.test(locale) ? undefined : names.find((name) => manyLanguages.test(name));
  return multilingual ?? names[0];
}

const manyLanguages = /multilingual|bge-m3|arctic-embed2|embeddinggemma|qwen3-embedding|(?:^|[/-])e5(?:-|$)|labse/iu;

/** Returns the names of OpenAI's models for conversations; all names for other providers, or if none would be left. */
export function chatNames(provider: string, names: readonly string[]): readonly string[] {
  if (provider !== "openai") return names;
  const kept = names.filter((name) => /^(?:gpt|chatgpt|o\d)/u.test(name) && !otherUse.test(name));
  return kept.length === 0 ? names : kept;
}

const otherUse = /audio|realtime|transcribe|tts|image|search|instruct|embedding|codex|moderation/u;
