// What the browser keeps of the console. A browser may keep nothing: then each page begins anew.

// remembered returns what was kept under a key; null for nothing.
export function remembered(key) {
  try {
    return localStorage.getItem(key);
  } catch {
    return null;
  }
}

// remember keeps a text, if the browser lets it.
export function remember(key, value) {
  try {
    localStorage.setItem(key, value);
  } catch {
    // what is not kept is asked again
  }
}
