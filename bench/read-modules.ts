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
const editReport = /"([A-Za-z][\w-]*)" now has (\d+) of \d+ characters\..*? Lines? (\d+)(?: to \d+)? now:\n([^]*)$/;

/** Values by label. */
export function readModules(body: string): ReadonlyMap<string, string> {
  const { system, messages } = JSON.parse(body) as Body;
  const modules = new Map<string, string>();
  for (const text of textsOf([...system, ...messages.flatMap(({ content }) => content)])) readText(text, modules);
  return modules;
}

function readText(text: string, modules: Map<string, string>): void {
  for (const [, label = "", value = ""] of text.matchAll(moduleFrame)) modules.set(label, value);
  const [, label = "", length, first, lines = ""] = editReport.exec(text) ?? [];
  const known = modules.get(label) ?? "";
  const before = known === "" ? [] : known.split("\n");
  // As many lines are replaced as make the reported length.
  for (let count = 0; first !== undefined && count <= before.length; count += 1) {
    const value = before.toSpliced(Number(first) - 1, count, ...lines.split("\n")).join("\n");
    if (value.length === Number(length)) return void modules.set(label, value);
  }
}

function textsOf(content: string | readonly Block[] = []): readonly string[] {
  if (typeof content === "string") return [content];
  return content.flatMap((block) => [...(block.text === undefined ? [] : [block.text]), ...textsOf(block.content)]);
}
