const TIMEOUT = 35_000; // milliseconds; the service answers within 30 seconds

// Header fields that the request has elsewhere, and those that the service or SES writes itself.
const OWN = /^(from|to|cc|bcc|reply-to|subject|date|message-id|mime-version|content-.*|idempotency-key)$/i;

const warned = new Set(); // the lines that are in a log

// Codes of answers after which the recipients may have the mail.
const MAY_BE_SENT = ['unknown_outcome', 'partly_sent'];

// frontdesk cannot carry the whole mail, or did not send it. The code is Nodemailer's, because queues decide by it
// whether to try again. The originalCode is that of the answer or of the system. If frontdesk answered, status is the
// HTTP status, and retryAfter the seconds to wait, if the answer names them. Nodemailer's responseCode is SMTP's alone.
export class FrontdeskError extends Error {
  name = 'FrontdeskError';

  constructor(message, code, { originalCode, status, retryAfter } = {}) {
    super(message);
    Object.assign(this, { code, originalCode, status, retryAfter });
  }
}

// Sends mails by frontdesk: createTransport(new FrontdeskTransport({ url, key })). The url is the address of the API,
// the key the mail key, the timeout in milliseconds. The logger's warn gets each warning once. A mail may have tags, an
// object.
export class FrontdeskTransport {
  name = 'frontdesk';
  version = '1';
  #key; // private, so that nothing prints it

  constructor({ url, key, timeout = TIMEOUT, logger }) {
    Object.assign(this, { url, timeout, logger });
    this.#key = key;
  }

  send(mail, done) {
    this.#send(mail).then(info => done(null, info), done);
  }

