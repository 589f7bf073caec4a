// The API, as it answers a mail key. The key is in the memory of this module, and nowhere else.

let key = "";
let requests = new AbortController(); // those that are under way

export const hasKey = () => key !== "";

// useKey answers with this key from now on; "" forgets it. What was asked with the one before is not answered any more.
export function useKey(text) {
  requests.abort();
  requests = new AbortController();
  key = text;
}

// isKey reports whether a text has the form of a mail key.
export const isKey = (text) => /^fdm_[0-9a-z]+_[0-9a-f]{64}$/.test(text);

// read returns the JSON at a path below the API's root. The message of its error is a sentence for people, and its kind
// says what helps: "key", "log", "mail", "filter" or "again". Of a key that was forgotten meanwhile the error is an
// AbortError.
export async function read(path, parameters = {}) {
  const query = new URLSearchParams(Object.entries(parameters).filter(([, value]) => value));
  const { signal } = requests;
  let response, body;
  try {
    response = await fetch(`../${path}${query.size ? `?${query}` : ""}`, {
      headers: { "api-access-token": key }, cache: "no-store", credentials: "omit", redirect: "error", signal,
    });
    body = await response.json().catch(() => null);
  } catch {
    signal.throwIfAborted();
    throw failure("again", "The stack cannot be reached. Look at your connection, and try again.");
  }
  signal.throwIfAborted();
  if (response.ok && body) return body;
  throw explained(response, body ?? {});
}

export const wrongKey = () => failure("key", "This key is not good here: it is mistyped, revoked, or of another stack.");

const failure = (kind, message) => Object.assign(new Error(message), { kind });

// explained turns an answer that is an error into one for people. One without a code is API Gateway's, which knows no
// log where the operator keeps none.
function explained(response, { message, code, request_id: request }) {
  const seconds = Number(response.headers.get("retry-after"));
  switch (response.status) {
    case 400:
      return failure("filter", `The API refuses this: ${message}.`);
    case 401:
      return wrongKey();
    case 404:
      return code
        ? failure("mail", "The log does not know this mail: it is of another key, older than the log, forgotten, or so new that SES has told nothing of it yet.")
        : failure("log", "This stack keeps no log of mails. Its operator turns it on by the parameter MailLogDays.");
    case 429:
      return failure("again", "More requests came at once than the operator lets through. Try again in a moment.");
    case 503:
      return seconds
        ? failure("again", `The stack cannot answer at the moment. Try again in ${seconds === 1 ? "a second" : `${seconds} seconds`}.`)
        : failure("again", "No answer came in time. Try again in a moment.");
  }
  return failure("again", `The stack failed with ${response.status}.${request ? ` Its operator finds the request ${request} in the log.` : ""}`);
}
