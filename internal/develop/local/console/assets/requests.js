// The latest requests, with a search by their content, their status and their function.

import { byId, keep, make, problem, reveal } from "./dom.js";
import { milliseconds, plural, second } from "./format.js";
import { when } from "./parts.js";
import { fillRequest } from "./request.js";
import { read } from "./stack.js";

// page is how many requests the list shows at first, and how many it adds on demand.
const page = 100;

let requests = null; // newest first, those that match the search; null until they are read
let limit = page;
let wanted = ""; // id of the request to open
let gone = false; // whether the request to open does not exist any more
const functions = new Set(); // every function that was seen so far

const search = byId("request-search");
const status = byId("request-status");
const inFunction = byId("request-function");

// wantRequest opens a request as soon as it is known. It clears the search, which could hide the request.
export function wantRequest(id = "") {
  wanted = id;
  gone = false;
  if (id) search.value = status.value = inFunction.value = "";
}

// refreshRequests reads the requests only while their page is visible: under load there are many.
export async function refreshRequests() {
  if (byId("requests").hidden) return;
  const text = search.value.trim();
  try {
    requests = await read(`/_local/requests${text ? `?search=${encodeURIComponent(text)}` : ""}`);
  } catch (error) {
    byId("loading-requests").hidden = true;
    if (!requests) problem(byId("requests-problem"), error, refreshRequests);
    return;
  }
  byId("loading-requests").hidden = true;
  byId("requests-problem").replaceChildren();
  if (wanted && !requests.some(({ id }) => id === wanted)) {
    wanted = "";
    gone = true;
  }
  if (gone) problem(byId("requests-problem"), new Error("There is no such request any more. The last 1,000 are kept, until the stack ends."));
  show();
  refreshOpenRequests();
}

// refreshOpenRequests reads the open requests again: lines and mails may come after the answer.
export function refreshOpenRequests() {
  for (const open of byId("request-list").querySelectorAll(":scope > li > details[open]")) fillRequest(open);
}

// isRefused reports whether an answer is an error although its status is not.
const isRefused = (request) => request.reason !== "" && request.status < 400;

function show() {
  for (const request of requests) functions.add(request.function);
  keep(inFunction, ["", ...[...functions].filter(Boolean).sort()], (name) => name, (name) => make("option", { value: name }, name || "Any function"));
  const shown = requests.filter((request) => (!inFunction.value || request.function === inFunction.value) &&
    (!status.value || (status.value === "refused" ? isRefused(request) : String(request.status)[0] === status.value)));
  // A request that an address names is shown however old it is.
  limit = Math.max(limit, shown.findIndex(({ id }) => id === wanted) + 1);
  keep(byId("request-list"), shown.slice(0, limit), (request) => request.id, requestRow);
  const searched = Boolean(search.value.trim() || status.value || inFunction.value);
  byId("request-filters").hidden = requests.length === 0 && !searched;
  byId("request-columns").hidden = shown.length === 0;
  byId("no-requests").hidden = requests.length > 0 || searched;
  byId("no-request-matches").hidden = shown.length > 0 || !searched;
  byId("more-requests").hidden = shown.length <= limit;
  const details = wanted && byId("request-list").querySelector(`details[data-id="${CSS.escape(wanted)}"]`);
  if (!details) return;
  wanted = "";
  details.open = true;
  reveal(details, "start");
  details.querySelector(".row").focus({ preventScroll: true });
}

byId("more-requests").addEventListener("click", () => {
  limit += page;
  show();
});

let searching;
search.addEventListener("input", () => {
  clearTimeout(searching);
  searching = setTimeout(refreshRequests, 150);
});
for (const select of [status, inFunction]) select.addEventListener("change", show);

// stepRequest moves the focus to the next row, or to the previous one.
export function stepRequest(step) {
  const rows = [...byId("request-list").querySelectorAll(".row")];
  const at = rows.indexOf(document.activeElement?.closest("details[data-id]")?.querySelector(".row"));
  rows[at < 0 ? 0 : at + step]?.focus();
}

// requestRow makes a row, or renews the summary of the row before, which stays open.
function requestRow(request, before) {
  const reached = request.start || request.round_trips;
  const kind = isRefused(request) ? "s5" : `s${Math.floor(request.status / 100)}`;
  const summary = make("summary", { class: "row" },
    when(request.at, second),
    make("span", { class: "method" }, request.method),
    make("span", { class: "path", title: request.path }, request.path, request.query ? make("span", { class: "query" }, `?${request.query}`) : null),
    make("span", { class: `status ${kind}` }, String(request.status)),
    make("span", { class: "function" }, request.function || "–"),
    make("span", { class: "ms number" }, milliseconds(request.ms), unit("ms")),
    make("span", { class: `start ${request.start || "never"}` }, request.start || "–"),
    reached
      ? make("span", { class: "trips number" }, String(request.round_trips), unit(request.round_trips === 1 ? "trip" : "trips"))
      : make("span", { class: "trips number never" }, "–"),
    request.warnings.length ? make("span", { class: "reason warnings", dir: "auto", title: request.warnings.join("\n") },
      make("strong", {}, plural(request.warnings.length, "warning")), `: ${request.warnings.join(" · ")}`) : null,
    request.reason ? make("span", { class: `reason ${kind}`, dir: "auto", title: request.reason }, request.reason) : null);
  if (before) {
    const old = before.querySelector(".row");
    const focused = old === document.activeElement;
    old.replaceWith(summary);
    if (focused) summary.focus();
    return before;
  }
  const details = make("details", { "data-id": request.id }, summary, make("div", { class: "detail" }));
  details.addEventListener("toggle", () => {
    if (!details.open) return;
    history.replaceState(null, "", `#/requests/${encodeURIComponent(request.id)}`); // to be copied, without a step back
    fillRequest(details);
  });
  return make("li", {}, details);
}

// unit stands where there is no room for a column's title.
const unit = (text) => make("span", { class: "unit" }, ` ${text}`);
