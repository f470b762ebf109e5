// Facts that a user stated, and what a model made up.
import { isKnown, isStated, noteOf, statementsIn } from "../../../src/memory/facts/stated-facts.ts";

test.each([
  ["My name is Ada.", "My name is Ada."],
  ["Hi there! My name is Ada. What is yours?", "My name is Ada."],
  ["Do you know Lisbon? I live there since 2019.", "I live there since 2019."],
  ["I pay 3.50 for a coffee in Porto", "I pay 3.50 for a coffee in Porto"],
  ["What is my name?", ""],
  ["Hi there!", ""],
  ["Tell me a short joke.", ""],
  ["Please explain what a tide is.", ""],
  ["Tell me a joke, I'm tired of this rain.", "Tell me a joke, I'm tired of this rain."],
  ["Remember that Rex is a dog.", "Remember that Rex is a dog."],
  ["好吗？我住在里斯本。", "我住在里斯本。"],
  ["", ""],
])("the statements in %j are %j", (text, expected) => {
  expect(statementsIn(text)).toBe(expected);
});

const said =
  "I'm Ada, and I have lived in Lisbon since 2019. My sister Maria works as a nurse, and I'm allergic to peanuts.";

test.each([
  "The user's name is Ada.",
  "Ada lives in Lisbon.",
  "User has a sister named Maria who works as a nurse",
  "Ada is allergic to peanuts",
  "Lives in Lisbon since 2019",
])("%j was stated", (fact) => {
  expect(isStated(fact, said)).toBe(true);
});

test("an ordinal is the number that the user said", () => {
  expect(isStated("The user's birthday is July 4th.", "My birthday is July 4.")).toBe(true);
  expect(isStated("The user's birthday is July 4th.", "My birthday is July 14.")).toBe(false);
});

test.each([
  "The user's name is Bob.",
  "Ada lives in Paris.",
  "Ada lives in Lisbon since 2020.",
  "Ada's sister Clara is a nurse.",
  "The user is a friendly assistant with a memory",
  "The user likes short answers",
  "The user",
  "",
])("%j was not stated", (fact) => {
  expect(isStated(fact, said)).toBe(false);
});

test.each([
  ["Ada takes 5 mg.", "I am Ada and take 0.5 mg."],
  ["Ada takes 0.5 mg.", "I am Ada and take 5 mg."],
  ["Ada's account is 12345999.", "I am Ada, and my account is 12345678."],
])("%j was not stated in %j: a number is compared as a whole", (fact, text) => {
  expect(isStated(fact, text)).toBe(false);
});

test("thanks are no fact", () => {
  expect(isStated("The user thanked someone for help.", "Thanks, that helps.")).toBe(false);
});

test("a fact in other scripts is stated if its words were said", () => {
  expect(isStated("Ада живёт в Лиссабоне", "Меня зовут Ада, я живу в Лиссабоне.")).toBe(true);
  expect(isStated("Ада живёт в Париже", "Меня зовут Ада, я живу в Лиссабоне.")).toBe(false);
});

test("a fact is known if one line has all its words", () => {
  const text = "Ada lives in Lisbon.\nHer dog is called Bruno.";
  expect(isKnown("The user lives in Lisbon", text)).toBe(true);
  expect(isKnown("The user has a dog named Bruno.", text)).toBe(true);
  expect(isKnown("Bruno lives in Lisbon", text)).toBe(false);
  expect(isKnown("Ada works as a nurse", text)).toBe(false);
});

test.each([
  ["Ada does not like coffee.", "Ada likes coffee."],
  ["Ada likes coffee.", "Ada does not like coffee."],
  ["Ada works in Lisbon.", "Ada lives in Lisbon."],
  ["Ada wants a boat.", "Ada likes her boat."],
  ["Ada was a nurse.", "Ada is a nurse."],
  ["Ada takes 5 mg.", "Ada takes 0.5 mg."],
])("%j is not known from %j", (fact, line) => {
  expect(isKnown(fact, line)).toBe(false);
});

test("a fact in the user's own words is quoted", () => {
  expect(noteOf("I live in Lisbon. ")).toBe('The user said: "I live in Lisbon."');
  expect(noteOf("My dog is called Bruno.")).toBe('The user said: "My dog is called Bruno."');
  expect(noteOf("Ada lives in Lisbon, Indiana.")).toBe("Ada lives in Lisbon, Indiana.");
  expect(noteOf("The user said: 'I sail.'")).toBe("The user said: 'I sail.'");
});
