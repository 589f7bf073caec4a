"use strict";

const page = document.getElementById("page");
const search = document.getElementById("search");
const found = document.getElementById("found");
const groups = document.getElementById("groups");
const authorize = document.getElementById("authorize");

// The API's address is that of this page without its last part: the root of a host, or a stage below it.
const api = new URL(".", location.href).href.replace(/\/$/, "");

// Credentials are kept for the tab, over reloads, but not on the disk: some of them never expire.
const kept = "frontdesk-credentials";

// A local stack tells its own pages the credentials of its demo tenant. The page asks no other API for any.
const isLocal = ["localhost", "127.0.0.1", "[::1]"].includes(location.hostname);

async function json(path, token) {
  const response = await fetch(path, { headers: token ? { "api-access-token": token } : {} });
  if (!response.ok) throw new Error(`${path}: ${response.status}`);
  return response.json();
}

// demoCredentials returns the demo tenant's credentials by their security schemes. A stack that tells them also has a
// console, and the page then says so.
async function demoCredentials() {
  const { credentials } = isLocal ? await json("_local/stack").catch(() => ({})) : {}; // under sam local there are none
  if (!credentials) return {};
  document.getElementById("filled").hidden = false;
  document.getElementById("yours").hidden = true;
  const starting = (prefix) => credentials.find(({ value }) => value.startsWith(prefix))?.value;
  return { mail_key: starting("fdm_"), platform_app: starting("fdp_"), agent: starting("fda_") };
}

// seen has what answers have contained, the latest first. The next endpoints are tried on it.
const seen = { user: [], category: [], mail: [], link: [], unsubscribe: [] };

// learn records what an answer contains. Items of a list count as older than what was seen before. Users of a list
// are left out: nobody wants to try endpoints on somebody else's user.
function learn(url, answer) {
  const gone = url.match(/\/(\d+)$/)?.[1];
  if (gone && Object.keys(answer).length === 0 && !url.includes("/members/")) { // a user outlives a membership
    for (const kind of ["user", "category"]) seen[kind] = seen[kind].filter(({ id }) => String(id) !== gone);
  }
  if (url.endsWith("/auth/sign_in")) seen.link = []; // it works once
  const { payload = answer } = answer;
  if (Array.isArray(payload)) payload.forEach((item) => item.email || note(item, "push"));
  else note(payload, "unshift");
}

// note records one item, by the fields that only its kind has.
function note(item, place) {
  if (item.slug && item.account_id) seen.category[place](item);
  else if (item.email && item.created_at) seen.user[place](item);
  else if (item.sent_at || item.status === "success") seen.mail[place](item);
  else if (item.url?.includes("sso_auth_token=")) seen.link[place](Object.fromEntries(new URL(item.url).searchParams));
}

// lookUpUnsubscribe searches the latest mails of a local stack for one with a link to unsubscribe.
async function lookUpUnsubscribe() {
  for (const { id } of (await json("_local/outbox")).slice(0, 30)) {
    const message = await fetch(`_local/outbox/${id}.eml`).then((response) => response.text());
    const token = message.match(/\/unsubscribe\/(fdu_\w+)/)?.[1];
    if (token) return seen.unsubscribe.push(token);
  }
}

// withDeletesLast returns the contract as the page shows it, with the endpoints that delete at the end. So whoever
// tries one endpoint after the other deletes only what was made, and only after it was used.
function withDeletesLast(contract) {
  const name = "Delete";
  const docs = contract.tags.findIndex((tag) => tag.name === "Docs");
  contract.tags.splice(docs, 0, {
    name, description: "What ends or deletes what the endpoints above have made. Try these last.",
  });
  for (const item of Object.values(contract.paths)) if (item.delete) item.delete.tags = [name];
  return contract;
}

// innerFirst sorts the endpoints that delete: what belongs to a user goes before the user.
const innerFirst = (a, b) => a.get("method") === "delete" && b.get("method") === "delete"
  ? b.get("path").length - a.get("path").length : 0;

// withExamples returns the contract with examples that can be sent: with the demo's mail key, and a slug that is free.
function withExamples(text, demo) {
  const contract = JSON.parse(demo.mail_key ? text.replace(/fdm_[0-9a-z]+_[0-9a-f]{64}/g, demo.mail_key) : text);
  for (const { post } of Object.values(contract.paths)) {
    const created = post?.requestBody?.content["application/json"]?.examples?.plain?.value.category;
    const taken = () => seen.category.some(({ slug }) => slug === created.slug);
    for (let n = 2, slug = created?.slug; created && taken(); n++) created.slug = `${slug}-${n}`;
  }
  return { ...withDeletesLast(contract), servers: [{ url: api }] }; // the page's policy allows no other
}

