// The rules by which the providers accept a request, checked over the bodies that really went over the wire.
// Written from the providers' documentation, not from our adapters, so that both cannot be wrong in the same way.

export type WireApi = "anthropic" | "chat" | "responses";

type Fields = Readonly<Record<string, unknown>>;

/** OpenAI refuses a message with more calls. The other APIs publish no limit, and are held to the same one. */
const maxCallsInARow = 128;

/** What is wrong with one body; empty: the provider would take it. */
export function checkBody(api: WireApi, body: unknown): readonly string[] {
  const fields = fieldsOf(body);
  return [...callRuns(api, fields), ...checkFormat(api, fields)];
}

function callRuns(api: WireApi, body: Fields): string[] {
  const runs = {
    anthropic: () => listOf(body["messages"]).map(({ content }) => idsOf(listOf(content), "tool_use", "id").length),
    chat: () => listOf(body["messages"]).map((message) => listOf(message["tool_calls"]).length),
    responses: () =>
      listOf(body["input"])
        .map(({ type }) => (type === "function_call" ? "c" : " "))
        .join("")
        .split(" ")
        .map((run) => run.length),
  };
  const longest = Math.max(0, ...runs[api]());
  return longest > maxCallsInARow ? [`${longest} calls stand in a row`] : [];
}

function checkFormat(api: WireApi, fields: Fields): readonly string[] {
  if (api === "anthropic") return checkAnthropic(fields);
  return api === "chat" ? checkChat(fields) : checkResponses(fields);
}

function checkAnthropic(body: Fields): string[] {
  const messages = listOf(body["messages"]);
  const tools = listOf(body["tools"]);
  const problems = messages[0]?.["role"] === "user" ? [] : ["the first message is not the user's"];
  problems.push(...messages.flatMap((_message, at) => anthropicMessage(messages, at)));
  const ids = messages.flatMap((message) => idsOf(listOf(message["content"]), "tool_use", "id"));
  if (new Set(ids).size < ids.length) problems.push("an id of a tool_use comes twice");
  if (ids.length > 0 && tools.length === 0) problems.push("there are tool_use blocks but no tools");
  if (listOf(body["system"]).some((block) => isBlank(block["text"]))) problems.push("a system block is empty");
  if (JSON.stringify(body).split('"cache_control"').length > 5) problems.push("more than four cache breakpoints");
  return [...problems, ...toolNames(tools)];
}

function anthropicMessage(messages: readonly Fields[], at: number): string[] {
  const [previous, message, next] = [messages[at - 1], messages[at], messages[at + 1]];
  const blocks = listOf(message?.["content"]);
  const problems = message?.["role"] === previous?.["role"] ? [`message ${at} repeats its role`] : [];
  if (blocks.length === 0) problems.push(`message ${at} is empty`);
  const files = [...blocks, ...blocks.flatMap((block) => listOf(block["content"]))];
  problems.push(...files.flatMap(anthropicFile));
  if (blocks.some((block) => block["type"] === "text" && isBlank(block["text"]))) {
    problems.push(`message ${at} has an empty text block`);
  }
  if (String(blocks.at(-1)?.["type"]).endsWith("thinking")) problems.push(`message ${at} ends with a thought`);
  problems.push(...anthropicInputs(blocks), ...anthropicPairs(blocks, listOf(next?.["content"])));
  return [...problems, ...anthropicOrphans(blocks, listOf(previous?.["content"]))];
}

const anthropicInputs = (blocks: readonly Fields[]): string[] =>
  blocks
    .filter((block) => block["type"] === "tool_use" && !isObject(block["input"]))
    .map(() => "the input of a tool_use is not an object");

function anthropicPairs(blocks: readonly Fields[], next: readonly Fields[]): string[] {
  const calls = idsOf(blocks, "tool_use", "id");
  const results = idsOf(next, "tool_result", "tool_use_id");
  const problems = calls.filter((id) => !results.includes(id)).map((id) => `tool_use ${id} has no tool_result next`);
  const firstText = next.findIndex((block) => block["type"] === "text");
  const lastResult = next.findLastIndex((block) => block["type"] === "tool_result");
  if (firstText !== -1 && firstText < lastResult) problems.push("a text stands before a tool_result");
  return problems;
}

