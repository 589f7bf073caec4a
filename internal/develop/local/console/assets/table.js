// The items of the stack's table: their kinds, the items of a kind, and one item.

import { byId, keep, make, problem } from "./dom.js";
import { plural } from "./format.js";
import { read } from "./stack.js";
import { attributeText, renewed, showItem, showNoItem } from "./item.js";
import { address, keyOf, listOf, readAddress, same } from "./tableaddress.js";

let at = {}; // what the address says
let table = null; // name, keys, kinds and their counts; null until they are read
let counted = 1; // how many answers the counts add up
let page = null; // the items of list, and the cursor of the next page
let list = ""; // identifies the list that page belongs to
let open = null; // the item that is open, with its links
let reveal = false; // whether to scroll to the row of the open item
let enter = false; // whether the open item gets the focus
let names = {}; // for kinds of item, as the stack was told

// nameKinds sets the names for kinds of item.
export function nameKinds(now = {}) {
  if (JSON.stringify(names) === JSON.stringify(now)) return;
  names = now;
  byId("kind-list").replaceChildren(); // a name is no change of the table
  show();
}

// showTable shows what the address says: #/table/?kind=…&q=…&after=…&pk=…&sk=…&view=raw, each of them optional.
export function showTable() {
  const before = at;
  at = readAddress();
  const opened = at.pk !== "" && !same(at, before);
  if (!same(at, before)) open = null;
  reveal = at.pk !== "" && (reveal || opened);
  enter = at.pk !== "" && (enter || opened);
  byId("table").className = `page table ${at.pk ? "at-item" : listOf(at) ? "at-items" : "at-kinds"}`;
  if (document.activeElement !== byId("item-filter")) byId("item-filter").value = at.q;
  show();
  if (!table) readKinds();
  if (listOf(at) !== list || !page) readList();
  if (at.pk && !open) readItem();
  if (!at.pk && before.pk && listOf(at) === listOf(before)) row(before)?.focus();
}

// refreshTable reads again what is shown.
export async function refreshTable() {
  if (!byId("table").hidden) await Promise.all([readKinds(), readList(), at.pk ? readItem() : null]);
}

// readKinds counts the items of each kind. An answer counts a part of a large table; "counted" says how many are
// added up.
async function readKinds() {
  const counts = new Map();
  let part;
  try {
    for (let i = 0, next = ""; i < counted && (i === 0 || next); i++, next = part.next) {
      part = await read(`/_local/table?${new URLSearchParams({ after: next })}`);
      for (const { kind, count } of part.kinds) counts.set(kind, (counts.get(kind) ?? 0) + count);
    }
  } catch (error) {
    if (!table) problem(byId("table-problem"), error.status === 404 ? new Error("The template has no table.") : error, readKinds);
    return;
  }
  byId("table-problem").replaceChildren();
  table = { ...part, kinds: [...counts].sort(([a], [b]) => (a < b ? -1 : 1)) };
  show();
}

// readList reads the page of items that the address names.
async function readList() {
  const of = listOf(at);
  let now;
  try {
    const { kind, partition, q, after } = at;
    now = await read(`/_local/table/items?${new URLSearchParams({ kind, partition, q, after })}`);
  } catch (error) {
    if (of !== listOf(at) || (page && list === of)) return;
    page = null;
    byId("item-list").replaceChildren();
    problem(byId("items-problem"), error.status === 400 ? new Error("This address does not lead to items.") : error, readList);
    return;
  }
  if (of !== listOf(at)) return; // another list is shown by now
  byId("items-problem").replaceChildren();
  list = of;
  page = now;
  show();
}

// readItem reads the open item. The address may have changed when the answer comes; then it is dropped.
async function readItem() {
  const of = at;
  let now;
  try {
    now = await read(`/_local/table/item?${new URLSearchParams({ pk: of.pk, sk: of.sk })}`);
  } catch (error) {
    if (!same(of, at)) return;
    open = null;
    showNoItem(error, listAddress(), readItem);
    return;
  }
  if (!same(of, at)) return;
  open = now;
  show();
}

function show() {
  if (!table) return;
  const all = table.kinds.reduce((sum, [, count]) => sum + count, 0);
  byId("table-name").textContent = table.table;
  const kind = at.kind || (at.partition || at.q ? "" : "*");
  const kinds = table.kinds.map(([shape, count]) => ({ shape, count, name: names[shape] }));
  keep(byId("kind-list"), [{ shape: "*", count: all, name: "All items" }, ...kinds], ({ shape }) => shape, kindRow);
  mark(byId("kind-list"), byId("kind-list").querySelector(`li[data-key="${CSS.escape(kind)}"] a`));
  byId("kinds-part").hidden = !table.next;
  byId("kinds-part-text").textContent = `Of the first ${plural(all, "item")} of the table.`;
  showList();
  if (at.pk && open) {
    showItem({ ...open, key: at, view: at.view, list: listAddress(), table, names });
    if (enter) byId("item-title").focus({ preventScroll: true });
    enter = false;
  }
  byId("item").classList.toggle("nothing", !at.pk);
  if (!at.pk) byId("item").replaceChildren(make("p", { class: "none" }, "Choose an item to see its attributes and what it has to do with."));
}

