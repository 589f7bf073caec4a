// A mail's HTML as it looks, in the width of a device.

import { make } from "./dom.js";

const widths = { full: "Full width", tablet: "Tablet", phone: "Phone" };
let width = "full";

// preview is a frame in which nothing runs, and from which nothing is fetched but, on demand, pictures; see html.go.
export function preview(path, hasRemote) {
  let remote = false;
  const stage = make("div", { class: "stage" });
  const bar = make("div", { class: "preview" });
  const choice = (label, chosen, click) => make("button", { type: "button", "aria-pressed": String(chosen), click }, label);
  // A frame of its own each time: one that is led elsewhere would be a step of the tab's history.
  const load = () => stage.replaceChildren(make("iframe", {
    class: "html", src: remote ? `${path}?pictures=remote` : path, title: "The message as HTML",
    sandbox: "allow-popups allow-popups-to-escape-sandbox", referrerpolicy: "no-referrer",
  }));
  const show = (pressed) => {
    stage.className = `stage ${width}`;
    bar.replaceChildren(
      make("div", { class: "widths", role: "group", "aria-label": "Width of the preview" },
        ...Object.entries(widths).map(([name, label]) => choice(label, name === width, () => {
          width = name;
          show(label);
        }))),
      ...(hasRemote ? [choice("Remote pictures", remote, () => {
        remote = !remote;
        load();
        show("Remote pictures");
      })] : []));
    [...bar.querySelectorAll("button")].find((button) => button.textContent === pressed)?.focus();
  };
  show();
  load();
  return [bar, stage];
}
