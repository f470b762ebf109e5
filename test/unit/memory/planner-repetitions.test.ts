// Which texts the query planner drops as repetitions: what differs in a number, a name, a date or a negation stays.
import { QueryPlanner } from "../../../src/memory/planner/query-planner.ts";

/** The texts that are left of two that two sources have found. */
async function planned(one: string, other: string): Promise<readonly string[]> {
  const giving = (text: string) => async () => ({ hits: [{ id: text, text }] });
  const planner = new QueryPlanner({
    sources: { working: giving(one), archival: giving(other) },
    countTokens: (text) => text.length,
  });
  const { found } = await planner.getContext("q", "ada", { maxTokens: 100_000 });
  return found.map(({ text }) => text);
}

const sentence = "Ada lives in the old town of Lisbon, near the river, with two cats and a parrot";
const long = "The boiler was serviced and everything about it was written down. ".repeat(200);

test.each<[string, string, string]>([
  ["a number", `${sentence} and 12 hens`, `${sentence} and 13 hens`],
  ["a number after a long text", `${long}Invoice 1001.`, `${long}Invoice 1002.`],
  ["a decimal point", "The pump draws 1.5 A", "The pump draws 15 A"],
  ["a thousands separator", "It cost 1,000 euros", "It cost 1.000 euros"],
  ["a sign before a number", "The freezer is at -18 degrees", "The freezer is at 18 degrees"],
  ["a raised figure", "The field has 5² tiles", "The field has 52 tiles"],
  ["a fraction", "Add 1½ cups of flour", "Add 1 cups of flour"],
  ["a time", "The train leaves at 9:15", "The train leaves at 9:51"],
  ["a date", "The contract began on 2026-03-01", "The contract began on 2026-01-03"],
  ["a month", "Her birthday is in June", "Her birthday is in July"],
  ["a name", sentence, sentence.replace("Ada", "Eva")],
  ["a name with an accent", "Ask Rene about the key", "Ask René about the key"],
  ["a negation", sentence, sentence.replace("lives", "never lives")],
  ["a contracted negation", "The door can be opened", "The door can't be opened"],
  ["an apostrophe within a word", "We're late", "Were late"],
  ["a unit", "The shelf is 80 cm wide", "The shelf is 80 mm wide"],
  ["a currency", "The ticket was $40", "The ticket was €40"],
  ["a percent sign", "The discount is 10%", "The discount is 10"],
  ["a language", "He writes C++", "He writes C#"],
  ["a question", "Invoice 1001 was paid?", "Invoice 1001 was paid."],
  ["an address", "Mail to ada@example.com", "Mail to ada@example.org"],
  ["the order of words", "Ada called Bob", "Bob called Ada"],
  ["one of twenty words", sentence, sentence.replace("parrot", "puppet")],
])("texts that differ in %s are two facts", async (_name, one, other) => {
  expect(await planned(one, other)).toEqual([one, other]);
});

test.each<[string, string, string]>([
  ["case", "Ada lives in Lisbon", "ADA lives in lisbon"],
  ["white space", "Ada lives in Lisbon", "  Ada\tlives \n in  Lisbon "],
  ["width", "Ada lives in Lisbon", "Ada lives in Ｌisbon"],
  ["a full stop", sentence, `${sentence}.`],
  ["commas", sentence, sentence.replaceAll(",", "")],
  ["an exclamation mark", "It works", "It works!"],
  ["quotes", "The code word is heron", 'The code word is "heron".'],
  ["curly quotes", "The code word is heron", "The code word is “heron”"],
  ["brackets", "Ada (the captain) sails", "Ada the captain sails"],
  ["the form of an apostrophe", "It can't be opened", "It can’t be opened"],
])("texts that differ in %s alone are one fact", async (_name, one, other) => {
  expect(await planned(one, other)).toEqual([one]);
});

test("all invoices are found, not only one of them", async () => {
  const invoices = [1001, 1002, 1003, 1004, 1005].map(
    (number) => `Invoice number ${number} of the boatyard in Lisbon was paid by bank transfer`,
  );
  const archival = async () => ({ hits: invoices.map((text) => ({ id: text, text })) });
  const planner = new QueryPlanner({ sources: { archival }, countTokens: (text) => text.length });
  const { found } = await planner.getContext("Which invoices were paid?", "ada");
  expect(found.map(({ text }) => text)).toEqual(invoices);
});
