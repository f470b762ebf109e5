// What a choice of a model changes in the configuration, and what is to be told of it.
// Invariant: pure; a key is a secret and nothing else, and one that was given for another server is not kept for this one.
import type { SavedChanges, SettingChanges } from "../config/setting-changes.ts";
import type { Config } from "../config/settings.ts";
import type { ModelChoice } from "../runtime/setup.ts";
import { keyOf } from "./provider-keys.ts";

/** With null for a base URL that is the provider's own: one that stands there would send the model's calls elsewhere. */
export function changesOf({ model, baseUrl, key }: ModelChoice): SettingChanges {
  const { setting, variable, isWanted } = keyOf(model);
  return {
    values: { model, baseUrl },
    secret: key.kind === "new" && isWanted ? { key: setting, name: variable, text: key.text } : null,
    dropped: key.kind === "none" && baseUrl !== null ? { key: setting, name: variable } : null,
  };
}

export interface NoteFacts {
  readonly saved: SavedChanges;
  /** A variable of the environment; undefined, or empty, when it is not set. */
  readonly environment: (variable: string) => string | undefined;
  readonly embedding: Config["embedding"];
}

/** What wins over the file, and what a key is used for beside what was asked. A sentence each. */
export function notesOf(choice: ModelChoice, { saved, environment, embedding }: NoteFacts): readonly string[] {
  const { model, baseUrl, key } = choice;
  const { setting, variable } = keyOf(model);
  const notes = winnersOf(choice, environment).map(
    (name) => `${name} is set in the environment, says otherwise, and wins over the file: unset it.`,
  );
  if (key.kind === "none" && baseUrl !== null && environment(variable)) {
    notes.push(`${variable} is set in the environment: its key is sent to this server as well.`);
  }
  if (saved.dropped === "left") {
    notes.push(
      `${setting} stands in the file: its key is sent to this server as well. Take it out if it is for another.`,
    );
  }
  if (saved.dropped === "taken away") {
    notes.push(`The file refers to ${variable} no more, so that its key is not sent to this server.`);
    const advice = `set embeddingApiKey to \${{ secrets.${variable} }} there`;
    if (embedding.startsWith("openai/")) notes.push(`The embedder ${embedding} may need it still: ${advice}.`);
  }
  return notes;
}

/** Variables that hold whatever the file says. */
function winnersOf({ model, baseUrl, key }: ModelChoice, environment: NoteFacts["environment"]): readonly string[] {
  const { variable, isWanted } = keyOf(model);
  const wanted = new Map<string, string | null>([
    ["PALIMPSEST_MODEL", model],
    ["PALIMPSEST_BASE_URL", baseUrl],
    ...(key.kind === "new" && isWanted ? [[variable, key.text] as const] : []),
  ]);
  return [...wanted].flatMap(([name, value]) => {
    const set = environment(name);
    return set && set !== value ? [name] : [];
  });
}
