// Sends each mail of cases.mjs by each driver. Another parser reads the mails in the local stack's outbox, and this
// compares them with what the framework was given. Prints a table of them. What does not arrive stands on the page. The
// arguments are the commands of the programs that send; BASE_URL and MAIL_KEY are the stack's.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';
import PostalMime, { decodeWords } from 'postal-mime';
import { cases } from './cases.mjs';

const { BASE_URL, MAIL_KEY } = process.env;
const drivers = process.argv.slice(2).map(command => ({ command, name: command.match(/send\.(\w+)/)[1] }));

const answer = (response, status, body) => response.writeHead(status).end(JSON.stringify(body));
const faults = {
  401: r => answer(r, 401, { status: 'error', code: 'unauthorized', error: 'the mail key is not valid' }),
  413: r => answer(r, 413, { message: 'Request Too Long' }),
  429: r => answer(r, 429, { status: 'error', code: 'quota_exceeded', error: 'none is left' }),
  503: r => answer(r.setHeader('Retry-After', '7'), 503, { status: 'error', code: 'unavailable', error: 'ask again' }),
  unknown: r => answer(r, 200, { status: 'error', code: 'unknown_outcome', error: 'it may have been sent' }),
  other: r => answer(r, 200, null),
  html: r => r.writeHead(502).end('<h1>Bad Gateway</h1>'),
  redirect: r => r.writeHead(307, { location: '/followed/sender.php' }).end('{}'),
  late: () => {},
  cut: r => r.writeHead(503, { 'content-length': 100 }).write('{', () => r.socket.end()),
  closed: r => r.destroy(),
  warning: r => answer(r, 200, { status: 'success', id: '7', message_id: '<7@x>', warning: ['html has a flaw'] }),
  followed: r => {
    failed('a driver', 'a redirection', 'it was followed');
    answer(r, 500, {});
  },
};
const server = createServer((request, response) => {
  request.resume().on('end', () => faults[request.url.split('/')[1]](response));
});
await once(server.listen(0, '127.0.0.1'), 'listening');
const FAULTS_URL = `http://127.0.0.1:${server.address().port}`;

const frameworks = { php: 'Symfony Mailer', rb: 'ActionMailer', mjs: 'Nodemailer', py: 'Django' };
const page = readFileSync(new URL('../clients.md', import.meta.url), 'utf8');

const columns = await Promise.all(drivers.map(async ({ command, name }) => {
  const sender = spawn('/bin/sh', ['-c', command], { stdio: ['pipe', 'pipe', 'inherit'] });
  const urls = cases.map(given => ({ url: given.fault ? FAULTS_URL + given.fault : BASE_URL, ...given }));
  sender.stdin.end(JSON.stringify(urls).replaceAll('{driver}', name));
  const results = (await text(sender.stdout)).trim().split('\n').map(line => JSON.parse(line || '{}'));
  return Promise.all(cases.map((given, i) => cell(name, given, results[i] ?? {})));
}));
server.close();
server.closeAllConnections();

const row = cells => `| ${cells.join(' | ')} |\n`;
const table = row(['a mail, or an answer', ...drivers.map(({ name }) => frameworks[name])])
  + `|---${'|---'.repeat(drivers.length)}|\n`
  + cases.map(({ name }, i) => row([name, ...columns.map(column => column[i])])).join('');
console.log(table);

function failed(driver, name, what) {
  console.error(`${driver}: ${name}: ${what}`);
  process.exitCode = 1;
}

async function cell(driver, given, result) {
  const without = given.mail.without?.[driver];
  if (without) {
    const line = `- ${frameworks[driver]}, ${given.name}: ${without}.\n`;
    if (!page.includes(line)) failed('the page', given.name, `has no line ${line}`);
    return without;
  }
  const wrong = result.case === given.name ? await check(driver, given, result) : ['there is no result'];
  for (const what of wrong) failed(driver, given.name, what);
  if (wrong.length) return 'WRONG';
  return given.error ? 'an error' : given.warning ? 'passed on' : 'arrived';
}

