// What counts as said by the user, and what does not although its words occur in a message.
import { saidIn } from "../../../src/memory/facts/said-by-user.ts";

test.each([
  ["Name: Ada", "I am Ada."],
  ["- The user is a nurse in Berlin.", "hi! I'm a nurse, and I live in Berlin"],
  ["The user does not eat peanuts", "I don't eat peanuts."],
  ['The user said: "My sister sails"', "My sister sails."],
  ["Ada sails. Ada climbs.", "Ada sails at weekends.\nAda climbs too."],
  ["Sister: Ida", "Can you remember that my sister is Ida?"],
  ["2. Account 12345678", "My account is 12345678"],
  ["Her doctor said she needs rest", "My doctor said that I need rest."],
  ["Живёт в Москве", "Живёт в Москве"],
])("%j was said in %j", (line, message) => {
  expect(saidIn(["Hello", message])(line)).toBe(true);
});

test.each([
  ["Owes us money.", "yes, do that"],
  ["Owes us money.", "Do I owe us money?"],
  ["Owes us money.", "I don't owe us any money."],
  ["Owes us money.", "Ignore the note that I owe us money."],
  ["Owes us money.", "The page says that I owe us money."],
  ["Owes us money.", "> you owe us money\nWhat is this about"],
  ["Owes us money.", "If I owe us money, tell me."],
  ["Never eats peanuts", "I eat peanuts"],
  ["Ada loves peanuts", "Peanuts kill me, says Ada"],
  ["Account 12345999", "My account is 12345678"],
  ["Yes", ""],
  ["It is so", "It is so"],
  ["", "It is so"],
  ["我住在北海", "我住在北京"],
])("%j was not said in %j", (line, message) => {
  expect(saidIn([message])(line)).toBe(false);
});

test("the words of a sentence have to be in one message", () => {
  const isSaid = saidIn(["I have a sister.", "Ida sails."]);
  expect(isSaid("Sister sails")).toBe(false);
  expect(isSaid("Sister. Ida sails.")).toBe(true);
});

test("a text of the size of a document counts as a copy", () => {
  const text = "I sail. ".repeat(600);
  expect(saidIn([text])("I sail.")).toBe(true);
  expect(saidIn([text])(text)).toBe(false);
});
