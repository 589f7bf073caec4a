// The addresses of the table, and the keys of its items.

const names = ["kind", "partition", "q", "all", "after", "pk", "sk", "view"];

// address returns the address of a place in the table. It leaves out what is empty.
export const address = (to) => `#/table/?${new URLSearchParams(names.flatMap((name) => (to[name] ? [[name, to[name]]] : [])))}`;

// readAddress returns the place that the page's address names.
export function readAddress() {
  const query = new URLSearchParams(location.hash.split("?").slice(1).join("?"));
  return Object.fromEntries(names.map((name) => [name, query.get(name) ?? ""]));
}

// listOf returns a text that identifies a list, or "" if the address asks for none.
export const listOf = ({ kind, partition, q, all, after }) =>
  (kind || partition || q || all || after ? JSON.stringify([kind, partition, q, after]) : "");

// same reports whether two places have the same key.
export const same = (a, b) => a.pk === b.pk && a.sk === b.sk;

// keyOf returns the key of an item.
export const keyOf = (item, { partition_key: pk, sort_key: sk }) =>
  ({ pk: Object.values(item[pk])[0], sk: sk ? Object.values(item[sk])[0] : "" });

// kindOf returns the shape of a key, as the server computes it (items/key.go).
export function kindOf({ pk, sk }) {
  const shape = (part) => (part.includes("#") ? part.slice(0, part.indexOf("#") + 1) : part);
  return sk ? `${shape(pk)}/${shape(sk)}` : shape(pk);
}
