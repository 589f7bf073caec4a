const TIMEOUT = 35_000; // milliseconds; the service answers within 30 seconds

// Header fields that the request has elsewhere, and those that the service or SES writes itself.
const OWN = /^(from|to|cc|bcc|reply-to|subject|date|message-id|mime-version|content-.*|idempotency-key)$/i;

// frontdesk cannot carry the whole mail, or did not send it. If it answered, responseCode is the HTTP status, and code
// the answer's code.
export class FrontdeskError extends Error {
  name = 'FrontdeskError';

  constructor(message, code, responseCode) {
    super(message);
    Object.assign(this, { code, responseCode });
  }
}

// Sends mails by frontdesk: createTransport(new FrontdeskTransport({ url, key })). The url is the address of the API,
// the key the mail key, the timeout in milliseconds. A mail may have tags, an object.
export class FrontdeskTransport {
  name = 'frontdesk';
  version = '1';
  #key; // private, so that nothing prints it

  constructor({ url, key, timeout = TIMEOUT }) {
    this.url = url.replace(/\/+$/, '');
    this.timeout = timeout;
    this.#key = key;
  }

  send(mail, done) {
    mail.normalize((error, data) => {
      if (error) return done(error);
      this.#send(mail.message, data).then(info => done(null, info), done);
    });
  }

  async #send(message, data) {
    const headers = headersOf(message);
    const name = message.getHeader('Idempotency-Key');
    const answer = await this.#post(name, {
      key: this.#key, config: ['allowempty'], headers, subject: data.subject, tags: data.tags, ...addresses(message),
      ...content(data),
    });
    const { envelope } = data;
    return { envelope, messageId: answer.message_id, accepted: envelope.to, rejected: [], response: answer };
  }

  async #post(name, mail) {
    const response = await fetch(`${this.url}/sender.php`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', ...name && { 'Idempotency-Key': name } },
      body: JSON.stringify(mail),
      redirect: 'manual',
      signal: AbortSignal.timeout(this.timeout),
    }).then(async r => ({ status: r.status, body: await r.text() })).catch(error => {
      throw new FrontdeskError(`frontdesk gave no answer: ${error.cause?.message ?? error.message}`, 'ECONNECTION');
    });
    let answer;
    try {
      answer = JSON.parse(response.body);
    } catch {
      throw new FrontdeskError(`frontdesk answered HTTP ${response.status} without JSON`, 'EPROTOCOL', response.status);
    }
    if (response.status === 200 && answer?.status === 'success') return answer;
    const reason = [answer?.code, answer?.error ?? answer?.message].filter(Boolean).join(' ');
    throw new FrontdeskError(`frontdesk answered HTTP ${response.status}: ${reason}`, answer?.code, response.status);
  }
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
function headersOf(message) {
  const headers = {};
  for (const line of message.buildHeaders().replace(/\r?\n(?=[ \t])/g, '').split(/\r?\n/)) {
    const at = line.indexOf(':');
    const name = line.slice(0, at), value = line.slice(at + 1).trim();
    if (at < 0 || OWN.test(name)) continue;
    if (name in headers) refuse(`carries a header field once: ${name} is there twice`);
    const given = message.getHeader(name);
    headers[name] = value.includes('=?') ? given?.value ?? given : value;
  }
  return headers;
}

function content({ raw, amp, watchHtml, text, html, icalEvent, alternatives = [], attachments = [] }) {
  if (raw) refuse('does not carry a raw message');
  if (amp || watchHtml) refuse(`does not carry an alternative of the type ${amp ? 'AMP' : 'watch-html'}`);
  const files = [];
  if (icalEvent) {
    const { method = 'PUBLISH', filename = 'invite.ics', ...event } = icalEvent;
    files.push(file({ ...event, filename, contentType: `text/calendar; charset=utf-8; method=${method}` }));
  }
  for (const alternative of alternatives) {
    const type = alternative.contentType ?? '';
    if (!/^text\/calendar\b/i.test(type)) refuse(`does not carry an alternative of the type ${type}`);
    files.push(file(alternative));
  }
  return { text, ...nameContents(html, [...files, ...attachments.map(file)]) };
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

function file({ content, encoding, raw, filename, contentType, cid }) {
  if (raw) refuse('does not carry an attachment that is raw');
  return {
    content: Buffer.from(content, encoding ?? 'utf8').toString('base64'),
    filename: filename || undefined, type: contentType, cid,
  };
}
