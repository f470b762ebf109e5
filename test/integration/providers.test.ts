// The program with real SDKs against fake providers on loopback: a turn with a tool call, and a second process that remembers.
import { type ChatCompletionRequest, LLMock } from "@copilotkit/aimock";
import { checkBody, type WireApi } from "../support/journal-checks.ts";
import { newFolder, removeFolders } from "../support/embedded-folder.ts";
import { runProgram } from "../support/program.ts";
import { type RecordingProxy, startRecordingProxy } from "../support/recording-proxy.ts";

const provider = new LLMock({ logLevel: "silent", chunkSize: 7 });
let proxy: RecordingProxy;

beforeAll(async () => {
  await provider.start();
  const facts = { name: "human", content: "Name: Ada. Lives in Lisbon." };
  // By any message of the user's: what changed in memory may stand after the last one.
  const says = (words: string) => ({
    predicate: (request: ChatCompletionRequest) =>
      request.messages.some(({ role, content }) => role === "user" && JSON.stringify(content).includes(words)),
  });
  provider.on(says("Where do I live"), { content: "You live in Lisbon." });
  provider.on(
    { ...says("My name is Ada"), hasToolResult: false },
    {
      content: "Let me note that.",
      toolCalls: [{ id: "call_1", name: "core_memory_append", arguments: JSON.stringify(facts) }],
    },
  );
  provider.on({ ...says("My name is Ada"), hasToolResult: true }, { content: "Nice to meet you, Ada." });
});
afterAll(async () => {
  await provider.stop();
  await removeFolders();
});
beforeEach(async () => (proxy = await startRecordingProxy(provider.url)));
afterEach(() => proxy.close());

const providers: readonly {
  readonly api: WireApi;
  readonly args: readonly string[];
  readonly path: string;
  readonly key: Record<string, string>;
}[] = [
  { api: "chat", args: ["-m", "openai/x"], path: "/v1", key: {} },
  {
    api: "responses",
    args: ["-m", "openai/x", "--openai-api", "responses"],
    path: "/v1",
    key: { OPENAI_API_KEY: "sk-test" },
  },
  { api: "anthropic", args: ["-m", "anthropic/x"], path: "", key: { ANTHROPIC_API_KEY: "sk-ant-test" } },
];

test.each(providers)(
  "$api: two commands, a memory edit between them, and every request obeys the provider's rules",
  async ({ api, args, path, key }) => {
    const home = newFolder();
    const options = { home, env: key };
    const flags = [...args, "--base-url", `${proxy.url}${path}`, "-a", "scout"];
    const first = await runProgram(["-p", "-", ...flags, "--output-format", "json"], {
      ...options,
      input: "My name is Ada and I live in Lisbon",
    });
    const result = JSON.parse(first.stdout) as Record<string, unknown>;
    expect(result).toMatchObject({ type: "result", is_error: false, steps: 1, stop_reason: "end-turn" });
    expect(JSON.stringify(result["memory_edits"])).toContain("Lives in Lisbon");
    const second = await runProgram(["-p", "Where do I live?", ...flags], options);
    expect(second).toMatchObject({ code: 0, stdout: "You live in Lisbon.\n" });
    expect(proxy.bodies).toHaveLength(2);
    expect(proxy.bodies.flatMap((body) => checkBody(api, body))).toEqual([]);
    expect(JSON.stringify(proxy.bodies[1])).toContain("Lives in Lisbon.");
  },
);
