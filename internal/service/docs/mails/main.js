// The page: the key, and what is shown with it.

import { byId } from "./dom.js";
import { address, readAddress } from "./address.js";
import { hasKey, isKey, useKey, wrongKey } from "./api.js";
import { askForKey } from "./failure.js";
import { forgetMails, readMails, showMails } from "./list.js";
import { closeMail, showMail } from "./mail.js";
import { forgetUnsubscribes, showUnsubscribes } from "./unsubscribes.js";

const titles = { mails: "Mails", unsubscribes: "Unsubscribed" };

// route shows what the fragment names, to whoever has put in a key.
function route() {
  const { page, id, filter } = readAddress();
  document.title = `${titles[page]} · frontdesk`;
  for (const name of Object.keys(titles)) byId(`${name}-page`).hidden = !hasKey() || name !== page;
  for (const link of document.querySelectorAll("#pages a")) {
    if (link.hash === address(page)) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
  }
  byId("pages").hidden = byId("forget").hidden = !hasKey();
  if (!hasKey()) return;
  if (page === "unsubscribes") {
    showUnsubscribes(filter);
    return;
  }
  showMails(filter, id);
  if (id) showMail(id, filter);
  else closeMail();
}

// empty removes all that the key has shown, and the key.
function empty() {
  useKey("");
  forgetMails();
  closeMail();
  forgetUnsubscribes();
  byId("key-form").reset();
  byId("key-problem").replaceChildren();
  byId("ask").hidden = false;
}

byId("key-form").addEventListener("submit", (event) => {
  event.preventDefault();
  const text = byId("key").value.trim();
  empty();
  if (!isKey(text)) {
    askForKey(wrongKey());
    route();
    return;
  }
  useKey(text);
  byId("ask").hidden = true;
  byId("main").focus();
  route();
});

byId("forget").addEventListener("click", () => {
  empty();
  history.replaceState(null, "", address("mails")); // it may name a recipient
  route();
  byId("key").focus();
});
addEventListener("pagehide", () => {
  empty();
  route();
});

byId("utc").addEventListener("click", ({ target }) => {
  target.setAttribute("aria-pressed", String(document.body.classList.toggle("in-utc")));
});
byId("skip").addEventListener("click", (event) => {
  event.preventDefault(); // the link must not change the address, which names the page
  byId("main").focus();
});
addEventListener("hashchange", route);
document.addEventListener("visibilitychange", () => {
  const { page, id, filter } = readAddress();
  if (document.hidden || !hasKey() || page !== "mails") return;
  readMails();
  if (id) showMail(id, filter);
});
route();
