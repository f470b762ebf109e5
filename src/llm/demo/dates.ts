// Days in a question: a date in one of the usual forms, or a word like "yesterday" counted from the date in the prompt.
// Invariant: no clock is read; without a date in the prompt a relative day is not known.

/** A range of days, `YYYY-MM-DD`, both included. */
export interface DayRange {
  readonly kind: "range";
  readonly start: string;
  readonly end: string;
}

/** What a text says of days: a range, a day that does not exist, or a relative day where today is not known. */
export type DayReading =
  | DayRange
  | { readonly kind: "impossible"; readonly text: string }
  | { readonly kind: "no-today"; readonly text: string };

const months = [
  "january",
  "february",
  "march",
  "april",
  "may",
  "june",
  "july",
  "august",
  "september",
  "october",
  "november",
  "december",
];
const monthName =
  "(jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)";
const dayFirst = new RegExp(`\\b(\\d{1,2})(?:st|nd|rd|th)? (?:of )?${monthName}\\b(?:,? (\\d{4}))?`, "i");
const monthFirst = new RegExp(`\\b${monthName} (\\d{1,2})(?:st|nd|rd|th)?\\b(?:,? (\\d{4}))?`, "i");
const relative =
  /\b(?:yesterday|today|this morning|this afternoon|tonight|last week|past week|(\d{1,3}|a|one|two|three|four|five|six|seven) (day|week)s? ago)\b/i;
const smallNumbers: Readonly<Record<string, number>> = {
  a: 1,
  one: 1,
  two: 2,
  three: 3,
  four: 4,
  five: 5,
  six: 6,
  seven: 7,
};

/** The days that a question asks about, or undefined if it names none. */
export function readDays(text: string, today: string | undefined): DayReading | undefined {
  const iso = [...text.matchAll(/\b(\d{4}-\d{1,2}-\d{1,2})\b/g)].map((match) => match[1]!);
  if (iso.length > 0) return isoRange(iso[0]!, iso[1] ?? iso[0]!);
  const first = dayFirst.exec(text);
  if (first !== null)
    return calendarDay({ day: first[1]!, month: first[2]!, year: first[3] ?? today?.slice(0, 4), text: first[0] });
  const second = monthFirst.exec(text);
  if (second !== null)
    return calendarDay({ day: second[2]!, month: second[1]!, year: second[3] ?? today?.slice(0, 4), text: second[0] });
  return relativeDays(text, today);
}

/** The date that a prompt or an envelope gives as the present one, or undefined. */
export function readToday(text: string): string | undefined {
  const match = /\b(?:today|tonight|current (?:date|time|day)|the date|now)\b[^\n\d]{0,40}(\d{4}-\d{2}-\d{2})/i.exec(
    text,
  );
  return match !== null && isDay(match[1]!) ? match[1] : undefined;
}

/** Whether the text is a day of the calendar, `YYYY-MM-DD`. */
export function isDay(text: string): boolean {
  const time = Date.parse(`${text}T00:00:00Z`);
  return /^\d{4}-\d{2}-\d{2}$/.test(text) && !Number.isNaN(time) && new Date(time).toISOString().startsWith(text);
}

/** The text without the words that name days, so that the topic is left. */
export function withoutDays(text: string): string {
  return [/\b(?:on |from |to |between |and )?\d{4}-\d{1,2}-\d{1,2}\b/gi, dayFirst, monthFirst, relative].reduce(
    (rest, pattern) => rest.replace(pattern, " "),
    text,
  );
}

function isoRange(one: string, other: string): DayReading {
  const [start, end] = [padded(one), padded(other)].sort() as [string, string];
  const impossible = [start, end].find((day) => !isDay(day));
  return impossible === undefined ? { kind: "range", start, end } : { kind: "impossible", text: impossible };
}

function calendarDay(parts: { day: string; month: string; year: string | undefined; text: string }): DayReading {
  if (parts.year === undefined) return { kind: "no-today", text: parts.text };
  const month = months.findIndex((name) => name.startsWith(parts.month.slice(0, 3).toLowerCase())) + 1;
  const day = padded(`${parts.year}-${month}-${parts.day}`);
  return isDay(day) ? { kind: "range", start: day, end: day } : { kind: "impossible", text: parts.text };
}

function relativeDays(text: string, today: string | undefined): DayReading | undefined {
  const match = relative.exec(text);
  if (match === null) return undefined;
  if (today === undefined) return { kind: "no-today", text: match[0] };
  const words = match[0].toLowerCase();
  if (words.endsWith("week")) return { kind: "range", start: daysBefore(today, 7), end: today };
  const count = match[1] === undefined ? 0 : (smallNumbers[match[1].toLowerCase()] ?? Number(match[1]));
  const back = words === "yesterday" ? 1 : count * (match[2]?.toLowerCase() === "week" ? 7 : 1);
  return { kind: "range", start: daysBefore(today, back), end: daysBefore(today, back) };
}

function daysBefore(day: string, count: number): string {
  return new Date(Date.parse(`${day}T00:00:00Z`) - count * 86_400_000).toISOString().slice(0, 10);
}

function padded(day: string): string {
  const [year = "", month = "", date = ""] = day.split("-");
  return `${year}-${month.padStart(2, "0")}-${date.padStart(2, "0")}`;
}
