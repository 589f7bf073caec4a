// What a page shows of a failure: a sentence, and a button for what helps. What was shown before stays.

import { byId, make } from "./dom.js";
import { address } from "./address.js";

// fail shows an error in a place. Retry asks again. Of a key that is not good, the form for the key tells.
export function fail(place, error, retry) {
  if (error.name === "AbortError") return;
  if (error.kind === "key") {
    place.replaceChildren();
    askForKey(error);
    return;
  }
  const buttons = {
    filter: () => make("a", { href: address("mails") }, "All mails"),
    log: () => make("a", { href: address("unsubscribes") }, "Who has unsubscribed"),
    mail: () => make("button", { type: "button", click: retry }, "Look again"),
    again: () => make("button", { type: "button", click: retry }, "Try again"),
  };
  place.replaceChildren(make("div", { class: "problem", role: "alert" }, make("p", {}, error.message), buttons[error.kind]()));
}

// askForKey shows the form for the key above what is shown already, and says why.
export function askForKey({ message }) {
  byId("ask").hidden = false;
  byId("key-problem").replaceChildren(make("p", { class: "problem", role: "alert" }, message));
  byId("key").focus();
}
