// Sentences and questions in several scripts.
import { isQuestion, sentencesIn } from "../../../src/base/sentences.ts";

test.each<[string, readonly string[]]>([
  ["", []],
  ["?!", []],
  ["One", ["One"]],
  ["One. Two! Three? Four", ["One.", " Two!", " Three?", " Four"]],
  ["One line\nanother", ["One line\n", "another"]],
  ["It costs 3.50 at ada.example today. Fine.", ["It costs 3.50 at ada.example today.", " Fine."]],
  ["Am 9. April um 7. Komm!", ["Am 9. April um 7. Komm!"]],
  ["It was in 1990. Then", ["It was in 1990.", " Then"]],
  ["One.Two", ["One.", "Two"]],
  ["Wait... what?!", ["Wait...", " what?!"]],
  ["好吗？我住在里斯本。", ["好吗？", "我住在里斯本。"]],
  ["أين تسكن؟ في لشبونة.", ["أين تسكن؟", " في لشبونة."]],
])("the sentences of %j are %j", (text, expected) => {
  expect(sentencesIn(text)).toEqual(expected);
});

test.each([
  ["Where?", true],
  ["Where? \n", true],
  ["What?!", true],
  ["好吗？", true],
  ["أين؟", true],
  ["Here.", false],
  ["Is it? Yes.", false],
  ["", false],
])("%j is a question: %s", (text, expected) => {
  expect(isQuestion(text)).toBe(expected);
});
