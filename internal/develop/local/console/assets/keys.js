// The keys of the console: what they do, and whether they do it.

import { byId } from "./dom.js";
import { remember, remembered } from "./storage.js";

const key = "frontdesk.keys";

// areOn reports whether keys of one character act. People who dictate, or hit keys by mistake, switch them off.
// https://www.w3.org/TR/WCAG22/#character-key-shortcuts
export const areOn = () => remembered(key) !== "off" && !off;

let off = false; // the choice, for a browser that keeps nothing

// showKeys opens the dialog once: showModal may throw for one that is open.
export const showKeys = () => byId("keys").open || byId("keys").showModal();

byId("show-keys").addEventListener("click", showKeys);
byId("keys-on").checked = areOn();
byId("keys-on").addEventListener("change", (event) => {
  off = !event.target.checked;
  remember(key, off ? "off" : "on");
});
