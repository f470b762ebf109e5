// Times as models read them, and durations in words: two units at most, rounded up, so that nobody comes too early.
import { agoText, durationText, formatMinute, zoneText } from "../../../src/base/calendar.ts";

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

test.each([
  ["2026-11-21T10:13:59Z", "Europe/Lisbon", "Sat 2026-11-21 10:13", "Europe/Lisbon, UTC+00:00"],
  ["2026-07-01T23:30:00Z", "Europe/Lisbon", "Thu 2026-07-02 00:30", "Europe/Lisbon, UTC+01:00"],
  ["2026-01-01T00:05:00Z", "America/St_Johns", "Wed 2025-12-31 20:35", "America/St_Johns, UTC-03:30"],
])("%s in %s is %s", (at, timeZone, text, zone) => {
  expect(formatMinute(new Date(at), timeZone)).toBe(text);
  expect(zoneText(new Date(at), timeZone)).toBe(zone);
});

test.each([
  [-5000, "less than a minute ago"],
  [59_999, "less than a minute ago"],
  [60_000, "1 minute ago"],
  [3_600_000, "1 hour ago"],
  [3_661_000, "1 hour and 1 minute ago"],
  [264_599_000, "3 days and 1 hour ago"],
  [259_500_000, "3 days ago"],
])("%i milliseconds have passed: %s", (ms, text) => {
  expect(agoText(ms)).toBe(text);
});
