// How sizes and times read.

export function size(bytes) {
  if (bytes < 1000) return `${bytes} B`;
  let unit = -1;
  do {
    bytes /= 1000;
    unit++;
  } while (bytes >= 999.5 && unit < 2);
  return `${bytes < 10 ? bytes.toFixed(1) : Math.round(bytes)} ${["kB", "MB", "GB"][unit]}`;
}

const clock = new Intl.DateTimeFormat(undefined, { hour: "2-digit", minute: "2-digit", hourCycle: "h23" });
const precise = new Intl.DateTimeFormat(undefined, { hour: "2-digit", minute: "2-digit", second: "2-digit", hourCycle: "h23" });
const day = new Intl.DateTimeFormat(undefined, { day: "numeric", month: "short" });
const full = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "medium", hourCycle: "h23" });

const isToday = (date) => date.toDateString() === new Date().toDateString();

// short is the time of today, and the day of all that is older.
export const short = (iso) => (isToday(new Date(iso)) ? clock : day).format(new Date(iso));

// second is the time with seconds, with the day before it when that is not today.
export function second(iso) {
  const date = new Date(iso);
  return isToday(date) ? precise.format(date) : `${day.format(date)} ${precise.format(date)}`;
}

export const long = (iso) => full.format(new Date(iso));

export function milliseconds(ms) {
  if (ms < 0.05) return "<0.1";
  return ms < 10 ? ms.toFixed(1) : Math.round(ms).toLocaleString("en");
}

// plural is "1 mail", "2 mails".
export const plural = (n, word) => `${n.toLocaleString("en")} ${word}${n === 1 ? "" : "s"}`;
