// The last requests, each with its round trips and log lines when it is opened.

import { byId, keep, make, problem } from "./dom.js";
import { long, second } from "./format.js";
import { read } from "./stack.js";

// page is how many requests are shown at first, and more at a time.
const page = 100;

let requests = null; // newest first
let limit = page;

// refreshRequests reads them where they are seen: under load there are many.
export async function refreshRequests() {
  if (byId("requests").hidden) return;
  try {
    requests = await read("/_local/requests");
  } catch (error) {
    if (!requests) problem(byId("requests-problem"), error, refreshRequests);
    return;
  }
  byId("requests-problem").replaceChildren();
  show();
  for (const open of byId("request-list").querySelectorAll("details[open]")) fill(open);
}

function show() {
  keep(byId("request-list"), requests.slice(0, limit), (request) => request.id, requestRow);
  byId("request-columns").hidden = requests.length === 0;
  byId("no-requests").hidden = requests.length > 0;
  byId("more-requests").hidden = requests.length <= limit;
}

byId("more-requests").addEventListener("click", () => {
  limit += page;
  show();
});

// requestRow makes a row, or gives the row that there is a new summary: it stays open.
function requestRow(request, before) {
  const reached = request.start || request.round_trips;
  const summary = make("summary", {},
    make("time", { datetime: request.at, title: long(request.at) }, second(request.at)),
    make("span", { class: "method" }, request.method),
    make("span", { class: "path", title: request.path }, request.path, request.query ? make("span", { class: "query" }, `?${request.query}`) : null),
    make("span", { class: `status s${Math.floor(request.status / 100)}` }, String(request.status)),
    make("span", { class: "function" }, request.function || "–"),
    make("span", { class: "ms number" }, milliseconds(request.ms), unit("ms")),
    make("span", { class: `start ${request.start || "never"}` }, request.start || "–"),
    reached
      ? make("span", { class: "trips number" }, String(request.round_trips), unit(request.round_trips === 1 ? "trip" : "trips"))
      : make("span", { class: "trips number never" }, "–"));
  if (before) {
    const old = before.querySelector("summary");
    const focused = old === document.activeElement;
    old.replaceWith(summary);
    if (focused) summary.focus();
    return before;
  }
  const details = make("details", { "data-id": request.id }, summary, make("div", { class: "detail" }));
  details.addEventListener("toggle", () => details.open && fill(details));
  return make("li", {}, details);
}

// unit stands where there is no room for a column's title.
const unit = (text) => make("span", { class: "unit" }, ` ${text}`);

function milliseconds(ms) {
  if (ms < 0.05) return "<0.1";
  return ms < 10 ? ms.toFixed(1) : Math.round(ms).toLocaleString("en");
}

// fill reads what belongs to a request that is open.
async function fill(details) {
  const place = details.querySelector(".detail");
  let request;
  try {
    request = await read(`/_local/requests/${encodeURIComponent(details.dataset.id)}`);
  } catch (error) {
    if (!place.firstChild) problem(place, error, () => fill(details));
    return;
  }
  const text = JSON.stringify(request);
  if (place.dataset.shown === text) return;
  place.dataset.shown = text;
  place.replaceChildren(
    request.error ? make("p", { class: "problem" }, request.error) : "",
    make("h3", {}, "Round trips"),
    request.calls.length
      ? make("ol", { class: "trips" }, ...request.calls.map((call) =>
        make("li", {}, make("span", { class: "service" }, call.service), call.action)))
      : make("p", { class: "none" }, request.function ? "It called no service." : "It reached no function."),
    make("h3", {}, "Log lines"),
    request.lines.length
      ? make("div", { class: "lines", tabindex: "0", role: "region", "aria-label": "Log lines" }, ...request.lines.map(logLine))
      : make("p", { class: "none" }, request.function ? "It has logged nothing." : "It reached no function."),
    make("p", { class: "aside" }, `Request ${request.id}`,
      request.start === "cold" ? ` · ${milliseconds(request.init_ms)} ms of it to start a process` : ""));
}

// logLine is a line of structured log as level, message and the rest, any other line as it is.
function logLine(text) {
  let line;
  try {
    line = JSON.parse(text);
  } catch {
    line = null;
  }
  if (typeof line !== "object" || line === null || typeof line.msg !== "string") return make("p", {}, text);
  const { time, level, msg, request_id: _, lambda_request_id: __, ...rest } = line;
  return make("p", { title: text },
    make("span", { class: `level ${String(level ?? "").toLowerCase()}` }, String(level ?? "")), make("strong", {}, msg),
    ...Object.entries(rest).map(([name, value]) =>
      make("span", { class: "attribute" }, make("span", { class: "name" }, name), typeof value === "string" ? value : JSON.stringify(value))));
}
