// Where a message is in its turn.
import { placeInTurn } from "../../../src/surfaces/inspector/conversations/turn-place.ts";

/** Messages as `turn role`. */
const thread = (texts: readonly string[], hasNewer = false) => ({
  hasNewer,
  messages: texts.map((text) => {
    const [turnId = "", role = ""] = text.split(" ");
    return { turnId, role };
  }),
});

const framesOf = (shown: ReturnType<typeof thread>) => shown.messages.map((_, at) => placeInTurn(shown, at).frame);

test("a turn begins with its first message and ends with its last one", () => {
  const shown = thread(["a user", "a assistant", "a assistant", "b user", "c user"]);
  expect(framesOf(shown)).toEqual([
    " turn-first",
    "",
    " turn-last more",
    " turn-first turn-last",
    " turn-first turn-last",
  ]);
});

test("the end of a turn is not known before the message after it is loaded", () => {
  expect(framesOf(thread(["a user", "a assistant"], true))).toEqual([" turn-first", ""]);
});

test("an author is named again after another author", () => {
  const shown = thread(["a assistant", "a user", "a assistant", "b assistant"]);
  expect(shown.messages.map((_, at) => placeInTurn(shown, at).isNamed)).toEqual([true, true, true, true]);
});
