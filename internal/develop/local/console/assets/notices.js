// What every page shows: the connection, and builds that fail.

import { byId, make } from "./dom.js";

// null until the first connection is made or has failed: until then no notice says that it is lost.
let connected = null;
let builds = null;

// showConnection shows whether the page follows the stack.
export function showConnection(now) {
  if (connected === now) return;
  connected = now;
  show();
}

// showBuilds shows how the builds stand. What is null could not be read, and changes nothing.
export function showBuilds(now) {
  if (!now || JSON.stringify(builds) === JSON.stringify(now)) return;
  builds = now;
  show();
}

function show() {
  const state = byId("state");
  const [text, kind] = !connected ? ["Offline", "lost"] : builds?.building ? ["Building", "busy"] : ["Live", "live"];
  // Setting an equal text would have a screen reader say it again.
  if (state.textContent !== text) state.textContent = text;
  state.className = `state ${kind}`;

  const notices = [];
  if (connected === false) {
    notices.push(make("div", { class: "notice" },
      make("p", {}, make("strong", {}, "Connection lost."), " The stack does not answer. This page tries again every second and shows what it had.")));
  }
  if (builds?.restart) {
    notices.push(make("div", { class: "notice" },
      make("p", {}, make("strong", {}, `${builds.restart} has changed.`), " Restart the stack to use it.")));
  }
  if (builds?.failure) {
    notices.push(make("div", { class: "notice failure" },
      make("p", {}, make("strong", {}, "Not everything can be built."), " What cannot serves as it was built before."),
      make("pre", { tabindex: "0", "aria-label": "The compiler's output" }, builds.failure)));
  }
  byId("notices").replaceChildren(...notices);
}