// kindRow leads to the items of a kind.
const kindRow = ({ shape, count, name }, before) => renewed(before, make("li", {},
  make("a", { href: shape === "*" ? address({ all: "1" }) : address({ kind: shape }) },
    make("span", { class: "called" }, name ?? shape),
    name && shape !== "*" ? make("code", {}, shape) : null,
    make("span", { class: "number" }, count.toLocaleString("en")))));

function showList() {
  byId("items-title").textContent = at.kind ? names[at.kind] ?? at.kind : at.partition || "All items";
  if (!page || list !== listOf(at)) return;
  const rows = page.items.map((item) => ({ ...keyOf(item, table), item }));
  // The open item has a row even if it is on another page.
  const elsewhere = open && !at.q && (!at.kind || at.kind === open.kind) && (!at.partition || at.partition === at.pk) && !rows.some((one) => same(one, at));
  if (elsewhere) rows.unshift({ pk: at.pk, sk: at.sk, item: open.item });
  keep(byId("item-list"), rows.map((one) => ({ ...one, href: address({ ...at, pk: one.pk, sk: one.sk, view: "" }) })), rowKey, itemRow);
  mark(byId("item-list"), at.pk ? row(at) : null);
  byId("no-items").hidden = rows.length > 0;
  byId("no-items").textContent = page.next ? "Nothing among the items that were read so far." : at.q ? "No key has this in it." : at.after ? "There are no more." : "There are no items.";
  const first = byId("first-items");
  first.hidden = !at.after;
  first.href = address({ ...at, after: "", pk: "", sk: "", view: "", all: "1" });
  const next = byId("next-items");
  next.hidden = !page.next;
  next.href = address({ ...at, after: page.next ?? "", pk: "", sk: "", view: "" });
  if (reveal && at.pk && row(at)) {
    reveal = false;
    row(at).scrollIntoView({ block: "nearest" });
  }
}

// itemRow leads to an item, beside the list that is shown.
const itemRow = ({ pk, sk, item, href }, before) => renewed(before, make("li", {},
  make("a", { href },
    make("code", { class: "pk", dir: "auto" }, pk),
    sk ? make("code", { class: "sk", dir: "auto" }, sk) : null,
    make("span", { class: "glimpse", dir: "auto" }, glimpse(item)))));

// glimpse returns what distinguishes items of a kind: the first two short texts among their attributes.
const glimpse = (item) => Object.entries(item)
  .filter(([name]) => name !== table.partition_key && name !== table.sort_key)
  .map(([, value]) => attributeText(value)).filter((text) => text).slice(0, 2).join(" · ");

const rowKey = ({ pk, sk }) => JSON.stringify([pk, sk]);
const row = (key) => byId("item-list").querySelector(`li[data-key="${CSS.escape(rowKey(key))}"] a`);
// listAddress is the address of the list without the open item.
const listAddress = () => address({ ...at, pk: "", sk: "", view: "", all: "1" });

// mark marks the open link of a list. Only one link is in the order of Tab: the one with the focus, or else the open
// one, or else the first. The arrow keys lead to the others.
function mark(place, current) {
  const links = [...place.querySelectorAll("a")];
  const focused = links.includes(document.activeElement) ? document.activeElement : null;
  for (const link of links) {
    if (link === current) link.setAttribute("aria-current", "true");
    else link.removeAttribute("aria-current");
    link.tabIndex = link === (focused ?? current ?? links[0]) ? 0 : -1;
  }
}

for (const id of ["kind-list", "item-list"]) {
  byId(id).addEventListener("keydown", (event) => {
    const links = [...byId(id).querySelectorAll("a")];
    const place = links.indexOf(document.activeElement);
    const to = { ArrowDown: place + 1, ArrowUp: place - 1, Home: 0, End: links.length - 1 }[event.key];
    if (place < 0 || to === undefined || !links[to]) return;
    event.preventDefault();
    links[place].tabIndex = -1;
    links[to].tabIndex = 0;
    links[to].focus();
  });
}

// Escape leads from the item back to its row, and from the rows to the kinds.
byId("table").addEventListener("keydown", (event) => {
  if (event.key !== "Escape") return;
  if (byId("item").contains(document.activeElement)) {
    if (byId("item-list").parentElement.checkVisibility()) row(at)?.focus();
    else location.hash = listAddress();
  } else if (byId("item-list").contains(document.activeElement)) {
    const kind = byId("kind-list").querySelector("[tabindex='0']");
    if (kind?.checkVisibility()) kind.focus();
    else location.hash = "#/table";
  }
});

byId("more-kinds").addEventListener("click", () => {
  counted++;
  readKinds();
});

let typing;
byId("item-filter").addEventListener("input", () => {
  clearTimeout(typing);
  typing = setTimeout(() => {
    history.replaceState(null, "", address({ ...at, q: byId("item-filter").value.trim(), after: "", pk: "", sk: "", view: "", all: "1" }));
    showTable();
  }, 200);
});

// stepTable goes to the next item, or to the previous one. If an item is open, it opens the other one; otherwise it
// only moves the focus.
export function stepTable(step) {
  const rows = [...byId("item-list").querySelectorAll("a")];
  const place = rows.indexOf(at.pk ? row(at) : document.activeElement);
  const to = rows[place < 0 ? 0 : place + step];
  if (to && at.pk) location.hash = to.hash;
  else to?.focus();
}
