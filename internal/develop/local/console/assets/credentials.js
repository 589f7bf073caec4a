// The credentials that the stack was told to show.

import { byId, copyButton, keep, make, problem } from "./dom.js";
import { command } from "./parts.js";

// showCredentials shows what the stack was told, or why it could not be read.
export function showCredentials(stack, error, retry) {
  const place = byId("credentials-problem");
  if (error) {
    problem(place, error, retry);
    return;
  }
  place.replaceChildren();
  keep(byId("credential-list"), stack.credentials, (credential) => credential.label, (credential) =>
    make("div", {},
      make("dt", {}, credential.label),
      make("dd", {}, make("code", {}, credential.value), copyButton(credential.value, credential.label))));
  byId("no-credentials").hidden = stack.credentials.length > 0;
  const examples = [["Send a mail", stack.first_mail], ["Print the table", stack.scan]].filter(([, text]) => text);
  byId("examples").replaceChildren(...examples.flatMap(([title, text]) => [make("h2", {}, title), command(text)]));
}
