// Elements of the page, made and kept. Text is only ever set as text.

export const byId = (id) => document.getElementById(id);

// make returns an element with attributes and children; a child that is null is left out.
export function make(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === "function") element.addEventListener(name, value);
    else if (value === true) element.setAttribute(name, "");
    else if (value !== false && value != null) element.setAttribute(name, value);
  }
  element.append(...children.filter((child) => child != null));
  return element;
}

// keep updates the children of a list to match items. A child that stays is not moved, so the focus, the scrolling and
// open details survive. Element makes a child for a new item. For a changed item it gets the child before, and changes
// it or makes another.
export function keep(list, items, key, element) {
  const keys = items.map((item) => String(key(item)));
  const wanted = new Set(keys);
  const old = new Map();
  for (const child of [...list.children]) {
    if (wanted.has(child.dataset.key)) old.set(child.dataset.key, child);
    else child.remove();
  }
  let place = list.firstElementChild;
  items.forEach((item, i) => {
    const text = JSON.stringify(item);
    let child = old.get(keys[i]);
    if (!child || texts.get(child) !== text) {
      const made = element(item, child);
      made.dataset.key = keys[i];
      texts.set(made, text);
      if (child && child !== made) {
        if (child === place) place = made;
        child.replaceWith(made);
      }
      child = made;
    }
    if (child === place) place = place.nextElementSibling;
    else list.insertBefore(child, place);
  });
}

// texts holds the item that each element was made from, as JSON.
const texts = new WeakMap();

// copyButton copies a text and says so.
export function copyButton(text, what, label = "Copy") {
  const button = make("button", { type: "button", class: "copy", "aria-label": label === "Copy" ? `Copy ${what}` : null }, label);
  let reset;
  button.addEventListener("click", async () => {
    const copied = await copy(text);
    button.textContent = copied ? "Copied" : "Not copied";
    button.classList.toggle("done", copied);
    announce(copied ? `Copied ${what}` : `${what} could not be copied`);
    clearTimeout(reset);
    reset = setTimeout(() => {
      button.textContent = label;
      button.classList.remove("done");
    }, 2000);
  });
  return button;
}

// copy puts a text on the clipboard, and returns whether it is there.
async function copy(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    // An older browser, or one that asks first: what is selected can always be copied.
    const area = make("textarea", { class: "unseen" });
    area.value = text;
    const focused = document.activeElement;
    document.body.append(area);
    area.select();
    const copied = document.execCommand("copy");
    area.remove();
    focused?.focus();
    return copied;
  }
}

// confirmed makes a button ask once before it acts.
export function confirmed(button, question, act) {
  const label = button.textContent;
  let asking = false;
  const ask = (now) => {
    asking = now;
    button.textContent = now ? question() : label;
    button.classList.toggle("grave", now);
    if (now) announce(button.textContent);
  };
  // Whoever goes elsewhere has not confirmed.
  button.addEventListener("blur", () => ask(false));
  button.addEventListener("click", () => {
    if (asking) act();
    ask(!asking);
  });
  return button;
}

// reveal scrolls to an element, and again two frames later. Until the rows around it are drawn, their heights
// are guesses.
export function reveal(element, block) {
  element.scrollIntoView({ block });
  requestAnimationFrame(() => requestAnimationFrame(() => element.scrollIntoView({ block })));
}

// announce makes a screen reader say a text.
export function announce(text) {
  byId("announcer").textContent = text;
}

// problem shows an error in a place, with a button to try again if there is a way.
export function problem(place, error, retry) {
  place.replaceChildren(
    make("div", { class: "problem", role: "alert" },
      make("p", {}, error.message),
      retry ? make("button", { type: "button", click: retry }, "Try again") : null));
}
