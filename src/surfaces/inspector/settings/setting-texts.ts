// The settings of an agent as texts in fields.
// Invariant: pure; the value of a text that was not changed is not sent.

export type SettingValues = Readonly<Record<string, unknown>>;

/** Returns the text of the field for a value: a string unchanged, any other value as JSON. */
export function settingText(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}

/** Returns the value of a field: parsed JSON, or the text if it is not JSON or if the stored value is a string. */
export function settingValue(text: string, stored: unknown): unknown {
  if (typeof stored === "string") return text;
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
}

/** Returns the new values of the fields with a changed text. */
export function changedSettings(stored: SettingValues, texts: Readonly<Record<string, string>>): SettingValues {
  const changed = Object.entries(texts).filter(([key, text]) => text !== settingText(stored[key]));
  return Object.fromEntries(changed.map(([key, text]) => [key, settingValue(text, stored[key])]));
}

/** Returns the words of a setting's name: `context window` for `contextWindow`. */
export function settingWords(key: string): string {
  return key.replaceAll(/[A-Z]/gu, (letter) => ` ${letter.toLowerCase()}`);
}
