// The preview of a mail's HTML, in the width of a device.

import { make } from "./dom.js";

const widths = { full: "Full width", tablet: "Tablet", phone: "Phone" };
let width = "full";

// preview returns a frame in which nothing runs. The frame fetches nothing but pictures, and these on demand;
// see html.go.
export function preview(path, hasRemote) {
  let remote = false;
  const stage = make("div", { class: "stage" });
  const bar = make("div", { class: "preview" });
  const choice = (label, chosen, click) => make("button", { type: "button", "aria-pressed": String(chosen), click }, label);
  // A new frame each time: a frame that loads another page would add a step to the tab's history.
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
    // The buttons are new, so the one that was pressed gets the focus back.
    [...bar.querySelectorAll("button")].find((button) => button.textContent === pressed)?.focus();
  };
  show();
  load();
  return [bar, stage];
}
