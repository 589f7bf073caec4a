// The keys of the console: what they do, and whether they do it.

import { byId } from "./dom.js";
import { remember, remembered } from "./storage.js";

const key = "frontdesk.keys";

// areOn tells whether keys of one character act: who dictates, or touches them by mistake, switches them off.
// https://www.w3.org/TR/WCAG22/#character-key-shortcuts
export const areOn = () => remembered(key) !== "off" && !off;

let off = false; // where the browser keeps nothing

export const showKeys = () => byId("keys").open || byId("keys").showModal();

byId("show-keys").addEventListener("click", showKeys);
byId("keys-on").checked = areOn();
byId("keys-on").addEventListener("change", (event) => {
  off = !event.target.checked;
  remember(key, off ? "off" : "on");
});
