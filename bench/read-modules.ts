// Reads the current modules from the body of a request to Anthropic's API, as a model would: the last occurrence counts.
// Invariant: written from the format of the prompt and of the edit tools' results, independent of the code that produces them.

interface Block {
  readonly type: string;
  /** Of a text. */
  readonly text?: string;
  /** Of a tool's result. */
  readonly content?: string | readonly Block[];
}

interface Body {
  readonly system: readonly Block[];
  readonly messages: readonly { readonly content: readonly Block[] }[];
}

const moduleFrame = /<([A-Za-z][\w-]*) characters="\d+\/\d+"[^>\n]*>\n([^]*?)\n<\/\1>/g;
const editReport = /"([A-Za-z][\w-]*)" now has \d+ of \d+ characters\..*? Its text:\n([^]*)$/g;

/** Values by label. */
export function readModules(body: string): ReadonlyMap<string, string> {
  const { system, messages } = JSON.parse(body) as Body;
  const modules = new Map<string, string>();
  for (const text of textsOf([...system, ...messages.flatMap(({ content }) => content)]))
    for (const format of [moduleFrame, editReport])
      for (const [, label = "", value = ""] of text.matchAll(format)) modules.set(label, value);
  return modules;
}

function textsOf(content: string | readonly Block[] = []): readonly string[] {
  if (typeof content === "string") return [content];
  return content.flatMap((block) => [...(block.text === undefined ? [] : [block.text]), ...textsOf(block.content)]);
}