// seenValues returns values for parameters, by their names in the contract, from what was seen last.
function seenValues() {
  const [[user], [category], [mail], [token]] = [seen.user, seen.category, seen.mail, seen.unsubscribe];
  return {
    UserID: user?.id, CategoryID: category?.id, CategorySlug: category?.slug, MailID: mail?.id, UnsubscribeToken: token,
  };
}

// seenBody returns the body of an endpoint from what was seen last, if the endpoint gets one.
function seenBody(path) {
  const [[user], [category], [link]] = [seen.user, seen.category, seen.link];
  if (user && path.endsWith("/members")) return { user_id: user.id };
  if (category && path.endsWith("/reorder")) return { positions_hash: { [category.id]: 1 } };
  if (link && path === "/auth/sign_in") return link;
  return undefined;
}

// fillIn fills the fields of every open endpoint with what was seen last.
function fillIn(ui, { paths, components }) {
  const values = seenValues();
  for (const [path, item] of Object.entries(paths)) {
    for (const [method, { parameters = [] }] of Object.entries(item)) {
      for (const part of parameters.map(({ $ref = "" }) => $ref.split("/").pop())) {
        if (values[part] === undefined) continue;
        const field = ui.specSelectors.specResolvedSubtree(["paths", path, method, "parameters"])
          ?.find((parameter) => parameter.get("name") === components.parameters[part].name);
        if (field) ui.specActions.changeParamByIdentity([path, method], field, String(values[part]));
      }
    }
    const body = seenBody(path);
    if (body) ui.oas3Actions.setRequestBodyValue({ value: JSON.stringify(body, null, 2), pathMethod: [path, "post"] });
  }
}

// The names of the credentials in demo.env.
const variables = { mail_key: "MAIL_KEY", platform_app: "PLATFORM_TOKEN", agent: "AGENT_TOKEN" };

// requestOf returns the request that an endpoint would send, in the form that the languages take.
function requestOf(ui, contract, path, method) {
  const { parameters = [], requestBody, security = [] } = contract.paths[path][method];
  const entered = ui.specSelectors.parameterValues([path, method]);
  let filled = path;
  const query = new URLSearchParams();
  const headers = [];
  const scheme = Object.keys(security[0] ?? {})[0];
  if (scheme) headers.push(["api_access_token", new Variable(variables[scheme])]);
  for (const parameter of parameters) {
    const { name, in: place, example } = resolved(contract, parameter);
    const own = String(entered.get(`${place}.${name}`) ?? "");
    const untouched = place === "path" && (own === "" || own === String(example)); // Swagger UI fills in the example
    const value = untouched ? seenValues()[parameter.$ref?.split("/").pop()] ?? example : own;
    if (value === "") continue;
    if (place === "path") filled = filled.replace(`{${name}}`, encodeURIComponent(value));
    if (place === "query") query.set(name, value);
    if (place === "header") headers.push([name, String(value)]);
  }
  const [[type, content] = []] = Object.entries(requestBody?.content ?? {});
  if (type) headers.push(["content-type", type]);
  const sent = type && bodyOf(ui.oas3Selectors.requestBodyValue(path, method), exampleOf(content), seenBody(path));
  if (typeof sent?.key === "string") sent.key = new Variable(variables.mail_key);
  const isForm = type?.endsWith("urlencoded");
  return {
    method: method.toUpperCase(), path: `${filled}${query.size ? `?${query}` : ""}`, headers,
    body: isForm ? undefined : sent, form: isForm ? String(new URLSearchParams(sent)) : undefined,
    says: path === "/sender.php",
  };
}

const exampleOf = ({ example, examples }) => structuredClone(example ?? Object.values(examples)[0].value);

// bodyOf returns the body that somebody has entered. If it is empty, not yet JSON, or still the example, it returns
// what was seen instead.
function bodyOf(entered, example, seen = example) {
  try {
    const own = JSON.parse(entered ?? "");
    return JSON.stringify(own) === JSON.stringify(example) ? seen : own;
  } catch {
    return seen;
  }
}

