"use strict";

const page = document.getElementById("page");

// The API is where this page is, without its last part: at the root of a host, or in a stage of its own.
const api = new URL(".", location.href).href.replace(/\/$/, "");

fetch("openapi.json")
  .then((response) => response.json())
  .then((contract) => SwaggerUIBundle({
    domNode: page,
    spec: { ...contract, servers: [{ url: api }] }, // the page may call no other
    presets: [SwaggerUIBundle.presets.apis],
    layout: "BaseLayout",
    deepLinking: true,
    defaultModelsExpandDepth: 0,
    displayRequestDuration: true,
    validatorUrl: null,
  }))
  .catch(() => {
    const problem = document.createElement("p");
    problem.className = "none";
    problem.textContent = "The contract could not be loaded. Reload the page to try again.";
    page.replaceChildren(problem);
  });

// The dialog for tokens opens at its last field, and knows no keys; it is to open at its first, and Escape to close it.
page.addEventListener("click", (event) => {
  if (event.target.closest(".scheme-container .authorize, .authorization__btn")) {
    setTimeout(() => page.querySelector(".modal-ux input")?.focus());
  }
});
addEventListener("keydown", (event) => {
  if (event.key === "Escape") page.querySelector(".modal-ux .close-modal")?.click();
});
