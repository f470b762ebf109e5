// Python tools through Letta's API, in a real sandbox: what they return, print and raise.
import { askedModel } from "../support/asked-model.ts";
import { openLettaServer } from "../support/letta-server.ts";

const server = useScene(() => openLettaServer({ model: askedModel.name, models: [askedModel], sandbox: "namespaces" }));

const source = `
import sys

def shout(word: str) -> str:
    """Says a word loudly.

    Args:
        word (str): the word
    """
    print("said", word)
    print("warned", file=sys.stderr)
    if word == "bad":
        raise ValueError("a bad word")
    return word.upper()

def _quiet(): pass
`;
import { useScene } from "../support/use-scene.ts";

interface ToolReturn {
  readonly message_type: string;
  readonly tool_return: string;
  readonly status: string;
  readonly stdout: readonly string[] | null;
  readonly stderr: readonly string[] | null;
  readonly tool_returns: readonly object[];
}

async function newAgent(): Promise<string> {
  const { client } = server;
  const tool = await client.tools.upsert({ source_code: source });
  return (await client.agents.create({ name: `sandboxed-${Math.random()}`, tool_ids: [tool.id] })).id;
}

const isReturn = ({ message_type: type }: { readonly message_type?: string }) => type === "tool_return_message";

async function say(agent: string, content: string): Promise<ToolReturn> {
  const body = { messages: [{ role: "user", content }] };
  const answer = await server.ask("POST", `/v1/agents/${agent}/messages`, body);
  return (answer.body as { readonly messages: readonly ToolReturn[] }).messages.find(isReturn)!;
}

const printed = { stdout: ["said hello\n"], stderr: ["warned\n"] };

test("what a tool prints is in its return, in answers, lists and streams, and not in what the model gets", async () => {
  const agent = await newAgent();
  const returned = await say(agent, 'CALL shout {"word": "hello"}');
  const expected = { tool_return: "HELLO", status: "success", ...printed };
  expect(returned).toMatchObject({ ...expected, tool_returns: [expected] });
  const listed = (await server.client.agents.messages.list(agent, { order: "asc" })).items;
  expect(listed.find(isReturn)).toMatchObject(expected);
  expect(listed.at(-1)).toMatchObject({ content: "Done: HELLO" });
  const stream = await server.open(`/v1/agents/${agent}/messages/stream`, {
    messages: [{ role: "user", content: 'CALL shout {"word": "hello"}' }],
  });
  expect(await stream.text()).toContain(String.raw`"stdout":["said hello\n"],"stderr":["warned\n"]`);
});

test("a tool that raises an error has the lines of its code in stderr, and what it printed before", async () => {
  const returned = await say(await newAgent(), 'CALL shout {"word": "bad"}');
  expect(returned).toMatchObject({ status: "error", stdout: ["said bad\n"] });
  expect(returned.tool_return).toContain("a bad word");
  expect(returned.stderr?.join("")).toMatch(/warned\n[^]*ValueError: a bad word/u);
});

test("what a tool prints is cut, and absent if it prints nothing", async () => {
  const { client } = server;
  const lines = `
def many(count: int) -> str:
    """Prints a lot."""
    print("x" * count)
    return "ok"

def silent() -> str:
    return "ok"
`;
  const tool = await client.tools.upsert({ source_code: lines });
  const { id } = await client.agents.create({ name: "many", tool_ids: [tool.id] });
  const long = await say(id, 'CALL many {"count": 30000}');
  expect(long.stdout?.[0]).toMatch(/^x{10000}\.\.\. \[NOTE/u);
  expect(await say(id, 'CALL conversation_search {"query": "ok"}')).toMatchObject({ stdout: null, stderr: null });
});

test("a forgetting removes what was printed", async () => {
  const runtime = server.host.forUser("ada");
  const agent = await newAgent();
  await say(agent, 'CALL shout {"word": "secretword"}');
  await runtime.forget.apply({ texts: ["said secretword"] });
  const listed = (await server.client.agents.messages.list(agent, { order: "asc" })).items;
  expect(listed.find(isReturn)).toMatchObject({ tool_return: "SECRETWORD", stdout: null });
});
