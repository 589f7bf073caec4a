"use strict";

const page = document.getElementById("page");
const search = document.getElementById("search");
const found = document.getElementById("found");

// The API is where this page is, without its last part: at the root of a host, or in a stage of its own.
const api = new URL(".", location.href).href.replace(/\/$/, "");

// Credentials are kept for the tab, over reloads, and not on the disk: some of them never expire.
const kept = "frontdesk-credentials";

// A stack on this machine tells its own pages the credentials of its demo tenant. No other API is asked for any.
const isLocal = ["localhost", "127.0.0.1", "[::1]"].includes(location.hostname);

async function json(path, token) {
  const response = await fetch(path, { headers: token ? { "api-access-token": token } : {} });
  if (!response.ok) throw new Error(`${path}: ${response.status}`);
  return response.json();
}

// demoCredentials are those of the demo tenant, by their security schemes.
async function demoCredentials() {
  if (!isLocal) return {};
  const { credentials } = await json("_local/stack").catch(() => ({ credentials: [] })); // under sam local there are none
  const starting = (prefix) => credentials.find(({ value }) => value.startsWith(prefix))?.value;
  return { mail_key: starting("fdm_"), platform_app: starting("fdp_"), agent: starting("fda_") };
}

// seen is what there is to try endpoints on, the last one first: what answers have told of.
const seen = { user: [], category: [], mail: [], link: [] };

// learn takes from an answer what it tells of. What a list has is older than what was seen; a user whom somebody only
// has listed is not to be tried on.
function learn(url, answer) {
  const gone = url.match(/\/(\d+)$/)?.[1];
  if (gone && Object.keys(answer).length === 0 && !url.includes("/members/")) { // a user goes on without a membership
    for (const kind of ["user", "category"]) seen[kind] = seen[kind].filter(({ id }) => String(id) !== gone);
  }
  const { payload = answer } = answer;
  if (Array.isArray(payload)) payload.forEach((item) => item.email || note(item, "push"));
  else note(payload, "unshift");
}

function note(item, place) {
  if (item.slug && item.account_id) seen.category[place](item);
  else if (item.email && item.created_at) seen.user[place](item);
  else if (item.sent_at || item.status === "success") seen.mail[place](item);
  else if (item.url?.includes("sso_auth_token=")) seen.link[place](Object.fromEntries(new URL(item.url).searchParams));
}

// withExamples is the contract with examples that can be sent: the demo's mail key, and a slug that is not taken.
function withExamples(text, demo) {
  const contract = JSON.parse(demo.mail_key ? text.replace(/fdm_[0-9a-z]+_[0-9a-f]{64}/g, demo.mail_key) : text);
  for (const { post } of Object.values(contract.paths)) {
    const created = post?.requestBody?.content["application/json"]?.examples?.plain?.value.category;
    const taken = () => seen.category.some(({ slug }) => slug === created.slug);
    for (let n = 2, slug = created?.slug; created && taken(); n++) created.slug = `${slug}-${n}`;
  }
  return { ...contract, servers: [{ url: api }] }; // the page may call no other
}

// fillIn puts what was seen last into the fields of every endpoint that is open.
function fillIn(ui, { paths, components }) {
  const [[user], [category], [mail], [link]] = [seen.user, seen.category, seen.mail, seen.link];
  const values = { UserID: user?.id, CategoryID: category?.id, CategorySlug: category?.slug, MailID: mail?.id };
  for (const [path, item] of Object.entries(paths)) {
    for (const [method, { parameters = [] }] of Object.entries(item)) {
      for (const part of parameters.map(({ $ref = "" }) => $ref.split("/").pop())) {
        if (values[part] === undefined) continue;
        const field = ui.specSelectors.specResolvedSubtree(["paths", path, method, "parameters"])
          ?.find((parameter) => parameter.get("name") === components.parameters[part].name);
        if (field) ui.specActions.changeParamByIdentity([path, method], field, String(values[part]));
      }
    }
    const body = (value) => ui.oas3Actions.setRequestBodyValue({
      value: JSON.stringify(value, null, 2), pathMethod: [path, "post"],
    });
    if (user && path.endsWith("/members")) body({ user_id: user.id });
    if (category && path.endsWith("/reorder")) body({ positions_hash: { [category.id]: 1 } });
    if (link && path === "/auth/sign_in") body(link);
  }
}

// matching keeps of the operations those that have every word of what is searched for.
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

// resolved is a part of the contract with what its references lead to in their place: they lead nowhere else, and never
// in a circle. Swagger UI's own resolver goes over the whole contract several times, for each endpoint that is opened.
function resolved(contract, part) {
  if (part === null || typeof part !== "object") return part;
  if (part.$ref) return resolved(contract, at(contract, part.$ref.slice("#/".length).split("/")));
  if (Array.isArray(part)) return part.map((one) => resolved(contract, one));
  return Object.fromEntries(Object.entries(part).map(([name, one]) => [name, resolved(contract, one)]));
}

// drawnWhenOpen keeps an endpoint that is closed, and stays so, from being drawn anew with every change of any other.
const drawnWhenOpen = (Container) => class extends Container {
  shouldComponentUpdate(next) {
    const { isShown, isAuthorized, op } = this.props;
    return isShown || next.isShown || next.isAuthorized !== isAuthorized || !next.op.equals(op);
  }
};

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
    lookUp("platform/api/v1/users?email=ada%40example.org", demo.platform_app), // never the agent that the token is of
    lookUp(`${portal}/categories`, demo.agent),
  ]);

  const contract = withExamples(text, demo);
  const ui = SwaggerUIBundle({
    domNode: page,
    spec: contract,
    presets: [SwaggerUIBundle.presets.apis],
    plugins: [() => ({
      fn: {
        opsFilter: matching,
        resolveSubtree: (_, path) => ({ errors: [], spec: resolved(contract, at(contract, path)) }),
      },
      wrapComponents: { OperationContainer: drawnWhenOpen },
      components: { FilterContainer: () => null }, // the page has a field of its own
      statePlugins: { auth: { wrapActions: { persistAuthorizationIfNeeded: (_, system) => () => {
        const all = Object.entries(system.authSelectors.authorized().toJS());
        const own = all.filter(([name, { value }]) => value !== demo[name]);
        sessionStorage.setItem(kept, JSON.stringify(Object.fromEntries(own)));
      } } } },
    })],
    layout: "BaseLayout",
    deepLinking: true,
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
    if (event.target.closest(".try-out__btn")) setTimeout(() => fillIn(ui, contract)); // the fields are there
  });
  search.addEventListener("input", () => {
    const phrase = search.value.trim();
    ui.layoutActions.updateFilter(phrase || false);
    setTimeout(() => { // it is drawn
      const n = page.querySelectorAll(".opblock").length;
      page.classList.toggle("nothing", n === 0);
      page.classList.toggle("searching", phrase !== "");
      found.textContent = phrase && (n === 1 ? "1 endpoint" : n > 0 ? `${n} endpoints` : `No endpoint has “${phrase}”.`);
    });
  });
  search.disabled = false;
}

start().catch(() => {
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
  if (event.key === "/" && !event.target.closest("input, textarea, select")) {
    event.preventDefault();
    search.focus();
  }
});
