// Which lines an edit of core memory replaced by what the user has just said.
import { withRestated } from "../../../src/memory/core/versioned-memory.ts";
import type { ModuleChange } from "../../../src/store/port/records.ts";
import { newMessage } from "../../support/store-builders.ts";

const change = (before: string, after: string): ModuleChange => ({
  label: "human",
  scope: "user",
  revision: 1,
  before,
  after,
});

/** The lines that the edit replaced, with their words, in a turn in which the user said this. */
function restated(said: string | readonly string[], before: string, after: string) {
  const turnId = "00000000-0000-4000-8000-000000000001";
  const messages = [said].flat().map((text) => newMessage({ turnId, text, content: [{ type: "text", text }] }));
  const [found] = withRestated([change(before, after)], messages, turnId);
  const { messageId, replaced = [] } = found!.restated ?? {};
  return [messages.findIndex(({ id }) => id === messageId), replaced.map(({ line, words }) => [line, ...words])];
}

it.each([
  ["a value", "I moved to Porto.", "Lives in: Lisbon", "Lives in: Porto", [["Lives in: Lisbon", "lisbon"]]],
  ["a number", "It is 20 mg now.", "Takes 10 mg", "Takes 20 mg", [["Takes 10 mg", "10"]]],
  ["another script", "我搬到东京了", "住在北京", "住在东京", [["住在北京", "在北", "北京"]]],
  ["all of the only line", "I moved to Porto.", "Home: Lisbon", "Porto", [["Home: Lisbon", "hom", "lisbon"]]],
  [
    "one line of a rewritten text",
    "I moved to Porto.",
    "Name: Ada\nLives in: Lisbon\nPlays chess",
    "Ada\n- plays chess\n- lives in Porto",
    [["Lives in: Lisbon", "lisbon"]],
  ],
])("%s", (_, said, ...[before, after, lines]) => {
  expect(restated(said, before, after)).toEqual([0, lines]);
});

it.each([
  ["is extended", "Bo is three.", "Has a dog", "Has a dog, Bo"],
  ["is reworded", "I moved to Porto.", "Lives in: Lisbon", "The home is Lisbon"],
  ["is removed", "I moved to Porto.", "Lives in: Lisbon\nName: Ada", "Name: Ada"],
  ["is moved", "I moved to Porto.", "Lives in: Lisbon\nName: Ada", "Name: Ada\nLives in: Lisbon"],
  ["is new", "I moved to Porto.", "", "Lives in: Porto"],
])("a line that %s is not replaced", (_, said, before, after) => {
  expect(restated(said, before, after)).toEqual([-1, []]);
});

it("by the newest message of the turn that says it", () => {
  expect(restated(["I moved.", "To Porto.", "Thanks!"], "Lives in: Lisbon", "Lives in: Porto")[0]).toBe(1);
});

it("not by what the user said in another turn", () => {
  const message = newMessage({ text: "I moved to Porto." });
  expect(withRestated([change("Lives in: Lisbon", "Lives in: Porto")], [message], "another")[0]).not.toHaveProperty(
    "restated",
  );
});