// programs shows, above the answers of an endpoint, the request as a program of each language.
const programs = (contract, ui) => (Responses, { React }) => {
  const { createElement: element, useReducer, Fragment } = React;
  let chosen = languages[0][0]; // the choice is for all endpoints
  return function Programs(props) {
    const [, redraw] = useReducer((n) => n + 1, 0);
    const { path, method } = props;
    const code = languages.find(([name]) => name === chosen)[1](requestOf(ui(), contract, path, method));
    const [framework, file, use] = path === "/sender.php" && drivers[chosen] || [];
    const listing = (text) => element("pre", { tabIndex: 0 }, element("code", null, text));
    return element(Fragment, null,
      element("div", { className: "programs" },
        element("div", { className: "languages", role: "group", "aria-label": "Language" }, languages.map(([name]) =>
          element("button", {
            key: name, type: "button", className: "btn", "aria-pressed": name === chosen,
            onClick: () => { chosen = name; redraw(); },
          }, name))),
        listing(code),
        framework && element("p", null, `With ${framework}, copy the driver `,
          element("code", null, `internal/clients/${file}`), ":"),
        framework && listing(use)),
      element(Responses, props));
  };
};

// matching keeps the operations that contain every word of the phrase.
function matching(tagged, phrase) {
  const words = phrase.toLowerCase().split(/\s+/);
  return tagged
    .map((tag, name) => tag.update("operations", (operations) => operations.filter((o) => {
      const told = ["operationId", "summary", "description"].map((field) => o.getIn(["operation", field]));
      const text = [name, o.get("method"), o.get("path"), ...told].join(" ").toLowerCase();
      return words.every((word) => text.includes(word));
    })))
    .filter((tag) => tag.get("operations").size > 0);
}

const at = (contract, path) => path.reduce((part, name) => part?.[name], contract);

// resolved returns a part of the contract with each reference replaced by its target. References stay within the
// contract, and make no circle. Swagger UI's own resolver would walk the whole contract several times for each
// endpoint that is opened.
function resolved(contract, part) {
  if (part === null || typeof part !== "object") return part;
  if (part.$ref) return resolved(contract, at(contract, part.$ref.slice("#/".length).split("/")));
  if (Array.isArray(part)) return part.map((one) => resolved(contract, one));
  return Object.fromEntries(Object.entries(part).map(([name, one]) => [name, resolved(contract, one)]));
}

// drawnWhenOpen keeps a closed endpoint from being drawn again with every change of another one.
const drawnWhenOpen = (Container) => class extends Container {
  shouldComponentUpdate(next) {
    const { isShown, isAuthorized, op } = this.props;
    return isShown || next.isShown || next.isAuthorized !== isAuthorized || !next.op.equals(op);
  }
};

// layout shows the endpoints first, and behind them what holds for all of them. Swagger UI's own layout shows them last.
const layout = (React) => ({ getComponent }) => {
  const { createElement: element } = React;
  const part = (name) => element(getComponent(name, true));
  return element("div", { className: "swagger-ui" },
    element(getComponent("SvgAssets")),
    element("h2", { className: "unseen" }, "Endpoints"),
    part("AuthorizeBtnContainer"),
    element("div", { className: "wrapper" }, part("operations")),
    element("div", { className: "wrapper" }, part("Models")),
    element("div", { className: "wrapper", id: about }, part("InfoContainer")));
};

// about is the id of what holds for all endpoints.
const about = "about";

// tokenDialog is the dialog for credentials. Swagger UI shows it beside a button of its own, which would be in the way.
const tokenDialog = (React) => ({ showPopup, getComponent }) =>
  showPopup && React.createElement(getComponent("authorizationPopup", true));

// showGroups lists the groups of endpoints, and what is behind them. Swagger UI gives the heading of each group an id.
function showGroups({ tags }) {
  const places = tags.map(({ name }) => [`operations-tag-${name.replaceAll(" ", "_")}`, name]);
  groups.querySelector("nav").replaceChildren(...[...places, [about, "Words and rules"]].map(([id, name]) => {
    const link = document.createElement("a");
    link.href = `#${id}`;
    link.textContent = name;
    return link;
  }));
  groups.hidden = false;
}

