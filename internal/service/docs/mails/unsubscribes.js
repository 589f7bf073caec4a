// Who has unsubscribed, by list.

import { announce, byId, make } from "./dom.js";
import { address, go } from "./address.js";
import { read } from "./api.js";
import { fail } from "./failure.js";
import { plain, when } from "./parts.js";

let asked = null; // the filter of what is shown, as JSON; null for nothing
let filter = {};
let found = null; // in the API's order: by list, and by address; null until they are read
let cursor = "";

// forgetUnsubscribes empties the page.
export function forgetUnsubscribes() {
  asked = found = null;
  cursor = "";
  byId("unsubscribes-filter").reset();
  byId("unsubscribes-problem").replaceChildren();
  show();
}

// showUnsubscribes shows who has left by a filter. It reads them again each time: the page has no other way to look.
export async function showUnsubscribes(wanted) {
  filter = wanted;
  if (JSON.stringify(filter) !== asked) found = null;
  asked = JSON.stringify(filter);
  for (const [name, value] of Object.entries(filter)) byId("unsubscribes-filter").elements[name].value = value;
  await readFrom("");
}

// readFrom reads the page that begins at a cursor, and puts it behind the ones before.
async function readFrom(place) {
  const before = asked;
  show();
  try {
    const page = await read("unsubscribes", { ...filter, cursor: place });
    if (asked !== before) return;
    found = [...(place ? found : []), ...page.payload];
    cursor = page.meta.next_cursor ?? "";
    byId("unsubscribes-problem").replaceChildren();
    announce(`${found.length} shown`);
  } catch (error) {
    if (asked === before) fail(byId("unsubscribes-problem"), error, () => readFrom(place));
  }
  show();
}

function show() {
  const shown = found ?? [];
  const lists = Map.groupBy(shown, ({ list }) => list);
  byId("unsubscribes").replaceChildren(...[...lists].map(([list, people]) => make("section", {},
    make("h2", {}, list ? plain(list) : "Mails of no list"),
    make("ul", {}, ...people.map(({ email, by, at }) => make("li", {},
      make("bdi", {}, plain(email)), when(at), make("span", {}, by === "link" ? "by the link in a mail" : "by an operator")))))));
  byId("more-unsubscribes").hidden = !cursor;
  byId("more-unsubscribes").textContent = filter.since ? "Look further" : "More";
  const state = said(shown);
  byId("unsubscribes-state").textContent = state;
  byId("unsubscribes-state").hidden = !state;
}

// said is what stands where nobody does.
function said(shown) {
  if (asked === null || shown.length > 0 || byId("unsubscribes-problem").hasChildNodes()) return "";
  if (found === null) return byId("ask").hidden ? "The list is being loaded." : "";
  return cursor ? "Nobody among those who were looked at so far." : "Nobody has unsubscribed.";
}

byId("more-unsubscribes").addEventListener("click", () => readFrom(cursor));
byId("unsubscribes-filter").addEventListener("submit", (event) => {
  event.preventDefault();
  go(address("unsubscribes", Object.fromEntries([...new FormData(event.target)].map(([name, value]) => [name, value.trim()]))), () => readFrom(""));
});
