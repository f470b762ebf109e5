// What is read from the source code of a tool without running it: the name, the description and the schema, or what is wrong.
import { openNamespaceSandbox } from "../../src/tool/sandbox/namespace-sandbox.ts";
import type { Sandbox } from "../../src/tool/sandbox.ts";

let sandbox: Sandbox;

beforeAll(async () => (sandbox = await openNamespaceSandbox()));
afterAll(() => sandbox?.close());

test("a function as clients of Letta send it", async () => {
  const source = `
def add_numbers(a: int, b: int) -> str:
    """
    Adds two numbers.

    Args:
        a (int): the first
        b (int): the second

    Returns:
        str: the sum
    """
    return str(a + b)
`;
  expect(await sandbox.describe(source)).toEqual({
    name: "add_numbers",
    description: "Adds two numbers.",
    parameters: {
      type: "object",
      properties: {
        a: { type: "integer", description: "the first" },
        b: { type: "integer", description: "the second" },
      },
      required: ["a", "b"],
    },
  });
});

test("every type, with the arguments that have a default left out of the required ones", async () => {
  const source = `
import typing
from typing import Dict, List, Literal, Optional, Union

def _helper(): pass

async def everything(text: str, count: int, share: float, sure: bool, things: list, words: List[str],
    table: dict, numbers: Dict[str, float], nested: list[list[int]], maybe: Optional[int] = None,
    also: "str | None" = None, either: Union[int, str, None] = 1, kind: Literal["a", "b"] = "a", level: Literal[1, 2] = 1,
    far: typing.Optional[typing.List[typing.Literal[True]]] = None, *, only: bool = False, must: str):
    """Does everything.

    In several lines.

    Args:
        text: goes on
            over lines: with colons
        count (int, optional): counted
        unknown: of no argument
        sure (bool):
            said later
    Raises:
        ValueError: never
    """
    raise SystemExit
`;
  const { name, description, parameters } = await sandbox.describe(source);
  expect([name, description]).toEqual(["everything", "Does everything.\n\nIn several lines."]);
  expect(parameters).toEqual({
    type: "object",
    properties: {
      text: { type: "string", description: "goes on over lines: with colons" },
      count: { type: "integer", description: "counted" },
      share: { type: "number" },
      sure: { type: "boolean", description: "said later" },
      things: { type: "array", items: {} },
      words: { type: "array", items: { type: "string" } },
      table: { type: "object" },
      numbers: { type: "object", additionalProperties: { type: "number" } },
      nested: { type: "array", items: { type: "array", items: { type: "integer" } } },
      maybe: { type: "integer" },
      also: { type: "string" },
      either: { anyOf: [{ type: "integer" }, { type: "string" }] },
      kind: { type: "string", enum: ["a", "b"] },
      level: { type: "integer", enum: [1, 2] },
      far: { type: "array", items: { type: "boolean", enum: [true] } },
      only: { type: "boolean" },
      must: { type: "string" },
    },
    required: ["text", "count", "share", "sure", "things", "words", "table", "numbers", "nested", "must"],
  });
});

test("types of the docstring, where the function has none", async () => {
  const source =
    'def f(a, b="x"):\n    """Does it.\n\n    Args:\n        a (list[int]): first\n        b (str, optional): second\n    """\n';
  const { parameters } = await sandbox.describe(source);
  expect(parameters["properties"]).toEqual({
    a: { type: "array", items: { type: "integer" }, description: "first" },
    b: { type: "string", description: "second" },
  });
});

test("the function of the wanted name, the one with a docstring, or the only public one", async () => {
  const source = 'def one():\n    """One."""\ndef two(): pass\nclass Three:\n    def three(self): pass\n';
  expect(await sandbox.describe(source)).toMatchObject({ name: "one", description: "One." });
  expect(await sandbox.describe(source, "two")).toMatchObject({ name: "two", description: "" });
  expect(await sandbox.describe("def _a(): pass\ndef b(): pass")).toMatchObject({ name: "b" });
  expect(await sandbox.describe("def _a(): pass", "_a")).toMatchObject({ name: "_a" });
});

test("nothing of the source code runs", async () => {
  const source = `
import os
os._exit(1)
@print
def quiet(a: str = os._exit(1)):
    """Is quiet."""
os._exit(1)
`;
  expect(await sandbox.describe(source)).toMatchObject({ name: "quiet" });
});

const refused: readonly (readonly [string, string, RegExp])[] = [
  ["an empty text", "", /line 1: expected a function.*an empty text/u],
  ["a class", "class Tool:\n    pass", /line 1: expected a function.*a ClassDef/u],
  ["only private functions", "def _a(): pass", /expected a function/u],
  ["two functions", "def a(): pass\n\ndef b(): pass", /line 3: expected one function.*a \(line 1\), b \(line 3\)/u],
  ["a syntax error", "def f(:\n    pass", /line 1: invalid syntax/u],
  ["an indentation error", "def f():\n    a = 1\n  b = 2", /line 3: unindent/u],
  ["no Python", "function add(a, b) { return a + b }", /line 1: invalid syntax/u],
  ["a null byte", "def f():\n    '\u0000'", /line 1|null byte/u],
  ["an unknown type", "def f(a: int,\n      b: Path): pass", /line 2: expected str, int.*as the type of b, got Path/u],
  ["a pydantic model", "def f(a: list[Order]): pass", /got Order/u],
  ["a mapping with numbers as keys", "def f(a: dict[int, str]): pass", /got dict\[int, str\]/u],
  ["a literal of two types", 'def f(a: Literal["a", 1]): pass', /got Literal/u],
  ["a literal of a name", "def f(a: Literal[b]): pass", /got Literal\[b\]/u],
  ["no type", "def f(a): pass", /line 1: expected a type for a: str, int.*got none/u],
  ["any arguments", "def f(*words: str): pass", /line 1: expected arguments with a name and a type, got \*words/u],
  ["any named arguments", "def f(**words: str): pass", /got \*\*words/u],
  ["arguments without names", "def f(a: int, /): pass", /that can be passed by name, got a before \//u],
  ["a text of a type that is none", 'def f(a: "int or"): pass', /line 1: expected str, int.*got 'int or'/u],
  ["brackets without end", `x = ${"(".repeat(100_000)}`, /line 1/u],
  ["an expression of depth", `x = ${"-".repeat(200_000)}1`, /line 1|reading it failed/u],
];

test.each(refused)("%s is refused, with the line and what was expected", async (_what, source, message) => {
  await expect(sandbox.describe(source)).rejects.toMatchObject({
    code: "tool_source_invalid",
    field: "source",
    message: expect.stringMatching(message),
  });
});

test("a wanted function that the source code lacks is refused", async () => {
  await expect(sandbox.describe("def a(): pass", "b")).rejects.toMatchObject({
    message: "The source code of the tool: line 1: expected a function named b, got none.",
  });
});
