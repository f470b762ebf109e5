// Cron expressions in words.
import { cronText } from "../../../src/surfaces/inspector/schedules/cron-text.ts";

test.each([
  ["0 8 * * *", "every day at 08:00"],
  ["30 9 * * 1", "Mondays at 09:30"],
  ["5 23 * * 0", "Sundays at 23:05"],
  ["5 23 * * 7", "Sundays at 23:05"],
  ["0 9 * * 1-5", "Monday to Friday at 09:00"],
  ["*/15 * * * *", "every 15 minutes"],
  ["* * * * *", "every minute"],
  ["*/1 * * * *", "every minute"],
  ["0 * * * *", "every hour"],
  ["  00 8  * * * ", "every day at 08:00"],
])("%j is %s", (cron, text) => {
  expect(cronText(cron)).toBe(text);
});

test.each([
  // Due at 0, 25 and 50 minutes, so not every 25 minutes.
  "*/25 * * * *",
  "*/0 * * * *",
  "*/15 8 * * *",
  "0 8 1 * *",
  "0 8 * 6 *",
  "0 8,20 * * *",
  "0 8 * * 1,3",
  "0 8 * * MON",
  "0 * * * 1",
  "0 0 8 * * *",
  "@daily",
  "every day",
  "",
])("%j has no words", (cron) => {
  expect(cronText(cron)).toBeNull();
});
