// A request as a command of curl, for a shell.

// curl returns the command that repeats a request, for bash, zsh and other shells that know $'…' (POSIX.1-2024).
// Whatever the request contains, the command has no control characters but the line feeds between its options, so a
// terminal finds nothing in it to obey. It returns "" if bytes of the query or of a header are lost: the console has
// U+FFFD in place of what is not UTF-8.
export function curl(origin, { method, path, headers, body: content }) {
  if ([path, ...headers.flat()].some((text) => text.includes("\uFFFD"))) return "";
  const body = method === "HEAD" ? "" : content; // it has no meaning (RFC 9110 section 9.3.2), and curl refuses it
  const typed = !body || headers.some(([name]) => name === "content-type"); // otherwise curl would add a type of its own
  return [
    `curl -s ${quote(origin + path)}`,
    /[[\]{}]/.test(path) ? "--globoff" : "",
    /\/(\.|%2e){1,2}(\/|\?|$)/i.test(path) ? "--path-as-is" : "",
    method === "HEAD" ? "-I" : method === (body ? "POST" : "GET") ? "" : `-X ${quote(method)}`,
    ...headers.filter(([name, value]) => name !== "accept" || value !== "*/*")
      .map(([name, value]) => `-H ${quote(value ? `${name}: ${value}` : `${name};`)}`),
    typed ? "" : "-H 'content-type:'",
    body ? `--data-raw ${quote(body)}` : "", // --data-binary would send the file that a body of "@file" names
  ].filter(Boolean).join(" \\\n  ");
}

// unsafe matches what cannot stand in plain quotes: what a terminal obeys, the "!" with which an interactive shell
// looks into its history, and a "\" before a quote, with which fish escapes the quote.
const unsafe = /[\p{Cc}\p{Bidi_Control}\p{Zl}\p{Zp}!]|\\(?='|$)/u;

// quote turns a text into one word of a command. It writes no quote within $'…', so that even a shell that does
// not know this form reads one word. It writes unsafe characters as bytes in octal, which do not depend on the
// shell's locale.
function quote(text) {
  if (!unsafe.test(text)) return `'${text.replaceAll("'", `'\\''`)}'`;
  const short = { "\\": "\\\\", "\n": "\\n", "\r": "\\r", "\t": "\\t" };
  const octal = (byte) => `\\${byte.toString(8).padStart(3, "0")}`;
  const escaped = (letter) => short[letter] ?? Array.from(new TextEncoder().encode(letter), octal).join("");
  return `$'${text.replace(/[\\'!\p{Cc}\p{Bidi_Control}\p{Zl}\p{Zp}]/gu, escaped)}'`;
}
