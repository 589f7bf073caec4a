"use strict";

const byId = (id) => document.getElementById(id);

// Take the link out of the address bar at once, so that no history and no screenshot has it. The page's own state
// keeps it through a reload, until it is used.
const asked = new URLSearchParams(location.search);
const link = asked.has("sso_auth_token") ? { email: asked.get("email"), token: asked.get("sso_auth_token") } : history.state;
keep(link);

function keep(state) {
  history.replaceState(state, "", location.pathname);
}

// show shows one of the sections. With focus, it moves the focus there, so that screen readers read it out.
function show(id, focus) {
  for (const section of document.querySelectorAll("section")) section.hidden = section.id !== id;
  const title = document.querySelector(`#${id} h1`);
  document.title = title.textContent;
  if (focus) title.focus();
}

if (link && /^[^\s@]+@[^\s@]+$/.test(link.email) && link.email.length <= 254 && link.token) {
  byId("whose").textContent = link.email;
  show("asking", false);
} else {
  show("none", false);
}

const button = document.querySelector("#form button");
let busy = false;

byId("form").addEventListener("submit", async (event) => {
  event.preventDefault();
  if (busy) return;
  setBusy(true);
  byId("problem").textContent = "";
  try {
    await signIn();
  } catch {
    byId("problem").textContent = "That did not work. Check your connection, and try again.";
  }
  setBusy(false);
});

function setBusy(value) {
  busy = value;
  button.setAttribute("aria-disabled", value); // the attribute disabled would lose the focus
  button.textContent = value ? "Signing in…" : "Sign in";
}

async function signIn() {
  const response = await fetch("../auth/sign_in", {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ email: link.email, sso_auth_token: link.token }),
    credentials: "omit",
    redirect: "error",
    signal: AbortSignal.timeout(30_000),
  });
  if (response.ok) {
    const { data } = await response.json();
    keep(null);
    byId("name").textContent = data.name;
    byId("email").textContent = data.email;
    byId("token").textContent = data.access_token;
    show("done", true);
  } else if (response.status === 429) {
    byId("problem").textContent = "Too many people are signing in just now. Try again in a moment.";
  } else if ([400, 401, 422].includes(response.status)) {
    keep(null);
    show("spent", true);
  } else {
    byId("problem").textContent = "Something went wrong on our side. Try again in a moment.";
  }
}

byId("copy").addEventListener("click", async () => {
  getSelection().selectAllChildren(byId("token"));
  let copied = true;
  try {
    await navigator.clipboard.writeText(byId("token").textContent);
  } catch {
    copied = document.execCommand("copy"); // without HTTPS, browsers have no navigator.clipboard
  }
  byId("copy").textContent = copied ? "Copied" : "Press Ctrl+C to copy";
  byId("copied").textContent = byId("copy").textContent;
});
