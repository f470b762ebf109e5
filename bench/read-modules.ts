// Reads the current modules from the body of a request to Anthropic's API, as a model would: the last occurrence counts.
// Invariant: written from the format of the prompt, independent of the code that produces it.

interface Body {
  readonly system: readonly { readonly text: string }[];
  readonly messages: readonly { readonly content: readonly { readonly type: string; readonly text?: string }[] }[];
}

const moduleFrame = /<([A-Za-z][\w-]*) characters="\d+\/\d+"[^>\n]*>\n([^]*?)\n<\/\1>/g;

/** Values by label. */
export function readModules(body: string): ReadonlyMap<string, string> {
  const { system, messages } = JSON.parse(body) as Body;
  const last = messages.at(-1)?.content.at(-1);
  const texts = [...system.map(({ text }) => text), last?.type === "text" ? (last.text ?? "") : ""];
  const modules = new Map<string, string>();
  for (const text of texts) {
    for (const [, label = "", value = ""] of text.matchAll(moduleFrame)) modules.set(label, value);
  }
  return modules;
}
