// One request: its headers, body and answer, its mails, its round trips and its log lines.

import { curl } from "./curl.js";
import { copyButton, make, problem } from "./dom.js";
import { milliseconds, size } from "./format.js";
import { read } from "./stack.js";
import { mailsOf, person } from "./mails.js";

// fillRequest reads and shows the details of an open request.
export async function fillRequest(details) {
  const place = details.querySelector(".detail");
  let request;
  try {
    request = await read(`/_local/requests/${encodeURIComponent(details.dataset.id)}`);
  } catch (error) {
    if (!place.firstChild) problem(place, error, () => fillRequest(details));
    return;
  }
  const mails = mailsOf(request.id);
  const text = JSON.stringify([request, mails]);
  if (place.dataset.shown === text) return;
  place.dataset.shown = text;
  const asked = request.exchange;
  place.replaceChildren(
    ...[request.error, request.reason].filter(Boolean).map((why) => make("p", { class: "problem", dir: "auto" }, why)),
    request.warnings.length ? make("ul", { class: "warnings", "aria-label": "Warnings" },
      ...request.warnings.map((warning) => make("li", { dir: "auto" }, warning))) : "",
    asked ? actions(request) : "",
    ...mailLinks(request, mails),
    ...(asked ? [
      make("h2", {}, "Asked"), headers(asked.headers), body(asked.body, "What was asked"),
      make("h2", {}, "Answered"), body(asked.answer, "What was answered"),
    ] : []),
    make("h2", {}, "Round trips"),
    request.calls.length
      ? make("ol", { class: "trips" }, ...request.calls.map((call) =>
        make("li", {}, make("span", { class: "service" }, call.service), call.action)))
      : make("p", { class: "none" }, request.function ? "It called no service." : "It reached no function."),
    make("h2", {}, "Log lines"),
    request.lines.length
      ? make("div", { class: "lines", tabindex: "0", role: "group", "aria-label": "Log lines" }, ...request.lines.map(logLine))
      : make("p", { class: "none" }, request.function ? "It has logged nothing." : "It reached no function."),
    make("p", { class: "aside" }, `Request ${request.id}`,
      request.start === "cold" ? ` · ${milliseconds(request.init_ms)} ms of it to start a process` : "",
      asked ? "" : " · what it asked is not kept any more"));
}

// mailLinks link to the mails that a request sent.
function mailLinks(request, mails) {
  if (mails.length === 0) {
    return request.reason && request.calls.some(({ service }) => service === "ses") ? [make("p", { class: "none" }, "None of its mails is in the outbox.")] : [];
  }
  const few = 10;
  return [
    make("h2", {}, mails.length === 1 ? "Its mail" : `Its ${mails.length} mails`),
    make("ul", { class: "sent" }, ...mails.slice(0, few).map((mail) => make("li", {},
      make("a", { href: `#/outbox/${encodeURIComponent(mail.id)}`, dir: "auto" }, mail.subject || "No subject"),
      " to ", make("bdi", {}, person(mail, mail.to[0])), mail.to.length > 1 ? ` +${mail.to.length - 1}` : "")),
    mails.length > few ? make("li", {}, make("a", { href: `#/outbox/${encodeURIComponent(mails[few].id)}` }, `and ${mails.length - few} more`)) : null),
  ];
}

// headers shows the header fields, folded: they are many, and seldom wanted.
function headers(all) {
  return make("details", { class: "asked" },
    make("summary", {}, "Headers"),
    make("dl", {}, ...Object.entries(all).sort().map(([name, value]) => make("div", {}, make("dt", {}, name), make("dd", {}, value)))));
}

// body shows a body as text, or says why it cannot.
function body(content, label) {
  if (content.size === 0) return make("p", { class: "none" }, "No body.");
  if (content.text === "") return make("p", { class: "none" }, `${size(content.size)} that are no text.`);
  return make("div", { class: "lines", tabindex: "0", role: "group", "aria-label": label },
    make("pre", { dir: "auto" }, pretty(content.text)),
    content.cut ? make("p", { class: "aside" }, `The begin of ${size(content.size)}.`) : null);
}

// pretty indents JSON. Any other text, also JSON that was cut, stays as it is.
function pretty(text) {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}

// actions are the buttons that repeat a request, with the secrets that it was sent with.
function actions(request) {
  const { body } = request.exchange;
  const call = {
    method: request.method,
    path: request.path + (request.query ? `?${request.query}` : ""),
    headers: Object.entries(request.exchange.headers).filter(([name]) => !ofTheConnection.test(name)),
    body: body.text,
  };
  const command = curl(location.origin, call);
  if (body.cut || !command) {
    return make("p", { class: "aside" }, "Not all of it is kept, so that it cannot be sent again.");
  }
  const failed = make("span", { class: "problem", role: "status" });
  return make("div", { class: "actions" },
    copyButton(command, "the request as curl", "Copy as curl"),
    make("button", { type: "button", click: () => again(call).catch((error) => failed.replaceChildren(error.message)) }, "Send again"),
    make("span", { class: "aside" }, "With the secrets that it was sent with."),
    failed);
}

// ofTheConnection matches headers that a client sets by itself.
const ofTheConnection = /^(host|connection|content-length|user-agent|accept-encoding|accept-language|origin|referer|cookie|dnt|priority|cache-control|pragma|upgrade-insecure-requests|(sec|x-forwarded|x-amzn)-.*)$/;

// again sends the request, and opens its entry. It follows no redirect, like curl.
async function again({ method, path, headers, body }) {
  // A Blob, unlike a text, adds no Content-Type of its own.
  const response = await fetch(location.origin + path, { method, headers, body: body ? new Blob([body]) : undefined, redirect: "manual" });
  const id = response.headers.get("apigw-requestid");
  if (id) location.hash = `#/requests/${encodeURIComponent(id)}`;
}

// logLine shows a structured line as level, message and attributes, and any other line as it is.
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
