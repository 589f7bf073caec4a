// What the stack serves, and when it has changed.

// read is a page's JSON. The error's message is a sentence.
export async function read(path, options) {
  const response = await request(path, options);
  return response.json();
}

export async function request(path, options) {
  let response;
  try {
    response = await fetch(path, options);
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new Error("The stack does not answer.");
  }
  if (!response.ok) {
    const { message } = response.status === 400 ? await response.json().catch(() => ({})) : {};
    throw Object.assign(new Error(message ?? `The stack answered ${response.status} to ${path}.`), { status: response.status });
  }
  return response;
}

// refresher returns a function that reads again: at once, and once more after the reading that is
// under way when it is called in between. The pause is the least time between two readings, in milliseconds.
export function refresher(refresh, pause = 250) {
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

// follow calls changed with the topic of every change, connected after every connection, since when
// anything may have changed, and lost when there is none. A tab that is not seen does not follow: a
// browser has few connections for one host.
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
  addEventListener("pageshow", (event) => event.persisted && open());
  open();
}
