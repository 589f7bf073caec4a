// How sizes and times read.

// size returns a number of bytes in units of 1,000, with at most three digits.
export function size(bytes) {
  if (bytes < 1000) return `${bytes} B`;
  let unit = -1;
  do {
    bytes /= 1000;
    unit++;
  // 999.5 is rounded to 1000, which the next unit says shorter.
  } while (bytes >= 999.5 && unit < 2);
  return `${bytes < 10 ? bytes.toFixed(1) : Math.round(bytes)} ${["kB", "MB", "GB"][unit]}`;
}

// The language of the browser decides the form, but every clock has 24 hours.
const clock = new Intl.DateTimeFormat(undefined, { hour: "2-digit", minute: "2-digit", hourCycle: "h23" });
const precise = new Intl.DateTimeFormat(undefined, { hour: "2-digit", minute: "2-digit", second: "2-digit", hourCycle: "h23" });
const day = new Intl.DateTimeFormat(undefined, { day: "numeric", month: "short" });
const full = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "medium", hourCycle: "h23" });

const isToday = (date) => date.toDateString() === new Date().toDateString();

// short returns the time for today, and the day for anything older.
export const short = (iso) => (isToday(new Date(iso)) ? clock : day).format(new Date(iso));

// second returns the time with seconds, after the day unless it is today.
export function second(iso) {
  const date = new Date(iso);
  return isToday(date) ? precise.format(date) : `${day.format(date)} ${precise.format(date)}`;
}

// long returns the day and the time with seconds.
export const long = (iso) => full.format(new Date(iso));

// utc returns the exact time in UTC: "2026-11-22 09:30:00.125 UTC".
export const utc = (iso) => new Date(iso).toISOString().replace("T", " ").replace("Z", " UTC");

// milliseconds rounds a duration: to a tenth below 10, else to a whole number.
export function milliseconds(ms) {
  if (ms < 0.05) return "<0.1";
  return ms < 10 ? ms.toFixed(1) : Math.round(ms).toLocaleString("en");
}

// plural returns a number with its word: "1 mail", "2 mails".
export const plural = (n, word) => `${n.toLocaleString("en")} ${word}${n === 1 ? "" : "s"}`;
