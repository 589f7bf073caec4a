"use strict";

// Shows a request in the languages of the API's callers. Each program prints the answer, also one with an error, and
// then fails if the request has failed. It takes the API's address and the credentials from the environment, under the
// names of the local stack's demo.env, so it contains no secret.

// Variable stands for a variable of the environment within a request.
class Variable {
  constructor(name) { this.name = name; }
}

// literal returns a value as the language writes it, on one line if that is short.
function literal(value, style, indent = "") {
  if (value instanceof Variable) return style.variable(value.name);
  if (typeof value === "string") return style.text(value);
  if (value === null || typeof value !== "object") return style.words?.[value] ?? String(value);
  const deeper = `${indent}${style.indent}`;
  const isList = Array.isArray(value);
  const parts = isList
    ? value.map((one) => literal(one, style, deeper))
    : Object.entries(value).map(([name, one]) => style.pair(style.text(name), literal(one, style, deeper)));
  if (parts.length === 0) return isList ? style.list.join("") : style.empty;
  const [begin, end] = isList ? style.list : style.map;
  const line = `${begin}${parts.join(", ")}${end}`;
  if (!line.includes("\n") && indent.length + line.length < 70) return line;
  return `${begin}\n${parts.map((part) => deeper + part).join(",\n")}${style.last}\n${indent}${end}`;
}

const quoted = (text) => JSON.stringify(text);
const colon = (name, value) => `${name}: ${value}`;
const arrow = (name, value) => `${name} => ${value}`;
const braces = { list: ["[", "]"], map: ["{", "}"], empty: "{}", pair: colon, text: quoted, last: ",", indent: "  " };

const shell = {
  ...braces, last: "",
  text: (text) => quoted(text).replaceAll("'", "'\\''"),
  variable: (name) => `"'"$${name}"'"`,
};
const js = { ...braces, variable: (name) => `process.env.${name}` };
const python = {
  ...braces, indent: "    ",
  words: { true: "True", false: "False", null: "None" },
  variable: (name) => `os.environ["${name}"]`,
};
const ruby = {
  ...braces, pair: arrow,
  words: { null: "nil" },
  text: (text) => quoted(text).replaceAll("#", "\\#"),
  variable: (name) => `ENV["${name}"]`,
};
const php = {
  list: ["[", "]"], map: ["[", "]"], empty: "new stdClass", pair: arrow, last: ",", indent: "    ",
  text: (text) => `'${text.replace(/[\\']/g, "\\$&")}'`,
  variable: (name) => `getenv('${name}')`,
};
const go = {
  list: ["[]any{", "}"], map: ["map[string]any{", "}"], empty: "map[string]any{}", pair: colon, last: ",", indent: "\t",
  words: { null: "nil" },
  text: quoted,
  variable: (name) => `os.Getenv("${name}")`,
};

// fields returns the header fields of a request, one after the other, as the language writes them.
const fields = (headers, style, between = ", ") => headers
  .map(([name, value]) => style.pair(style.text(name), literal(value, style))).join(between);

// moved returns a text with all lines but the first moved to the right.
const moved = (text, by) => text.replaceAll("\n", `\n${by}`);

