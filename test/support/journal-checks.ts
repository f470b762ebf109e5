// The rules by which the providers accept a request, checked over the bodies that really went over the wire.
// Written from the providers' documentation, not from our adapters, so that both cannot be wrong in the same way.

export type WireApi = "anthropic" | "chat" | "responses";

type Fields = Readonly<Record<string, unknown>>;

/** What is wrong with one body; empty: the provider would take it. */
export function checkBody(api: WireApi, body: unknown): readonly string[] {
  const fields = fieldsOf(body);
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
  if (blocks.some((block) => block["type"] === "text" && isBlank(block["text"]))) {
    problems.push(`message ${at} has an empty text block`);
  }
  if (String(blocks.at(-1)?.["type"]).endsWith("thinking")) problems.push(`message ${at} ends with a thought`);
  problems.push(...anthropicInputs(blocks), ...anthropicPairs(blocks, listOf(next?.["content"])));
  return [...problems, ...anthropicOrphans(blocks, listOf(previous?.["content"]))];
}

function anthropicInputs(blocks: readonly Fields[]): string[] {
  return blocks
    .filter((block) => block["type"] === "tool_use" && !isObject(block["input"]))
    .map(() => "the input of a tool_use is not an object");
}

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

function toolNames(tools: readonly Fields[]): string[] {
  return tools
    .filter((tool) => !/^[a-zA-Z0-9_-]{1,64}$/.test(String(tool["name"])))
    .map((tool) => `the tool name "${String(tool["name"])}" is not valid`);
}

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
