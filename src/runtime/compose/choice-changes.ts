// Computes how a choice of a model changes the configuration, and the notes for the user about it.
// Invariant: pure; an API key is saved only as a secret, and a saved key is dropped for a server that gets none.
import type { SavedChanges, SettingChanges } from "../../config/setting-changes.ts";
import { type Config, settings } from "../../config/settings.ts";
import type { ModelChoice } from "../setup.ts";
import { keyOf } from "./provider-keys.ts";

/**
 * Returns the changes of the configuration. A `baseUrl` of null, for the provider's own server, removes a configured URL.
 * `openaiApi` is the API that the choice was tested with; the default API is not written to the file.
 */
export function changesOf(
  { model, baseUrl, key, assist, embedder }: ModelChoice,
  openaiApi: Config["openaiApi"],
): SettingChanges {
  const { setting, variable, isWanted } = keyOf(model);
  return {
    values: {
      model,
      baseUrl,
      openaiApi: openaiApi === settings.openaiApi.default ? null : openaiApi,
      ...(assist === undefined ? {} : { assist }),
      ...(embedder === undefined ? {} : { embedding: `openai/${embedder}`, embeddingBaseUrl: baseUrl }),
    },
    secret: key.kind === "new" && isWanted ? { key: setting, name: variable, text: key.text } : null,
    dropped: key.kind === "none" && baseUrl !== null ? { key: setting, name: variable } : null,
  };
}

export interface NoteFacts {
  readonly saved: SavedChanges;
  /** Returns the value of an environment variable; undefined or empty if it is not set. */
  readonly environment: (variable: string) => string | undefined;
  readonly embedding: Config["embedding"];
  readonly openaiApi: Config["openaiApi"];
}

/** Returns notes on what overrides the configuration file and on other uses of the key, one sentence each. */
export function notesOf(choice: ModelChoice, facts: NoteFacts): readonly string[] {
  const { model, baseUrl, key } = choice;
  const { saved, environment, embedding } = facts;
  const { setting, variable } = keyOf(model);
  const notes = overridesOf(choice, facts).map(
    (name) => `${name} is set in the environment to another value, which overrides the file: unset it.`,
  );
  if (key.kind === "none" && baseUrl !== null && environment(variable)) {
    notes.push(`${variable} is set in the environment: its key is sent to this server as well.`);
  }
  if (saved.dropped === "kept") {
    notes.push(
      `The file contains ${setting}: this key is sent to this server as well. Remove it if it is for another server.`,
    );
  }
  if (saved.dropped === "removed") {
    notes.push(`The reference to ${variable} was removed from the file, so that its key is not sent to this server.`);
    const advice = `set embeddingApiKey to \${{ secrets.${variable} }} in the file`;
    if (embedding.startsWith("openai/")) notes.push(`The embedder ${embedding} may still need this key: ${advice}.`);
  }
  return notes;
}

/** Returns the environment variables that override the choice in the configuration file. */
function overridesOf(
  { model, baseUrl, key }: ModelChoice,
  { environment, openaiApi }: Pick<NoteFacts, "environment" | "openaiApi">,
): readonly string[] {
  const { variable, isWanted } = keyOf(model);
  const wanted = new Map<string, string | null>([
    ["PALIMPSEST_MODEL", model],
    ["PALIMPSEST_BASE_URL", baseUrl],
    ["PALIMPSEST_OPENAI_API", openaiApi],
    ...(key.kind === "new" && isWanted ? [[variable, key.text] as const] : []),
  ]);
  return [...wanted].flatMap(([name, value]) => {
    const set = environment(name);
    return set && set !== value ? [name] : [];
  });
}
