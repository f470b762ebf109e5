// Selects the model names to show.
// Invariant: pure; a name that is not shown can still be typed.

const maxWidth = 50;

/** Returns the first names that fit into half a line, with the number of the others. */
export function listedNames(names: readonly string[]): string {
  const shown: string[] = [];
  for (const name of names) {
    if (shown.length > 0 && [...shown, name].join(", ").length > maxWidth) break;
    shown.push(name.length > maxWidth ? `${name.slice(0, maxWidth - 1)}…` : name);
  }
  const more = names.length - shown.length;
  return `${shown.join(", ")}${more === 0 ? "" : ` and ${more} more`}`;
}

/** Returns the embedder to offer: the first that knows several languages if the user's is not English, else the first. */
export function preferredEmbedder(names: readonly string[], locale: string): string | undefined {
  const multilingual = /^en\b/u.test(locale) ? undefined : names.find((name) => manyLanguages.test(name));
  return multilingual ?? names[0];
}

const manyLanguages = /multilingual|bge-m3|arctic-embed2|embeddinggemma|qwen3-embedding|(?:^|[/-])e5(?:-|$)|labse/iu;

/** Omits OpenAI's models that are not for conversations. */
export function chatNames(provider: string, names: readonly string[]): readonly string[] {
  if (provider !== "openai") return names;
  const kept = names.filter((name) => /^(?:gpt|chatgpt|o\d)/u.test(name) && !otherUse.test(name));
  return kept.length === 0 ? names : kept;
}

const otherUse = /audio|realtime|transcribe|tts|image|search|instruct|embedding|codex|moderation/u;
