// One item of the table, decoded or raw, with its related items.

import { byId, copyButton, keep, make, problem } from "./dom.js";
import { long } from "./format.js";
import { address, kindOf } from "./tableaddress.js";

// types are the names of DynamoDB's types, by their letters in its JSON.
const types = {
  S: "string", N: "number", B: "binary", BOOL: "boolean", NULL: "null", M: "map", L: "list",
  SS: "string set", NS: "number set", BS: "binary set",
};

let shown = ""; // the key and the view that are shown

// showNoItem shows why there is no item.
export function showNoItem(error, list, retry) {
  shown = "";
  const place = make("div");
  byId("item").replaceChildren(back(list), place);
  if (error.status === 404) place.replaceChildren(make("p", { class: "none" }, "There is no such item: it was deleted, or has never been."));
  else problem(place, error, retry);
}

// back leads to the list where the screen is too narrow for both.
const back = (list) => make("a", { class: "back", href: list }, "Items");

// showItem shows an item. It may change while somebody reads it, so what is unchanged keeps its place.
export function showItem(one) {
  const { key, view } = one;
  const frame = JSON.stringify([key.pk, key.sk, view]);
  if (shown !== frame || !byId("item-title")) {
    const focused = document.activeElement?.closest(".views a")?.textContent;
    byId("item").replaceChildren(
      back(one.list),
      make("header", {}, make("h2", { id: "item-title", tabindex: "-1" })),
      make("nav", { class: "views", "aria-label": "Views of the item" },
        viewLink(one, "", "Decoded"), viewLink(one, "raw", "Raw")),
      make("div", { class: view === "raw" ? "raw" : "decoded", id: "item-body", tabindex: "0", role: "region", "aria-label": "Attributes and links" }));
    shown = frame;
    if (focused) [...byId("item").querySelectorAll(".views a")].find((link) => link.textContent === focused)?.focus();
  }
  byId("item-title").textContent = one.names[one.kind] ?? one.kind;
  if (view === "raw") showRaw(one.item);
  else showDecoded(one);
}

// viewLink leads to a view of the same item.
function viewLink({ key, view }, name, text) {
  const link = make("a", { href: address({ ...key, view: name }) }, text);
  if (name === view) link.setAttribute("aria-current", "page");
  return link;
}

// showRaw shows DynamoDB's JSON, which can be pasted into a command of the AWS CLI.
function showRaw(item) {
  const text = JSON.stringify(item, null, 2);
  const place = byId("item-body");
  if (place.dataset.text === text) return;
  place.dataset.text = text;
  place.replaceChildren(copyButton(text, "the item"), make("pre", { dir: "ltr" }, text));
}

function showDecoded(one) {
  const { item, table, links, siblings, key, names } = one;
  const place = byId("item-body");
  if (!place.firstChild) {
    place.append(make("dl", { class: "attributes" }), make("section", { class: "related", "aria-labelledby": "related-title" },
      make("h3", { id: "related-title" }, "Related items"), make("ul"), make("p", { class: "aside" })));
  }
  const [attributes, related] = place.children;
  const keys = [table.partition_key, table.sort_key].filter(Boolean);
  // The key comes first, then the other attributes by name.
  const rest = Object.keys(item).filter((name) => !keys.includes(name)).sort();
  keep(attributes, [...keys, ...rest].map((name) => ({
    name,
    value: item[name],
    role: name === table.partition_key ? "partition key" : name === table.sort_key ? "sort key" : name === table.ttl ? "time to live" : "",
    links: keys.includes(name) ? [] : links.filter((link) => link.in.includes(name)).map((link) => ({ name: link.name, key: target(link, keys) })),
  })), (attribute) => attribute.name, attributeRow);
  const groups = links.map((link) => ({ ...link, more: link.more && address({ q: link.name }), names }));
  if (siblings.keys.length) {
    groups.unshift({ name: key.pk, partition: true, keys: siblings.keys, more: siblings.more && address({ partition: key.pk }), names });
  }
  const [, groupList, aside] = related.children;
  keep(groupList, groups, (group) => `${group.partition ? "partition " : ""}${group.name}`, relatedGroup);
  aside.textContent = one.complete ? (groups.length ? "" : "No other item has in its key what this one has.") : "Links are those among the first 10,000 items of the table.";
}

// renewed moves the content of a new element into the element before, and marks it if its text has changed. Without an
// element before, it returns the new one.
export function renewed(before, made) {
  if (!before) return made;
  const focused = before.contains(document.activeElement);
  const changed = before.textContent !== made.textContent;
  before.replaceChildren(...made.childNodes);
  // The element with the focus was replaced by one like it.
  if (focused) before.querySelector("a")?.focus({ preventScroll: true });
  before.classList.remove("changed");
  // In the next frame: a class that is removed and added in the same one starts no animation.
  if (changed) requestAnimationFrame(() => before.classList.add("changed"));
  return before;
}

// target returns the key of the item to which a name leads: the item whose partition key ends with the name and
// whose sort key has no parts, or else the first item that has the name. A name in this item's own key leads only to
// the former.
const target = ({ name, in: attributes, keys: found }, keys) =>
  found.find(({ pk, sk }) => !sk.includes("#") && plain(pk.slice(pk.indexOf("#") + 1)) === name)
  ?? (attributes.some((attribute) => keys.includes(attribute)) ? undefined : found[0]);