  // Asks for a mail to nobody, which sends nothing: to a good key the answer is that the recipients are missing.
  verify(done) {
    const verified = this.#post({}).then(({ status, answer, ...rest }) => {
      if (status === 200 && answer?.code === 'invalid') return true;
      throw errorOf({ status, answer, ...rest });
    });
    if (!done) return verified;
    verified.then(() => done(null, true), done);
  }

  async #send(mail) {
    const { message } = mail;
    const name = message.getHeader('Idempotency-Key');
    if (name && !/^[ -~]+$/.test(name)) refuse('takes an Idempotency-Key of printable ASCII');
    const parts = ['attachments', 'alternatives', 'icalEvent'].flatMap(field => mail.data[field] ?? []);
    if (parts.some(part => part.raw)) refuse('does not carry a part that is raw'); // which normalize drops
    const data = await new Promise((resolve, reject) => {
      mail.normalize((error, data) => error ? reject(error) : resolve(data));
    });
    const response = await this.#post({
      config: ['allowempty'], ...addresses(message), ...content(data), subject: data.subject, tags: data.tags,
      headers: headersOf(message, line => this.#warn(line)),
    }, name);
    const { status, answer } = response;
    if (status !== 200 || answer?.status !== 'success') throw errorOf(response);
    answer.warning?.forEach(warning => this.#warn(`frontdesk warns: ${warning}`));
    const { envelope } = data;
    return { envelope, messageId: answer.message_id, accepted: envelope.to, rejected: [], response: answer };
  }

  // A line comes from the text of a mail, and so again with each mail of its kind.
  #warn(line) {
    if (warned.has(line)) return;
    if (warned.size === 1000) warned.clear();
    warned.add(line);
    this.logger?.warn(line);
  }

  async #post(mail, name) {
    const headers = { 'Content-Type': 'application/json', ...name && { 'Idempotency-Key': name } };
    const request = {
      method: 'POST', headers, body: JSON.stringify({ key: this.#key, ...mail }), redirect: 'manual',
      signal: AbortSignal.timeout(this.timeout),
    };
    const response = await fetch(this.#endpoint(), request)
      .then(async r => ({ status: r.status, headers: r.headers, body: await r.text() }))
      .catch(error => { throw noAnswer(error); });
    const retryAfter = Number(response.headers.get('retry-after')) || undefined;
    return { status: response.status, retryAfter, name, answer: parse(response.body) };
  }

  #endpoint() {
    const address = `${this.url}`.replace(/\/+$/, '');
    if (!/^https?:/i.test(address) || !URL.canParse(address)) {
      throw new FrontdeskError(`frontdesk needs a url such as https://mail.example.com, not ${this.url}`, 'ECONFIG');
    }
    if (!this.#key) throw new FrontdeskError('frontdesk needs a key, which is a mail key', 'ECONFIG');
    return `${address}/sender.php`;
  }
}

function parse(body) {
  try {
    return JSON.parse(body);
  } catch {
    return undefined;
  }
}

function errorOf({ status, answer, retryAfter, name }) {
  const reason = [answer?.code, answer?.error ?? answer?.message].filter(Boolean).join(' ');
  const said = answer === undefined ? ' without JSON' : `: ${reason}`;
  const code = codeOf(status, answer?.code, name);
  return new FrontdeskError(`frontdesk answered HTTP ${status}${said}`, code, {
    originalCode: answer?.code, status, retryAfter,
  });
}

// codeOf returns ECONNECTION, after which queues try again, for what may go well later, and another code for what may
// not. Without an Idempotency-Key a mail that may have been sent would be sent twice.
function codeOf(status, code, name) {
  if (status === 401 || status === 403) return 'EAUTH';
  if (status >= 500 || status === 409 || status === 429 || code === 'ses_unavailable') return 'ECONNECTION';
  if (name && MAY_BE_SENT.includes(code)) return 'ECONNECTION';
  return code || status === 413 ? 'EMESSAGE' : 'EPROTOCOL';
}

function noAnswer(error) {
  const { code: said, message } = error.cause ?? error;
  const originalCode = typeof said === 'string' ? said : undefined; // a TimeoutError has a number of the DOM
  const code = error.name === 'TimeoutError' || /TIMEDOUT|TIMEOUT/.test(originalCode) ? 'ETIMEDOUT'
    : /^(ENOTFOUND|EAI_)/.test(originalCode) ? 'EDNS'
    : /CERT|SIGNATURE|^ERR_(TLS|SSL)/.test(originalCode) ? 'ETLS'
    : /^E[A-Z]+$/.test(originalCode) ? 'ESOCKET'
    : 'ECONNECTION';
  return new FrontdeskError(`frontdesk gave no answer: ${message || originalCode}`, code, { originalCode });
}

function refuse(reason) {
  throw new FrontdeskError(`frontdesk ${reason}`, 'EMESSAGE');
}

function addresses(message) {
  const { from = [], to = [], cc = [], bcc = [], 'reply-to': replyTo = [] } = message.getAddresses();
  const named = new Set([...to, ...cc, ...bcc].map(a => a.address));
  const envelope = new Set(message.getEnvelope().to);
  if (named.size !== envelope.size || ![...named].every(a => envelope.has(a))) {
    refuse('sends to To, Cc and Bcc: the envelope has other recipients');
  }
  if (from.length !== 1) refuse(`sends mails of one sender: From has ${from.length}`);
  const list = boxes => boxes.map(({ address, name }) => ({ email: address, name }));
  return { sender: list(from)[0], recipients: list(to), ccs: list(cc), bccs: list(bcc), replyto: list(replyTo) };
}

// headersOf returns the fields as Nodemailer writes them, but leaves text beyond ASCII unencoded: frontdesk encodes it.
function headersOf(message, warn) {
  const { from, sender } = message.getAddresses();
  const headers = {};
  for (const line of message.buildHeaders().replace(/\r?\n(?=[ \t])/g, '').split(/\r?\n/)) {
    const at = line.indexOf(':');
    const name = line.slice(0, at), value = line.slice(at + 1).trim();
    if (at < 0 || OWN.test(name)) continue;
    const why = whyNot(name, sender?.[0]?.address, from[0].address);
    if (why) {
      warn(`frontdesk leaves out ${name}: ${why}`);
      continue;
    }
    if (name in headers) refuse(`carries a header field once: ${name} is there twice`);
    const given = message.getHeader(name);
    headers[name] = value.includes('=?') ? given?.value ?? given : value;
  }
  return headers;
}

// whyNot says why a field is left out that applications set for all mails, such as by Nodemailer's defaults.
function whyNot(name, sender, from) {
  if (/^return-path$/i.test(name)) return 'bounces go to the log of frontdesk';
  if (/^sender$/i.test(name) && sender?.toLowerCase() === from.toLowerCase()) return 'it is the address of From';
  return undefined;
}

function content({ raw, amp, watchHtml, text, html, icalEvent, alternatives, attachments }) {
  if (raw) refuse('does not carry a raw message');
  for (const [name, value] of Object.entries({ text, html })) {
    if (value && typeof value !== 'string') refuse(`needs ${name} to have content`);
  }
  if (amp || watchHtml) refuse(`does not carry an alternative of the type ${amp ? 'AMP' : 'watch-html'}`);
  const files = [];
  if (icalEvent) {
    const { method = 'PUBLISH', filename = 'invite.ics', ...event } = icalEvent;
    files.push(file({ ...event, filename, contentType: `text/calendar; charset=utf-8; method=${method}` }));
  }
  for (const alternative of alternatives ?? []) {
    const type = alternative.contentType ?? '';
    if (!/^text\/calendar\b/i.test(type)) refuse(`does not carry an alternative of the type ${type}`);
    files.push(file(alternative));
  }
  return { text, ...nameContents(html, [...files, ...(attachments ?? []).map(file)]) };
}

// nameContents numbers the Content-IDs that attachDataUrls draws anew for each attempt: attempts with the same
// Idempotency-Key have to be equal.
function nameContents(html, files) {
  const names = new Map(files.filter(f => f.cid?.endsWith('@localhost')).map(({ cid }, i) => [cid, `${i}@localhost`]));
  return {
    html: [...names].reduce((html, [cid, name]) => html?.replaceAll(`cid:${cid}`, `cid:${name}`), html),
    attachments: files.map(f => ({ ...f, cid: names.get(f.cid) ?? f.cid })),
  };
}

function file({ content, encoding, filename, contentType, cid }) {
  if (!content?.length) refuse(`does not carry a file without content: ${filename}`);
  return {
    content: Buffer.from(content, encoding ?? 'utf8').toString('base64'),
    filename: filename || undefined, type: contentType, cid,
  };
}