// check returns everything that is wrong with the outcome of a mail.
async function check(driver, given, result) {
  const wrong = [];
  const same = (what, got, want) => {
    const [a, b] = [got, want].map(value => JSON.stringify(value ?? null));
    if (a !== b) wrong.push(`${what} is ${a}, not ${b}`);
  };
  if (JSON.stringify(result).includes(MAIL_KEY)) wrong.push('the mail key is shown');
  if (given.error) {
    if (!result.error?.includes(given.error)) wrong.push(`the error is ${result.error}, not ${given.error}`);
    if (given.status) same('the status of the error', result.status, given.status);
    if (given.code) same('the code of the error', result.code, given.code);
    same('the seconds to wait', result.retryAfter, given.retryAfter);
    if (driver === 'mjs') same("Nodemailer's code", result.nodemailer, given.nodemailer ?? 'EMESSAGE');
    same('what was sent', result.ids, []);
    return wrong;
  }
  if (result.error) return [...wrong, `the error is ${result.error}`];
  const [id] = result.ids;
  same('what was sent', result.ids, Array(given.mail.times ?? 1).fill(id));
  if (given.warning) {
    same('how often the warning is logged', result.log.split(given.warning).length - 1, 1);
    return wrong;
  }
  for (const name of given.mail.leftOut ?? []) {
    same(`how often the log names ${name}`, result.log.split(`leaves out ${name}:`).length - 1, 1);
  }
  const kept = `${BASE_URL}/_local/outbox/${id.replace(/^<|@.*$/g, '')}`;
  const raw = await (await fetch(`${kept}.eml`)).arrayBuffer();
  const parsed = await PostalMime.parse(raw, { forceRfc822Attachments: true });
  checkMail(same, given.mail, parsed, await (await fetch(kept)).json());
  return wrong;
}

// checkMail compares a mail as it arrived, and what the outbox says of it, with the mail that was given.
function checkMail(same, mail, got, kept) {
  const addresses = (boxes = []) => boxes.map(box => [box.arrives ?? box.email ?? box.address, box.name ?? '']);
  same('From', addresses([got.from]), addresses(mail.from));
  for (const field of ['to', 'cc', 'replyTo']) same(field, addresses(got[field]), addresses(mail[field]));
  const recipients = ['to', 'cc', 'bcc'].flatMap(field => addresses(mail[field]).map(([address]) => address));
  same('the envelope', kept.to, recipients);
  same('the subject', got.subject ?? '', mail.subject ?? '');

  const lines = text => text?.replaceAll('\r\n', '\n').replace(/\n+$/, '') ?? ''; // the parser may add a line feed
  same('the text', lines(got.text), lines(mail.madeText ?? mail.text));
  const files = got.attachments.map(file => ({ ...file, cid: file.contentId?.replace(/^<|>$/g, '') }));
  const html = files.reduce((html, { cid, filename }) => cid ? html.replaceAll(cid, filename) : html, lines(got.html));
  same('the HTML', html, lines(mail.html));

  const message = content => btoa(lines(atob(content)));
  const describe = ({ filename, arrives, type, content }) =>
    `${arrives ?? filename} ${type} ${type === 'message/rfc822' ? message(content) : content}`;
  const arrived = disposition => files
    .filter(f => f.disposition === disposition && f.mimeType !== 'text/calendar')
    .map(f => describe({ filename: f.filename, type: f.mimeType, content: Buffer.from(f.content).toString('base64') }));
  same('the files', arrived('attachment'), (mail.attachments ?? []).map(describe));
  same('the pictures', arrived('inline'), (mail.inline ?? []).map(describe));
  const invitation = file => file && [file.method, lines(Buffer.from(file.content).toString())];
  same('the invitation', invitation(files.find(f => f.method)), invitation(mail.calendar));

  for (const [name, value] of Object.entries(mail.headers ?? {})) {
    const field = got.headers.find(({ key }) => key === name.toLowerCase());
    same(name, field && decodeWords(field.value), name === 'Idempotency-Key' ? undefined : value);
  }
  for (const name of mail.leftOut ?? []) same(name, got.headers.find(({ key }) => key === name.toLowerCase()), undefined);
  const tags = Object.entries(kept.tags).filter(([name]) => !name.startsWith('frontdesk-')).sort();
  same('the tags', Object.fromEntries(tags), mail.tags ?? {});
}
