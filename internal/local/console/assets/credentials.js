// The credentials that the stack was told to show.

import { byId, copyButton, keep, make, problem } from "./dom.js";

let credentials = [];

// filled puts the demo tenant's credentials in the place of those that were masked, by their kind: "fdm_•••".
export const filled = (text) => text.replace(/\b([a-z]{2,8}_)•••/g, (masked, kind) =>
  credentials.find(({ value }) => value.startsWith(kind))?.value ?? masked);

export function showCredentials(stack, error, retry) {
  const place = byId("credentials-problem");
  if (error) {
    problem(place, error, retry);
    return;
  }
  place.replaceChildren();
  credentials = stack.credentials;
  keep(byId("credential-list"), stack.credentials, (credential) => credential.label, (credential) =>
    make("div", {},
      make("dt", {}, credential.label),
      make("dd", {}, make("code", {}, credential.value), copyButton(credential.value, credential.label))));
  byId("no-credentials").hidden = stack.credentials.length > 0;
  byId("example").replaceChildren(...(stack.first_mail ? [
    make("h2", {}, "Send a mail"),
    command(stack.first_mail),
  ] : []));
}

// command is a shell command to be copied.
export function command(text) {
  return make("div", { class: "command" },
    make("pre", { tabindex: "0", "aria-label": "Command" }, text),
    copyButton(text, "the command"));
}
