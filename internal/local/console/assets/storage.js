// What the browser keeps of the console. A browser may keep nothing: then each page begins anew.

export function remembered(key) {
  try {
    return localStorage.getItem(key);
  } catch {
    return null;
  }
}

export function remember(key, value) {
  try {
    localStorage.setItem(key, value);
  } catch {
    // what is not kept is asked again
  }
}
