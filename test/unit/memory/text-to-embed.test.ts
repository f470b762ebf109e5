// What a message's vector is made of.
import { textToEmbed } from "../../../src/memory/vectors/unembedded.ts";

const text = "In Lisbon.";

it.each([
  ["alone", { speaker: null, previous: null }, "In Lisbon."],
  ["with its speaker", { speaker: "Ada", previous: null }, "Ada: In Lisbon."],
  ["after a question", { speaker: "Ada", previous: "Hello. Where do you live?" }, "Where do you live? Ada: In Lisbon."],
  [
    "after several",
    { speaker: null, previous: "Well? I see. And who is Ben? Tell me." },
    "Well? And who is Ben? In Lisbon.",
  ],
  ["after no question", { speaker: null, previous: "I live in Porto." }, "In Lisbon."],
  ["after a Chinese question", { speaker: null, previous: "你好。你住在哪里？" }, "你住在哪里？ In Lisbon."],
  ["after an Arabic question", { speaker: null, previous: "أين تسكن؟" }, "أين تسكن؟ In Lisbon."],
])("%s", (_, around, made) => {
  expect(textToEmbed({ text, ...around })).toBe(made);
});

it("reads only the end of a huge previous message", () => {
  expect(textToEmbed({ text, speaker: null, previous: `${"a".repeat(1e6)}. Where?` })).toBe("Where? In Lisbon.");
  expect(textToEmbed({ text, speaker: null, previous: `Where? ${"a".repeat(1e6)}` })).toBe("In Lisbon.");
});