async function start() {
  const [text, demo] = await Promise.all([
    fetch("openapi.json").then((response) => response.text()),
    demoCredentials(),
  ]);
  const { AccountID, PortalSlug } = JSON.parse(text).components.parameters;
  const portal = `api/v1/accounts/${AccountID.example}/portals/${PortalSlug.example}`;
  const lookUp = async (path, token) => token && (await json(path, token)).payload.forEach((item) => note(item, "push"));
  await Promise.allSettled([
    lookUp("mails?limit=1", demo.mail_key),
    lookUp("platform/api/v1/users?email=ada%40example.org", demo.platform_app), // not the agent of the token
    lookUp(`${portal}/categories`, demo.agent),
    demo.mail_key && lookUpUnsubscribe(),
  ]);

  const contract = withExamples(text, demo);
  showGroups(contract);
  const ui = SwaggerUIBundle({
    domNode: page,
    spec: contract,
    presets: [SwaggerUIBundle.presets.apis],
    plugins: [({ React }) => ({
      fn: {
        opsFilter: matching,
        resolveSubtree: (_, path) => ({ errors: [], spec: resolved(contract, at(contract, path)) }),
      },
      wrapComponents: { OperationContainer: drawnWhenOpen, responses: programs(contract, () => ui) },
      components: {
        DeepLink: ({ text }) => text, // Swagger UI puts a link into the button that opens an endpoint
        EndpointsFirst: layout(React),
        authorizeBtn: tokenDialog(React),
      },
      statePlugins: { auth: { wrapActions: { persistAuthorizationIfNeeded: (_, system) => () => {
        const all = Object.entries(system.authSelectors.authorized().toJS());
        const own = all.filter(([name, { value }]) => value !== demo[name]);
        sessionStorage.setItem(kept, JSON.stringify(Object.fromEntries(own)));
      } } } },
    })],
    layout: "EndpointsFirst",
    deepLinking: true,
    operationsSorter: innerFirst,
    defaultModelsExpandDepth: 0,
    displayRequestDuration: true,
    validatorUrl: null,
    responseInterceptor: (response) => {
      if (response.ok && response.body) learn(response.url, response.body);
      fillIn(ui, contract);
      return response;
    },
    onComplete: () => {
      for (const [name, value] of Object.entries(demo)) if (value) ui.preauthorizeApiKey(name, value);
      ui.authActions.authorize(JSON.parse(sessionStorage.getItem(kept) ?? "{}"));
    },
  });

  page.addEventListener("click", (event) => {
    if (event.target.closest(".try-out__btn")) setTimeout(() => fillIn(ui, contract)); // by then the fields are there
  });
  search.addEventListener("input", () => {
    const phrase = search.value.trim();
    ui.layoutActions.updateFilter(phrase || false);
    setTimeout(() => { // by then it is drawn
      const n = page.querySelectorAll(".opblock").length;
      page.classList.toggle("nothing", n === 0);
      page.classList.toggle("searching", phrase !== "");
      groups.hidden = phrase !== "";
      found.textContent = phrase && (n === 1 ? "1 endpoint" : n > 0 ? `${n} endpoints` : `No endpoint has “${phrase}”.`);
    });
  });
  search.disabled = false;
  authorize.addEventListener("click", () => ui.authActions.showDefinitions(ui.authSelectors.definitionsToAuthorize()));
  authorize.disabled = false;
}

start().catch(() => {
  const problem = document.createElement("p");
  problem.className = "none";
  problem.textContent = "The contract could not be loaded. Reload the page to try again.";
  page.replaceChildren(problem);
});

// The dialog for tokens opens at its last field, and ignores keys. This makes it open at its first field; below,
// Escape closes it.
addEventListener("click", (event) => {
  if (event.target.closest("#authorize, .authorization__btn")) {
    setTimeout(() => page.querySelector(".modal-ux input")?.focus());
  }
});
// Completes what Swagger UI draws for people who use no mouse, or do not see it.
new MutationObserver(() => {
  for (const field of page.querySelectorAll("select, textarea, input:not([type=checkbox])")) {
    if (field.labels?.length || field.title || field.hasAttribute("aria-label")) continue;
    const row = field.closest("tr")?.querySelector(".parameter__name");
    const name = field.matches(".examples-select-element") ? "Example"
      : field.matches(".body-param__text") ? "Body of the request" : row?.firstChild?.textContent ?? field.placeholder;
    if (name) field.setAttribute("aria-label", name);
  }
  for (const button of page.querySelectorAll(".modal-btn[aria-label]")) button.removeAttribute("aria-label"); // a wrong name
  for (const button of page.querySelectorAll(".copy-to-clipboard button:not([title])")) button.title = "Copy";
  for (const button of page.querySelectorAll(".close-modal:not([title])")) button.title = "Close";
  for (const heading of page.querySelectorAll("h6")) heading.setAttribute("aria-level", "5"); // it is below one of 4
  for (const table of page.querySelectorAll("table[role=region]")) table.removeAttribute("role"); // a table is no region
  for (const listing of page.querySelectorAll("pre.microlight")) listing.tabIndex = 0; // so that the keys scroll it
}).observe(page, { childList: true, subtree: true });

addEventListener("keydown", (event) => {
  if (event.key === "Escape") page.querySelector(".modal-ux .close-modal")?.click();
  if (event.key === "/" && !event.target.closest("input, textarea, select")) {
    event.preventDefault();
    search.focus();
  }
});