function anthropicOrphans(blocks: readonly Fields[], previous: readonly Fields[]): string[] {
  const calls = idsOf(previous, "tool_use", "id");
  return idsOf(blocks, "tool_result", "tool_use_id")
    .filter((id) => !calls.includes(id))
    .map((id) => `tool_result ${id} has no tool_use before it`);
}

const imageTypes: readonly unknown[] = ["image/jpeg", "image/png", "image/gif", "image/webp"];

/** "Vision" and "PDF support" of the provider's documentation: formats, 5 MB an image, documents with content. */
function anthropicFile(block: Fields): string[] {
  const source = fieldsOf(block["source"]);
  if (block["type"] === "image") return anthropicImage(source);
  if (block["type"] !== "document") return [];
  const untitled = block["title"] !== undefined && isBlank(block["title"]) ? ["a document has an empty title"] : [];
  return [...untitled, ...anthropicDocument(source)];
}

function anthropicImage(source: Fields): string[] {
  if (source["type"] === "url") return webAddress(source["url"]);
  if (!imageTypes.includes(source["media_type"])) return [`an image is ${String(source["media_type"])}`];
  const data = dataOf(source);
  return [...base64(data), ...(data.length > (5_000_000 / 3) * 4 + 4 ? ["an image has more than 5 MB"] : [])];
}

function anthropicDocument(source: Fields): string[] {
  if (source["type"] === "url") return webAddress(source["url"]);
  const isText = source["type"] === "text" && source["media_type"] === "text/plain";
  if (isText) return isBlank(source["data"]) ? ["a document has no text"] : [];
  return source["media_type"] === "application/pdf" ? base64(dataOf(source)) : ["a document is neither text nor PDF"];
}

function dataOf({ data }: Fields): string {
  return typeof data === "string" ? data : "";
}

function webAddress(url: unknown): string[] {
  return /^https?:\/\/\S+$/u.test(String(url)) ? [] : ["a file's address is no web address"];
}

function base64(data: string): string[] {
  // No pattern: over many megabytes it may exhaust the stack.
  return data !== "" && Buffer.from(data, "base64").toString("base64") === data ? [] : ["a file is not Base64"];
}

/** A data URL of one of these types, or a web address. */
function dataUrl(url: unknown, types: readonly unknown[]): string[] {
  const [, type, data] = /^data:([^;,]+);base64,(.*)$/su.exec(String(url)) ?? [];
  if (type === undefined) return webAddress(url);
  return types.includes(type) ? base64(data!) : [`a file is ${type}`];
}

/** A part of a user's message to Chat Completions. */
function chatPart(part: Fields): string[] {
  switch (part["type"]) {
    case "text":
      return isBlank(part["text"]) ? ["a text part is empty"] : [];
    case "image_url":
      return dataUrl(fieldsOf(part["image_url"])["url"], imageTypes);
    case "file": {
      const { filename, file_data: data } = fieldsOf(part["file"]);
      const named = isBlank(filename) ? ["a file has no name"] : [];
      return String(data).startsWith("data:")
        ? [...named, ...dataUrl(data, ["application/pdf"])]
        : ["a file has no data"];
    }
    case "input_audio": {
      const { data, format } = fieldsOf(part["input_audio"]);
      return format === "wav" || format === "mp3" ? base64(String(data)) : [`audio is ${String(format)}`];
    }
    default:
      return [`a part is of type ${String(part["type"])}`];
  }
}

/** A part of an item of the Responses API. */
function responsesPart(part: Fields): string[] {
  switch (part["type"]) {
    case "input_text":
      return isBlank(part["text"]) ? ["a text part is empty"] : [];
    case "input_image":
      return part["detail"] === undefined ? ["an image has no detail"] : dataUrl(part["image_url"], imageTypes);
    case "input_file":
      if (part["file_url"] !== undefined) return webAddress(part["file_url"]);
      return isBlank(part["filename"]) ? ["a file has no name"] : dataUrl(part["file_data"], ["application/pdf"]);
    default:
      return [`a part is of type ${String(part["type"])}`];
  }
}

