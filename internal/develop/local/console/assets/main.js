// The screen: which page is shown, and what keeps it up to date.

import { byId, make } from "./dom.js";
import { follow, read, refresher } from "./stack.js";
import { refreshOutbox, showOutbox, showFirstMail, stepMail } from "./outbox.js";
import { refreshOpenRequests, refreshRequests, stepRequest, wantRequest } from "./requests.js";
import { showCredentials } from "./credentials.js";
import { areOn, showKeys } from "./keys.js";
import { openLogin } from "./login.js";
import { showBuilds, showConnection } from "./notices.js";

// The pages by their name in the address. Show gets the rest of the address; step goes to the next (1) or the previous
// (-1) entry of the page's list.
const pages = {
  outbox: { title: "Outbox", show: showOutbox, step: stepMail },
  requests: { title: "Requests", show: showRequests, step: stepRequest },
  credentials: { title: "Credentials", show: () => {} },
};

function showRequests(id) {
  wantRequest(id);
  refresh.requests();
}

// route shows the page that the address names: #/outbox/<id>/<view>, #/requests/<id>, #/credentials. An unknown address
// shows the outbox.
function route() {
  const [name, ...rest] = location.hash.slice(2).split("/").map(decoded);
  const page = pages[name] ? name : "outbox";
  for (const id of Object.keys(pages)) byId(id).hidden = id !== page;
  // aria-current tells a screen reader what the style shows.
  for (const link of document.querySelectorAll(".pages a")) {
    if (link.hash === `#/${page}`) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
  }
  document.title = `${pages[page].title} · frontdesk local`;
  pages[page].show(...rest);
}

// decoded returns a part of the address, or the part as it is if its percent encoding is wrong.
function decoded(part) {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

// How each topic of the stack is read again. The names are those of the server's events (changes.go).
const refresh = {
  outbox: refresher(async () => {
    await refreshOutbox();
    refreshOpenRequests(); // they show their mails
  }),
  requests: refresher(refreshRequests),
  builds: refresher(async () => showBuilds(await read("/_local/builds").catch(() => null))),
  stack: refresher(async () => {
    let stack = null;
    let error;
    try {
      stack = await read("/_local/stack");
    } catch (e) {
      error = e;
    }
    showCredentials(stack, error, refresh.stack);
    if (!stack) return;
    showFirstMail(stack);
    byId("links").hidden = stack.links.length === 0;
    byId("links").replaceChildren(...stack.links.map((link) => make("a", {
      href: link.path, target: "_blank",
      // Without a way to make a login link, the link opens the page like any other.
      click: link.path === "/app/login" && stack.login ? (event) => {
        event.preventDefault();
        openLogin(stack.login);
      } : null,
    }, link.label)));
  }),
};

byId("skip").addEventListener("click", (event) => {
  event.preventDefault(); // the link must not change the address, which names the page
  byId("main").focus();
});
addEventListener("hashchange", route);

// "?" shows the keys, "/" leads to the search of the page, "j" and "k" go to the next and the previous entry of
// its list.
addEventListener("keydown", (event) => {
  // A key that is typed into a field, or pressed with another, belongs to the field or the browser.
  if (event.ctrlKey || event.metaKey || event.altKey || !areOn() || byId("keys").open || event.target.closest?.("input, select, textarea")) return;
  const page = document.querySelector(".page:not([hidden])");
  const search = page.querySelector('input[type="search"]');
  const step = { j: 1, k: -1 }[event.key];
  if (event.key === "?") showKeys();
  else if (event.key === "/" && search?.checkVisibility()) search.select();
  else if (step && pages[page.id].step) pages[page.id].step(step);
  else return;
  event.preventDefault();
});
route(); // after refresh is defined
follow({
  changed: (topic) => refresh[topic]?.(),
  // What changed while there was no connection was not reported, so everything is read again.
  connected: () => {
    showConnection(true);
    for (const run of Object.values(refresh)) run();
  },
  lost: () => showConnection(false),
});
