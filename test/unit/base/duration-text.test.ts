// Durations in words: two units at most, rounded up, so that nobody comes too early.
import { durationText } from "../../../src/base/duration-text.ts";

test.each([
  [0, "1 second"],
  [1, "1 second"],
  [1000, "1 second"],
  [1001, "2 seconds"],
  [59_001, "60 seconds"],
  [60_000, "60 seconds"],
  [60_001, "1 minute and 1 second"],
  [3_600_000, "60 minutes"],
  [3_600_001, "1 hour and 1 minute"],
  [7_199_999, "2 hours"],
  [18_720_000, "5 hours and 12 minutes"],
  [86_400_000, "24 hours"],
  [90_000_000, "1 day and 1 hour"],
])("%i milliseconds are %s", (ms, text) => {
  expect(durationText(ms)).toBe(text);
});