// plain returns a text as links spell it: ids without the zeros that pad them in keys.
const plain = (text) => (/^0*[1-9]\d{9,}$/.test(text) ? text.replace(/^0+/, "") : text);

// attributeRow is one attribute: name, type and value.
function attributeRow({ name, value, role, links }, before) {
  const [type] = Object.keys(value);
  return renewed(before, make("div", {},
    make("dt", {}, make("span", { dir: "auto" }, name), make("span", { class: "type" }, role ? `${types[type]}, ${role}` : types[type])),
    make("dd", {}, decoded(value, links, role === "time to live"))));
}

// relatedGroup is a list of items that share a name with this one, or its partition.
function relatedGroup({ name, partition, in: attributes, keys, more, names }, before) {
  return renewed(before, make("li", {},
    make("p", {}, partition ? "In its partition " : "With ", make("code", { dir: "auto" }, name),
      partition ? null : ` in the key, from ${attributes.join(", ")}`),
    make("ul", {}, ...keys.map((key) => make("li", {}, keyLink(key, names)))),
    more ? make("a", { class: "all", href: more }, "All of them") : null));
}

// keyLink leads to an item.
const keyLink = (key, names) => make("a", { href: address({ kind: kindOf(key), ...key }) },
  names[kindOf(key)] ? make("span", { class: "called" }, names[kindOf(key)]) : null,
  make("code", { dir: "auto" }, key.sk ? `${key.pk} / ${key.sk}` : key.pk));

const iso = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/;
// hashed matches hashes of secrets: those of passwords by their form, a SHA-256 by its length.
const hashed = /^\$(argon2\w*|2[abxy]|scrypt|pbkdf2[\w-]*)\$|(^|#)[0-9a-f]{64}(#|$)/;
const sha256 = 32;

// decoded shows a value of DynamoDB's JSON for people.
function decoded(value, links, ttl = false) {
  const [[type, content]] = Object.entries(value);
  const inner = (each) => each.map((one) => make("li", {}, decoded(one, links)));
  switch (type) {
    case "S":
      if (content === "") return make("span", { class: "absent" }, "empty");
      // Some texts have the form of a time and are none, such as a 13th month.
      if (iso.test(content) && !Number.isNaN(Date.parse(content))) return time(content);
      return linked(content, links, make("span", { class: "value", dir: "auto" }, content), hashed.test(content));
    case "N":
      // A time to live is in seconds. From 1e12 on it is probably in milliseconds, a mistake that the plain
      // number shows.
      if (ttl && Number(content) < 1e12) return expiry(Number(content));
      return linked(content, links, make("span", { class: "value number" }, content));
    case "B": {
      const bytes = Uint8Array.from(atob(content), (c) => c.charCodeAt(0));
      const hex = [...bytes.slice(0, 64)].map((byte) => byte.toString(16).padStart(2, "0")).join("");
      return make("span", {}, make("code", {}, bytes.length > 64 ? `${hex}…` : hex), ` (${bytes.length} bytes) `,
        bytes.length === sha256 ? chip("hash") : null);
    }
    case "BOOL":
      return make("span", { class: "value" }, String(content));
    case "NULL":
      return make("span", { class: "absent" }, "null");
    case "M":
      if (Object.keys(content).length === 0) return make("span", { class: "absent" }, "empty");
      return make("dl", { class: "map" }, ...Object.entries(content).map(([name, one]) => make("div", {},
        make("dt", { dir: "auto" }, linked(name, links, make("span", {}, name))), make("dd", {}, decoded(one, links)))));
    case "L":
      if (content.length === 0) return make("span", { class: "absent" }, "empty");
      return make("ol", { class: "values" }, ...inner(content));
    default: // sets: SS, NS, BS
      return make("ul", { class: "values" }, ...inner(content.map((one) => ({ [type[0]]: one }))));
  }
}

// chip is a word beside a value that says what it is.
const chip = (text) => make("span", { class: "chip" }, text);

const time = (text) => make("time", { datetime: text, title: text }, long(text));

// expiry is a time to live as a time. DynamoDB deletes expired items only within days, so an item says that it is one.
function expiry(seconds) {
  const date = new Date(seconds * 1000).toISOString();
  return make("span", {}, time(date), " ", make("span", { class: "absent" }, String(seconds)), " ", seconds * 1000 < Date.now() ? chip("expired") : null);
}

// linked links an element to the item that its text names, if there is one.
function linked(text, links, element, isHash = false) {
  const key = links.find((link) => link.name === plain(text))?.key;
  const content = key ? make("a", { href: address({ kind: kindOf(key), ...key }), title: `${key.pk} ${key.sk}` }, element) : element;
  return isHash ? make("span", {}, content, " ", chip("hash")) : content;
}

// attributeText returns a value that is short enough for a list, or "".
export function attributeText(value) {
  const [[type, content]] = Object.entries(value);
  return type === "S" && content.length < 80 && !iso.test(content) && !hashed.test(content) && !/^[[{]/.test(content) ? content : "";
}
