// Numbers and times as the inspector writes them.
import {
  agoText,
  countText,
  dollarText,
  momentText,
  percentText,
  shortNumber,
} from "../../../src/surfaces/inspector/parts/number-text.ts";

const now = Date.parse("2026-11-25T12:00:00Z");

test.each([
  ["2026-11-25T11:59:50Z", "just now"],
  ["2026-11-25T12:00:02Z", "just now"],
  ["2026-11-25T12:00:40Z", "in 40 seconds"],
  ["2026-11-25T11:55:00Z", "5 minutes ago"],
  ["2026-11-25T14:00:00Z", "in 2 hours"],
  ["2026-11-24T11:00:00Z", "yesterday"],
  ["2026-10-01T00:00:00Z", "2 months ago"],
  ["nonsense", "nonsense"],
])("%s is %s", (at, text) => {
  expect(agoText(at, now)).toBe(text);
});

test("counts, shares and large numbers", () => {
  expect([countText(1, "message"), countText(2000, "message"), countText(2, "reply", "replies")]).toEqual([
    "1 message",
    "2,000 messages",
    "2 replies",
  ]);
  expect([0, 0.001, 0.5, 1.25, Number.NaN].map(percentText)).toEqual(["0 %", "< 1 %", "50 %", "125 %", "–"]);
  expect([shortNumber(950), shortNumber(12_345)]).toEqual(["950", "12.3K"]);
  expect([0, 0.00123, 0.5, 12.345].map(dollarText)).toEqual(["$0.00", "$0.0012", "$0.50", "$12.35"]);
  expect(momentText("nonsense")).toBe("nonsense");
  expect(momentText("2026-11-25T12:00:00Z", "America/Nowhere")).toBe("2026-11-25T12:00:00Z");
});