// Each language: its name, and a function that returns the program of a request
// {method, path, headers, body, form, says}. The value of a header field, and a value in the body, may be a Variable. A
// form is a body that is not JSON. If the answer says by its "status" what became of the request, says is true;
// otherwise the HTTP status does.
const languages = [
  ["curl", ({ method, path, headers, body, form }) => [
    `curl -s --fail-with-body "$BASE_URL${path}"`,
    method !== (body || form ? "POST" : "GET") && `-X ${method}`,
    ...headers.filter(([name]) => name !== "content-type").map(([name, value]) => value instanceof Variable
      ? `-H "${name}: $${value.name}"` : `-H '${name}: ${value.replaceAll("'", "'\\''")}'`),
    body && `-d '${literal(body, shell)}'`,
    form && `-d '${form}'`,
  ].filter(Boolean).join(" ")],

  ["PHP", ({ method, path, headers, body, form, says }) => `<?php
$options = [
    'method' => '${method}',
    'header' => [${headers.map(([name, value]) => value instanceof Variable
    ? `'${name}: ' . ${literal(value, php)}` : php.text(`${name}: ${value}`)).join(", ")}],${body ? `
    'content' => json_encode(${moved(literal(body, php), "    ")}),` : ""}${form ? `
    'content' => ${php.text(form)},` : ""}
    'ignore_errors' => true,
];
$stream = fopen(getenv('BASE_URL') . ${php.text(path)}, 'r', false, stream_context_create(['http' => $options]));
$status = stream_get_meta_data($stream)['wrapper_data'][0];
$answer = stream_get_contents($stream);
echo $status, PHP_EOL, $answer;
if (${says ? "(json_decode($answer)->status ?? null) !== 'success'" : "preg_match('{^\\S+ [45]}', $status)"}) {
    exit(1);
}`],

  ["Node", ({ method, path, headers, body, form, says }) =>
    `const response = await fetch(process.env.BASE_URL + ${quoted(path)}, {
  method: "${method}",
  headers: { ${fields(headers, js)} },${body ? `
  body: JSON.stringify(${moved(literal(body, js), "  ")}),` : ""}${form ? `
  body: ${quoted(form)},` : ""}
});
const answer = await response.text();
console.log(response.status, answer);
if (${says ? 'JSON.parse(answer).status !== "success"' : "!response.ok"}) process.exit(1);`],

  ["Python", ({ method, path, headers, body, form, says }) => `import json, os, sys, urllib.error, urllib.request

request = urllib.request.Request(
    os.environ["BASE_URL"] + ${quoted(path)},
    method="${method}",
    headers={${fields(headers, python)}},${body ? `
    data=json.dumps(${moved(literal(body, python), "    ")}).encode(),` : ""}${form ? `
    data=b${quoted(form)},` : ""}
)
try:
    response = urllib.request.urlopen(request)
except urllib.error.HTTPError as error:
    response = error
answer = response.read().decode()
print(response.status, answer)
if ${says ? 'json.loads(answer).get("status") != "success"' : "response.status >= 400"}:
    sys.exit(1)`],

  ["Ruby", ({ method, path, headers, body, form, says }) => `require "json"
require "net/http"

uri = URI(ENV["BASE_URL"] + ${ruby.text(path)})
request = Net::HTTP::${method[0]}${method.slice(1).toLowerCase()}.new(uri, {${fields(headers, ruby)}})${body ? `
request.body = JSON.generate(${literal(body, ruby)})` : ""}${form ? `
request.body = ${ruby.text(form)}` : ""}
response = Net::HTTP.start(uri.host, uri.port, use_ssl: uri.scheme == "https") { |http| http.request(request) }
puts response.code, response.body
exit 1 unless ${says ? 'JSON.parse(response.body)["status"] == "success"' : "response.is_a?(Net::HTTPSuccess)"}`],

  ["Go", ({ method, path, headers, body, form, says }) => `package main

import (${[body && "bytes", (body || says) && "encoding/json", "fmt", "io", "net/http", "os", form && "strings"]
    .filter(Boolean).map((name) => `\n\t"${name}"`).join("")}
)

func main() {${body ? `
	body, _ := json.Marshal(${moved(literal(body, go), "\t")})` : ""}
	request, err := http.NewRequest("${method}", os.Getenv("BASE_URL")+${quoted(path)}, ${
    body ? "bytes.NewReader(body)" : form ? `strings.NewReader(${quoted(form)})` : "nil"})
	if err != nil {
		panic(err)
	}${headers.map(([name, value]) => `
	request.Header.Set(${quoted(name)}, ${literal(value, go)})`).join("")}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		panic(err)
	}
	defer response.Body.Close()
	answer, _ := io.ReadAll(response.Body)
	fmt.Println(response.Status, string(answer))
${says ? `	var sent struct{ Status string }
	_ = json.Unmarshal(answer, &sent)
	if sent.Status != "success" {` : "	if response.StatusCode >= 400 {"}
		os.Exit(1)
	}
}`],
];

// drivers are the drivers of internal/clients, by language, and the code of an application that sends mails by
// a framework.
const drivers = {
  PHP: ["Symfony Mailer or Laravel", "symfony/FrontdeskTransport.php",
    "$mailer = new Mailer(new FrontdeskTransport(getenv('BASE_URL'), getenv('MAIL_KEY')));\n" +
    "$mailer->send((new Email())->to('ada@example.org')->subject('Hello')->text('Hello'));"],
  Node: ["Nodemailer", "nodemailer/frontdesk-transport.mjs",
    "const { BASE_URL: url, MAIL_KEY: key } = process.env;\n" +
    "const transporter = createTransport(new FrontdeskTransport({ url, key }));\n" +
    "await transporter.sendMail({ to: \"ada@example.org\", subject: \"Hello\", text: \"Hello\" });"],
  Python: ["Django", "django/frontdesk.py",
    "# in the settings, from Django 6.1 on\n" +
    "MAILERS = {\"default\": {\n" +
    "    \"BACKEND\": \"frontdesk.EmailBackend\",\n" +
    "    \"OPTIONS\": {\"url\": os.environ[\"BASE_URL\"], \"key\": os.environ[\"MAIL_KEY\"]},\n" +
    "}}"],
  Ruby: ["ActionMailer", "actionmailer/frontdesk_delivery.rb",
    "# in config/initializers/frontdesk.rb\n" +
    "ActiveSupport.on_load(:action_mailer) do\n" +
    "  add_delivery_method :frontdesk, FrontdeskDelivery, url: ENV[\"BASE_URL\"], key: ENV[\"MAIL_KEY\"]\n" +
    "  self.delivery_method = :frontdesk\n" +
    "end"],
};
