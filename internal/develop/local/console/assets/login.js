// The login page, through a new login link for a user of the demo tenant.

import { announce } from "./dom.js";

// openLogin opens the page in a tab of its own. If the API refuses the link, this tab shows that request.
export async function openLogin({ method, path, headers, body }) {
  const tab = window.open("about:blank"); // before the request: afterwards the browser would block it as a pop-up
  const refused = (why) => {
    tab?.close();
    announce(why);
  };
  try {
    const response = await fetch(path, { method, headers, body: body || undefined });
    const { url } = await response.json().catch(() => ({}));
    if (!response.ok || !url) {
      location.hash = `#/requests/${encodeURIComponent(response.headers.get("apigw-requestid"))}`;
      refused("No login link could be made.");
    } else if (tab) {
      tab.opener = null;
      tab.location = url;
    } else {
      location.assign(url);
    }
  } catch {
    refused("The stack does not answer.");
  }
}
