// The settings of an agent as texts in fields.
// Invariant: pure; a text that was not changed is not sent.

export type SettingValues = Readonly<Record<string, unknown>>;

/** Returns the value as the text of its field: a text as it is, anything else as JSON. */
export function settingText(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}

/** Returns the value of a text: JSON if it is JSON and the stored value is no text, otherwise the text. */
export function settingValue(text: string, stored: unknown): unknown {
  if (typeof stored === "string") return text;
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
}

/** Returns the values of the changed texts. */
export function changedSettings(stored: SettingValues, texts: Readonly<Record<string, string>>): SettingValues {
  const changed = Object.entries(texts).filter(([key, text]) => text !== settingText(stored[key]));
  return Object.fromEntries(changed.map(([key, text]) => [key, settingValue(text, stored[key])]));
}

/** Returns `context window` for `contextWindow`. */
export function settingWords(key: string): string {
  return key.replaceAll(/[A-Z]/gu, (letter) => ` ${letter.toLowerCase()}`);
}
