// A request as a command of curl, for a shell.

// curl is the command that repeats a request, for bash, zsh and other shells that know $'…' (POSIX.1-2024). Whatever the
// request has, the command has no control character: a terminal does not obey any of it.
export function curl(origin, { method, path, headers, body }) {
  const typed = !body || headers.some(([name]) => name === "content-type"); // else curl would add a type of its own
  return [
    `curl -s ${quote(origin + path)}`,
    /[[\]{}]/.test(path) ? "--globoff" : "",
    /\/\.\.?(\/|\?|$)/.test(path) ? "--path-as-is" : "",
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

// quote makes a text one word of a command. In $'…' there is no quote, so that it is one word even for a shell that does
// not know it. Other characters are bytes in octal, which do not depend on the shell's locale.
function quote(text) {
  if (!unsafe.test(text)) return `'${text.replaceAll("'", `'\\''`)}'`;
  const short = { "\\": "\\\\", "\n": "\\n", "\r": "\\r", "\t": "\\t" };
  const octal = (byte) => `\\${byte.toString(8).padStart(3, "0")}`;
  const escaped = (letter) => short[letter] ?? Array.from(new TextEncoder().encode(letter), octal).join("");
  return `$'${text.replace(/[\\'!\p{Cc}\p{Bidi_Control}\p{Zl}\p{Zp}]/gu, escaped)}'`;
}
