// Describes common cron expressions in words.
// Invariant: pure; returns null for an expression that it cannot describe exactly.

const dayNames = ["Sundays", "Mondays", "Tuesdays", "Wednesdays", "Thursdays", "Fridays", "Saturdays"];

/** Returns when a cron expression of five fields is due, such as `every day at 08:00`; null for less common expressions. */
export function cronText(cron: string): string | null {
  const [minute = "", hour = "", day, month, weekday = "", ...rest] = cron.trim().split(/\s+/u);
  if (day !== "*" || month !== "*" || rest.length > 0) return null;
  const days = daysText(weekday);
  if (hour === "*") return weekday === "*" ? withinHour(minute) : null;
  if (days === null || !isNumber(minute) || !isNumber(hour)) return null;
  return `${days} at ${hour.padStart(2, "0")}:${minute.padStart(2, "0")}`;
}

/** Returns the words for the minutes of every hour. */
function withinHour(minute: string): string | null {
  if (minute === "*" || minute === "*/1") return "every minute";
  if (minute === "0") return "every hour";
  const step = /^\*\/(\d+)$/u.exec(minute)?.[1];
  // A step that does not divide 60 begins anew with each hour, so the last interval of the hour is shorter.
  return step !== undefined && 60 % Number(step) === 0 ? `every ${Number(step)} minutes` : null;
}

/** Returns the words for the days of the week. Sunday is 0 or 7. */
function daysText(weekday: string): string | null {
  if (weekday === "*") return "every day";
  if (weekday === "1-5") return "Monday to Friday";
  return /^[0-7]$/u.test(weekday) ? (dayNames[Number(weekday) % 7] ?? null) : null;
}

function isNumber(field: string): boolean {
  return /^\d{1,2}$/u.test(field);
}
