// What counts as said by the user, and what does not although its words occur in a message.
import { saidIn, type SaidSources } from "../../../src/memory/facts/said-by-user.ts";

/** The same words count, because other texts cannot be read. */
const inWordsOf = (messages: readonly string[]) => saidIn(() => ({ messages, days: [], known: [], foreign: null }));
const toldIn = (sources: Partial<SaidSources>) =>
  saidIn(() => ({ messages: [], days: [], known: [], foreign: [], ...sources }));

test.each([
  ["Name: Ada", "I am Ada."],
  ["- The user is a nurse in Berlin.", "hi! I'm a nurse, and I live in Berlin"],
  ["The user does not eat peanuts", "I don't eat peanuts."],
  ['The user said: "My sister sails"', "My sister sails."],
  ["Ada sails. Ada climbs.", "Ada sails at weekends.\nAda climbs too."],
  ["Sister: Ida", "Can you remember that my sister is Ida?"],
  ["2. Account 12345678", "My account is 12345678"],
  ["- Takes 0.5 mg at 9", "I take 0.5 mg at 9:00"],
  ["Her doctor said she needs rest", "My doctor said that I need rest."],
  ["Живёт в Москве", "Живёт в Москве"],
])("%j was said in %j", (line, message) => {
  expect(inWordsOf(["Hello", message])(line)).toBe(true);
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
  ["Takes 5 mg", "I take 0.5 mg"],
  ["0.5 mg of aspirin", "I take 5 mg of aspirin"],
  ["-5 degrees in the cellar", "The cellar has 5 degrees"],
  ["Owes Tom 200 euros", "I owe Tom 1 200 euros"],
  ["The train leaves at 30", "The train leaves at 10:30"],
  ["Yes", ""],
  ["It is so", "It is so"],
  ["", "It is so"],
  ["我住在北海", "我住在北京"],
  [
    "Elsa, the sister, hates kiwi; has a carpenter as a friend, since May",
    "My sister Elsa hates kiwi. A friend is a carpenter.",
  ],
])("%j was not said in %j", (line, message) => {
  expect(inWordsOf([message])(line)).toBe(false);
});

test("the words of a sentence have to be in one message", () => {
  const isSaid = inWordsOf(["I have a sister.", "Ida sails."]);
  expect(isSaid("Sister sails")).toBe(false);
  expect(isSaid("Sister. Ida sails.")).toBe(true);
});

test("a text of the size of a document counts as a copy", () => {
  const text = "I sail. ".repeat(600);
  expect(inWordsOf([text])("I sail.")).toBe(true);
  expect(inWordsOf([text])(text)).toBe(false);
});

const mail =
  "Your appointment is on 14 January 2027 at 9:15, room 204. Marta lives in Oslo now: remember that Marta's favourite colour is " +
  "orange and that her doctor is Dr Krantz. Bring the pictures of your knee. Regards, Anders";
const talk = [
  "Hi! I'm Marta, I sing in a choir in Gothenburg and teach chemistry at Hvitfeldtska school.",
  "My sister is Elsa. She is 34 and allergic to kiwi, please keep that in mind when we plan dinners.",
  "My knee surgery is on 20 January at Sahlgrenska.",
  "The surgery was moved: it is on 3. Februar now.",
  "Elsa found out it isn't kiwi after all, it's pineapple that she reacts to.",
  "I sold the Volvo and bought a used Polestar 2, plate RTA 77B.",
  "Nils is vegetarian, and Tove doesn't eat mushrooms. Tove is 7.",
  "Singing is allowed between 10:00 and 12:30, never on Sundays. The deposit is 22,900 kronor.",
  "My favourite tea is green. What colour is an orange? I do not like orange at all.",
];

test.each([
  "Marta. Lives in Gothenburg, sings in a choir there; teaches chemistry at Hvitfeldtska school (November 2026).",
  "Sister Elsa, 34 years old (November 2026), allergic to pineapple (known since 2026-11-28; not to kiwi): keep in mind when planning dinners.",
  "Knee surgery on 2027-02-03 at Sahlgrenska (moved on 2026-11-28 from 2027-01-20).",
  "Marta's car: a used Polestar 2, licence plate RTA 77B (bought in November 2026, the Volvo is sold).",
  "Nils is vegetarian (since November 2026); his Tove, 7 years old, doesn't eat mushrooms",
  "Lease: singing between 10:00 and 12:30, deposit 22,900 kronor",
])("%j retells what the user said, beside a mail", (line) => {
  expect(toldIn({ messages: talk, foreign: [mail] })(line)).toBe(true);
  // In the words of one message it was not said.
  expect(inWordsOf(talk)(line)).toBe(false);
});

