// What the stack serves, and when it has changed.

// read returns the JSON at a path. The message of its error is a sentence.
export async function read(path, options) {
  const response = await request(path, options);
  return response.json();
}

// request is fetch with errors for people. A 400 explains itself in its JSON; other errors carry their status.
export async function request(path, options) {
  let response;
  try {
    response = await fetch(path, options);
  } catch (error) {
    // The caller has ended the request, and knows.
    if (error.name === "AbortError") throw error;
    throw new Error("The stack does not answer.");
  }
  if (!response.ok) {
    const { message } = response.status === 400 ? await response.json().catch(() => ({})) : {};
    throw Object.assign(new Error(message ?? `The stack answered ${response.status} to ${path}.`), { status: response.status });
  }
  return response;
}

// pause is the least time between two runs of a refresher, in milliseconds.
const pause = 250;

// refresher returns a function that runs refresh at once. Calls during a run lead to one more run after it.
export function refresher(refresh) {
  let running = false;
  let again = false;
  return async function run() {
    if (running) {
      again = true;
      return;
    }
    running = true;
    do {
      again = false;
      await refresh();
      if (again) await new Promise((resolve) => setTimeout(resolve, pause));
    } while (again);
    running = false;
  };
}

// follow calls changed with the topic of every change, connected after every connection, and lost when the connection
// fails. A hidden tab does not follow: a browser has few connections for one host.
export function follow({ changed, connected, lost }) {
  let source;
  let retry;
  function open() {
    clearTimeout(retry);
    source?.close();
    source = new EventSource("/_local/events");
    source.onopen = connected;
    source.onmessage = (event) => changed(event.data);
    source.onerror = () => {
      lost();
      if (source.readyState === EventSource.CLOSED) retry = setTimeout(open, 1000); // it does not try by itself
    };
  }
  document.addEventListener("visibilitychange", () => {
    if (document.hidden) {
      clearTimeout(retry);
      source.close();
    } else {
      open();
    }
  });
  addEventListener("pagehide", () => source.close());
  // A page that comes back from the browser's cache has no connection any more.
  addEventListener("pageshow", (event) => event.persisted && open());
  open();
}
