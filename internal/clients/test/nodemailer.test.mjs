// Tests what of Nodemailer's interface other frameworks do not have: verify, its codes of errors in the settings, and
// parts without content. BASE_URL and MAIL_KEY are the local stack's.

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { test } from 'node:test';
import { createTransport } from 'nodemailer';
import { FrontdeskTransport } from '../nodemailer/frontdesk-transport.mjs';

const { BASE_URL, MAIL_KEY } = process.env;
const hello = { from: 'sender@example.com', to: 'ada@example.org', subject: 'Hello', text: 'Hello' };
const transporter = settings => createTransport(new FrontdeskTransport({ url: BASE_URL, key: MAIL_KEY, ...settings }));
const outbox = async () => (await (await fetch(`${BASE_URL}/_local/outbox`)).json()).map(({ id }) => id);
const byCallback = mailer => new Promise(resolve => mailer.verify((error, verified) => resolve([error, verified])));

test('verify takes a good key, and sends nothing', async () => {
  const before = await outbox();
  assert.equal(await transporter().verify(), true);
  assert.deepEqual(await byCallback(transporter()), [null, true]);
  assert.deepEqual(await outbox(), before);
});

const settings = {
  'a bad key': [{ key: 'fdm_0_0' }, { code: 'EAUTH', status: 401, originalCode: 'unauthorized' }],
  'no key': [{ key: undefined }, { code: 'ECONFIG', message: /needs a key/ }],
  'no url': [{ url: undefined }, { code: 'ECONFIG', message: /needs a url.*not undefined/ }],
  'a url that is none': [{ url: 'https://a b' }, { code: 'ECONFIG', message: /needs a url.*not https:..a b/ }],
  'a url without http': [{ url: 'mail.example.com' }, { code: 'ECONFIG', message: /needs a url/ }],
  'a url of another service': [{ url: `${BASE_URL}/elsewhere` }, { code: 'EPROTOCOL', status: 404 }],
  'a name that the DNS does not have': [{ url: 'http://frontdesk.invalid' }, { code: 'EDNS' }],
  'a port at which nobody listens': [
    { url: 'http://127.0.0.1:65535' }, { code: 'ESOCKET', originalCode: 'ECONNREFUSED' },
  ],
};
for (const [name, [given, error]] of Object.entries(settings)) {
  test(`verify and sendMail refuse ${name}`, async () => {
    const mailer = transporter(given);
    await assert.rejects(mailer.verify(), error);
    await assert.rejects(mailer.sendMail(hello), error);
    const [refused, verified] = await byCallback(mailer);
    assert.throws(() => { throw refused; }, error);
    assert.equal(verified, undefined);
  });
}

test('a time-out has the code of Nodemailer alone', async t => {
  const silent = createServer(() => {});
  t.after(() => {
    silent.close();
    silent.closeAllConnections();
  });
  await once(silent.listen(0, '127.0.0.1'), 'listening');
  const mailer = transporter({ url: `http://127.0.0.1:${silent.address().port}`, timeout: 100 });
  const error = { code: 'ETIMEDOUT', originalCode: undefined, status: undefined, message: /gave no answer/ };
  await assert.rejects(mailer.verify(), error);
  await assert.rejects(mailer.sendMail(hello), error);
});

const mails = {
  'a file of no bytes': { attachments: [{ filename: 'a.txt', content: '' }] },
  'a file of null': { attachments: [{ filename: 'a.txt', content: null }] },
  'a file of a number': { attachments: [{ filename: 'a.txt', content: 7 }] },
  'a file without content': { attachments: [{ filename: 'a.txt' }] },
  'a file on the disk of no bytes': { attachments: [{ filename: 'a.txt', path: '/dev/null' }] },
  'a file that is raw': { attachments: [{ raw: 'Content-Type: text/plain\r\n\r\nHello' }] },
  'an alternative that is raw': { alternatives: [{ raw: 'Content-Type: text/plain\r\n\r\nHello' }] },
  'an invitation of no bytes': { icalEvent: { method: 'REQUEST', content: '' } },
  'an invitation of null': { icalEvent: { method: 'REQUEST', content: null } },
  'a raw message': { raw: 'From: sender@example.com\r\nTo: ada@example.org\r\n\r\nHello' },
  'HTML without content': { html: { content: '' } },
  'a text of null in an object': { text: { content: null } },
  'an Idempotency-Key beyond ASCII': { headers: { 'Idempotency-Key': 'é' } },
};
for (const [name, given] of Object.entries(mails)) {
  test(`${name} is refused by the driver`, async () => {
    const error = { name: 'FrontdeskError', code: 'EMESSAGE', message: /^frontdesk /, status: undefined };
    await assert.rejects(transporter().sendMail({ ...hello, ...given }), error);
  });
}

const empty = {
  'a text of null': { html: '<p>Hello</p>', text: null },
  'HTML of no bytes': { html: '' },
  'a subject of null': { subject: null },
  'lists that are null': { cc: null, attachments: null, alternatives: null, icalEvent: null, tags: null },
};
for (const [name, given] of Object.entries(empty)) {
  test(`${name} is nothing, and the mail is sent`, async () => {
    assert.match((await transporter().sendMail({ ...hello, ...given })).messageId, /^<.+@.+>$/);
  });
}