function checkChat(body: Fields): string[] {
  const messages = listOf(body["messages"]);
  const problems: string[] = [];
  const first = messages.find((message) => message["role"] !== "system");
  if (first?.["role"] !== "user") problems.push("the first message is not the user's");
  if (messages.findLastIndex((message) => message["role"] === "system") > 0) problems.push("a system message is late");
  let open: string[] = [];
  for (const [at, message] of messages.entries()) {
    const calls = listOf(message["tool_calls"]);
    problems.push(...chatContent(message, calls, at));
    if (message["role"] === "tool") {
      const id = String(message["tool_call_id"]);
      if (!open.includes(id)) problems.push(`tool message ${id} does not follow its tool call`);
      open = open.filter((waiting) => waiting !== id);
    } else {
      problems.push(...open.map((id) => `tool call ${id} is not followed by its tool message`));
      open = calls.map((call) => String(call["id"]));
    }
  }
  problems.push(...open.map((id) => `tool call ${id} is not followed by its tool message`));
  return [...problems, ...toolNames(listOf(body["tools"]).map((tool) => fieldsOf(tool["function"])))];
}

function chatContent(message: Fields, calls: readonly Fields[], at: number): string[] {
  const problems: string[] = [];
  const mayBeNull = message["role"] === "assistant" && calls.length > 0;
  const content = message["content"];
  if (content === null || content === undefined ? !mayBeNull : isBlank(content))
    problems.push(`message ${at} is empty`);
  if (Array.isArray(content)) {
    // Only a user's message may have parts that are no text.
    problems.push(...(message["role"] === "user" ? listOf(content).flatMap(chatPart) : [`message ${at} has parts`]));
  }
  for (const call of calls) problems.push(...argumentProblems(fieldsOf(call["function"])["arguments"]));
  return problems;
}

function checkResponses(body: Fields): string[] {
  const items = listOf(body["input"]);
  const problems = items[0]?.["role"] === "user" ? [] : ["the first item is not the user's"];
  problems.push(...items.flatMap((item, at) => responsesItem(item, items[at + 1], at)), ...responsesPairs(items));
  if (body["store"] !== false) problems.push("the request would be stored");
  return [...problems, ...toolNames(listOf(body["tools"]))];
}

function responsesItem(item: Fields, next: Fields | undefined, at: number): string[] {
  const problems = item["type"] === "function_call" ? argumentProblems(item["arguments"]) : [];
  if (item["role"] !== undefined && isBlank(item["content"])) problems.push(`item ${at} is empty`);
  if (item["type"] === "function_call_output" && isBlank(item["output"])) problems.push(`output ${at} is empty`);
  problems.push(...[...listOf(item["content"]), ...listOf(item["output"])].flatMap(responsesPart));
  if (item["type"] === "reasoning" && isUser(next)) problems.push("a reasoning item that nothing follows");
  return problems;
}

function responsesPairs(items: readonly Fields[]): string[] {
  const problems: string[] = [];
  let open: string[] = [];
  for (const item of items) {
    const id = String(item["call_id"]);
    if (item["type"] === "function_call") {
      open.push(id);
    } else if (item["type"] === "function_call_output") {
      if (!open.includes(id)) problems.push(`output ${id} does not follow its call`);
      open = open.filter((waiting) => waiting !== id);
    } else if (item["role"] === "user") {
      problems.push(...open.map((waiting) => `call ${waiting} has no output before the user's next words`));
      open = [];
    }
  }
  return [...problems, ...open.map((id) => `call ${id} has no output`)];
}

function isUser(item: Fields | undefined): boolean {
  return item === undefined || item["role"] === "user";
}

function argumentProblems(value: unknown): string[] {
  if (typeof value !== "string") return ["the arguments of a call are not a string"];
  try {
    return isObject(JSON.parse(value)) ? [] : ["the arguments of a call are not a JSON object"];
  } catch {
    return ["the arguments of a call are not JSON"];
  }
}

const toolNames = (tools: readonly Fields[]): string[] =>
  tools
    .filter((tool) => !/^[a-zA-Z0-9_-]{1,64}$/.test(String(tool["name"])))
    .map((tool) => `the tool name "${String(tool["name"])}" is not valid`);

function idsOf(blocks: readonly Fields[], type: string, field: string): string[] {
  return blocks.filter((block) => block["type"] === type).map((block) => String(block[field]));
}

function isBlank(value: unknown): boolean {
  return typeof value === "string" ? value.trim() === "" : listOf(value).length === 0;
}

function isObject(value: unknown): boolean {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function fieldsOf(value: unknown): Fields {
  return isObject(value) ? (value as Fields) : {};
}

function listOf(value: unknown): readonly Fields[] {
  return Array.isArray(value) ? value.map(fieldsOf) : [];
}
