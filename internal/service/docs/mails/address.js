// The address of what is shown. All of it is in the fragment, which a browser sends to no server: #/mails?status=bounced,
// #/mails/<id>, #/unsubscribes?list=news.

const filters = { mails: ["status", "recipient", "day"], unsubscribes: ["list", "since"] };

// address returns the fragment of a page with a filter, and of a mail.
export function address(page, filter = {}, id = "") {
  const query = new URLSearchParams(filters[page].flatMap((name) => (filter[name] ? [[name, filter[name]]] : [])));
  return `#/${page}${id ? `/${encodeURIComponent(id)}` : ""}${query.size ? `?${query}` : ""}`;
}

// readAddress returns the page that the fragment names, its filter, and the id of the open mail. Any other fragment is the
// page of mails.
export function readAddress() {
  const [path, query = ""] = location.hash.slice(2).split("?");
  const [name, id = ""] = path.split("/");
  const page = name in filters ? name : "mails";
  const parameters = new URLSearchParams(query);
  return { page, id: decoded(id), filter: Object.fromEntries(filters[page].map((one) => [one, parameters.get(one) ?? ""])) };
}

// go shows a place. One that is shown already is read again.
export function go(to, again) {
  if (location.hash === to) again();
  else location.hash = to;
}

// decoded returns a part of the fragment, or the part as it is if its percent encoding is wrong.
function decoded(part) {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
