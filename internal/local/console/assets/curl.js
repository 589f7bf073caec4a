// A request as a command of curl, for a shell.

// curl is the command that repeats a request, for bash, zsh and other shells that know $'…' (POSIX.1-2024). Whatever
// the request has, the command has no control characters but the line feeds between its options: a terminal obeys
// nothing of the request. The command is empty where bytes of the query or of a header are not known: the console has
// U+FFFD in the place of what is not UTF-8.
export function curl(origin, { method, path, headers, body: content }) {
  if ([path, ...headers.flat()].some((text) => text.includes("\uFFFD"))) return "";
  const body = method === "HEAD" ? "" : content; // it has no meaning (RFC 9110 section 9.3.2), and curl refuses it
  const typed = !body || headers.some(([name]) => name === "content-type"); // else curl would add a type of its own
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

// unsafe is what cannot stand in plain quotes: what a terminal obeys, the "!" by which an interactive shell looks into
// its history, and a "\" before a quote, which fish takes for a part of the text.
const unsafe = /[\p{Cc}\p{Bidi_Control}\p{Zl}\p{Zp}!]|\\(?='|$)/u;

// quote makes a text one word of a command. In $'…' there is no quote, so that it is one word even for a shell that
// does not know it. Other characters are bytes in octal, which do not depend on the shell's locale.
function quote(text) {
  if (!unsafe.test(text)) return `'${text.replaceAll("'", `'\\''`)}'`;
  const short = { "\\": "\\\\", "\n": "\\n", "\r": "\\r", "\t": "\\t" };
  const octal = (byte) => `\\${byte.toString(8).padStart(3, "0")}`;
  const escaped = (letter) => short[letter] ?? Array.from(new TextEncoder().encode(letter), octal).join("");
  return `$'${text.replace(/[\\'!\p{Cc}\p{Bidi_Control}\p{Zl}\p{Zp}]/gu, escaped)}'`;
}