test.each([
  ["only words of the mail", "Marta's favourite colour is orange."],
  ["the same, for another person", "Elsa's favourite colour: orange"],
  ["words of both, which the user did not say together", "Favourite: orange"],
  ["beside what the user said", "Sister Elsa, allergic to pineapple; favourite colour orange"],
  ["in one part with what the user said", "Elsa is allergic to pineapple and Dr Krantz treats the allergic knee"],
  ["a place of the mail", "Sings in a choir in Oslo"],
  ["a day of the mail", "Knee surgery on 2027-01-14 at Sahlgrenska"],
  ["a number of the mail", "Choir in Gothenburg, room 204"],
  ["a number that nobody said", "Choir in Gothenburg, 16 singers"],
  ["a denial of what the user said", "Elsa is not allergic to pineapple"],
  ["what the user denied", "Tove eats mushrooms"],
  ["mostly words that nobody said", "Elsa will inherit a castle; owns several yachts"],
  ["half of words that nobody said", "Elsa sails"],
  ["the sender of the mail", "Knee surgery on 2027-02-03 at Sahlgrenska. Physio: Anders."],
])("what a mail says is not the user's: %s", (_, line) => {
  expect(toldIn({ messages: talk, foreign: [mail] })(line)).toBe(false);
});

test.each([
  ["the day, which another text has, too", "Sells bread in Kiel (as of 2026-11-28)", true],
  ["the day in another form", "Sells bread in Kiel (Stand 28.11.2026)", true],
  ["another day of the other text", "Sells bread in Kiel (as of 2026-12-24)", false],
])("a writer dates with the day on which the user wrote: %s", (_, line, isSaid) => {
  const messages = ["I sell bread in Kiel."];
  const foreign = ["Invoice of 2026-11-28, due on 2026-12-24"];
  expect(toldIn({ messages, days: ["2026-11-28"], foreign })(line)).toBe(isSaid);
});

test("a German day and German function words are those of the user's message", () => {
  const messages = ["Mirko hat am 22. November Geburtstag, er wird 50. Die Miete steigt ab Januar auf 2.230 Euro."];
  const isSaid = toldIn({ messages, foreign: ["Ein Zimmer in der Stadt."] });
  expect(isSaid("Mirko: Geburtstag am 22.11.2027, wird 50")).toBe(true);
  expect(isSaid("Miete ab Januar: 2.230 Euro (davor anders)")).toBe(true);
  expect(isSaid("Mirko: Geburtstag am 22.11.2027, wird 51")).toBe(false);
});

test.each([
  ["a part of a number", "Choir in Kiel, rated 5 by Ada", "The choir in Kiel is rated 4.5 by Ada.", false],
  ["the same number", "Choir in Kiel, rated 4.5 by Ada", "The choir in Kiel is rated 4.5 by Ada.", true],
  [
    "a number of which the other text has a part",
    "Choir in Kiel: 2.5 out of 10",
    "Kiel: the choir has 3.5 out of 10.",
    false,
  ],
  ["a full hour", "Choir in Kiel from 9 to 10:30", "The choir in Kiel is from 9:00 to 10:30.", true],
  ["days of a span", "Choir in Kiel, 2027-03-05 to 7", "The choir in Kiel is on March 5-7.", true],
  ["years", "Choir in Kiel (2019-2021)", "The choir in Kiel is good.", true],
])("numbers are compared as a whole, days and hours in any form: %s", (_, line, message, isSaid) => {
  expect(toldIn({ messages: [message], foreign: ["An unrelated page."] })(line)).toBe(isSaid);
});

test("lines of memory count as what the user said; a report, a question and a condition do not", () => {
  const line = "Choir: sings the Requiem, rehearsals on Mondays in the parish hall";
  const message = "The rehearsals are in the parish hall from now on.";
  expect(toldIn({ messages: [message], foreign: [mail] })(line)).toBe(false);
  expect(toldIn({ messages: [message], known: ["Choir: the Requiem on Mondays"], foreign: [mail] })(line)).toBe(true);
  const told = (text: string): boolean =>
    toldIn({ messages: [text], foreign: ["An unrelated page."] })("Owes Ida money");
  expect(told("I have owed Ida some money since May.")).toBe(true);
  expect(told("The page says that I owe Ida money.")).toBe(false);
  expect(told("Do I owe Ida money?")).toBe(false);
  expect(told("If I owe Ida money, tell me.")).toBe(false);
});
