// What a text means as a value of a setting: a number, names with commas between them, or a word for nothing.
// Invariant: pure; a text that is not what a setting takes stays as it is, for the setting's form to refuse.
import { type Config, configDefaults, isConfigKey, settings } from "./settings.ts";

/** Numbers whose default is null. */
const limitless: ReadonlySet<keyof Config> = new Set([
  "contextWindow",
  "maxTurnTokens",
  "maxTurnDollars",
  "compactMessages",
  "embeddingDimensions",
  "embeddingWindow",
  "embeddingFloor",
]);
const numericKeys: ReadonlySet<keyof Config> = new Set(
  Object.keys(settings)
    .filter(isConfigKey)
    .filter((key) => limitless.has(key) || (key !== "dataDir" && typeof configDefaults[key] === "number")),
);

/** Names with commas between them. */
const listKeys: ReadonlySet<keyof Config> = new Set(["approvals", "modelInputs"]);

export function valueOf(key: keyof Config, text: string): unknown {
  if (key === "modelInputs" && text === "none") return [];
  if (listKeys.has(key)) return text.split(",").map((name) => name.trim());
  return numericKeys.has(key) && /^\d+(\.\d+)?$/u.test(text) ? Number(text) : text;
}

const wordsForNull: Readonly<Partial<Record<keyof Config, string>>> = {
  databaseUrl: "embedded",
  approvalTimeout: "never",
  modelInputs: "auto",
  compactMessages: "none",
  summarizer: "none",
};

/** Null itself means that nothing is said. */
export function isWordForNull(key: keyof Config, value: unknown): boolean {
  return wordsForNull[key] === value;
}
