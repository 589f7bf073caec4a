"use strict";

// The API is where this page is, without its last part: at the root of a host, or in a stage of its own.
const api = new URL(".", location.href).href.replace(/\/$/, "");

fetch("openapi.json")
  .then((response) => response.json())
  .then((contract) => {
    SwaggerUIBundle({
      domNode: document.getElementById("page"),
      spec: { ...contract, servers: [{ url: api }] }, // the page may call no other
      presets: [SwaggerUIBundle.presets.apis],
      layout: "BaseLayout",
      deepLinking: true,
      defaultModelsExpandDepth: 0,
      displayRequestDuration: true,
      validatorUrl: null,
    });
  });
