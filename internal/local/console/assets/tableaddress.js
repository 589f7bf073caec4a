// The addresses of the table, and the keys of its items.

const names = ["kind", "partition", "q", "all", "after", "pk", "sk", "view"];

// address leads to a place in the table. What is empty is left out.
export const address = (to) => `#/table/?${new URLSearchParams(names.flatMap((name) => (to[name] ? [[name, to[name]]] : [])))}`;

// readAddress is the place that the page's address leads to.
export function readAddress() {
  const query = new URLSearchParams(location.hash.split("?").slice(1).join("?"));
  return Object.fromEntries(names.map((name) => [name, query.get(name) ?? ""]));
}

// listOf tells lists apart; empty: none is asked for.
export const listOf = ({ kind, partition, q, all, after }) =>
  (kind || partition || q || all || after ? JSON.stringify([kind, partition, q, after]) : "");

// same tells whether two have one key.
export const same = (a, b) => a.pk === b.pk && a.sk === b.sk;

// keyOf is the key of an item of the table.
export const keyOf = (item, { partition_key: pk, sort_key: sk }) =>
  ({ pk: Object.values(item[pk])[0], sk: sk ? Object.values(item[sk])[0] : "" });

// kindOf is the shape of a key, as the stack tells it.
export function kindOf({ pk, sk }) {
  const shape = (part) => (part.includes("#") ? part.slice(0, part.indexOf("#") + 1) : part);
  return sk ? `${shape(pk)}/${shape(sk)}` : shape(pk);
}
