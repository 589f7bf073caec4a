// What a framework's mail can hold, and its outcome. A case has the mail and, if it does not arrive as given, the
// error: a part of its message and, for an answer, the HTTP status, the code and the seconds to wait. Nodemailer's code
// is beside them, and EMESSAGE where it is not.

const base64 = content => Buffer.from(content).toString('base64');
const logo = {
  filename: 'logo.png', type: 'image/png',
  content: 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
};
const shown = '<p><img src="cid:logo.png" alt="Logo"></p>\n';
const pdf = { filename: 'a.pdf', type: 'application/pdf', content: base64(Uint8Array.from(Array(512).keys())) };
const calendar = {
  method: 'REQUEST',
  content: [
    'BEGIN:VCALENDAR', 'VERSION:2.0', 'PRODID:-//example.com//lunch', 'METHOD:REQUEST', 'BEGIN:VEVENT',
    'UID:7@example.com', 'DTSTAMP:20261120T080000Z', 'DTSTART:20261127T120000Z', 'SUMMARY:Lunch',
    'ORGANIZER:mailto:sender@example.com', 'ATTENDEE:mailto:ada@example.org', 'END:VEVENT', 'END:VCALENDAR', '',
  ].join('\r\n'),
};
const mail = fields => ({ from: [{ email: 'sender@example.com' }], to: [{ email: 'ada@example.org' }], ...fields });

const arrives = {
  'a text': mail({ subject: 'Hello', text: 'Hello Ada,\n\nthis is a text.\n' }),
  'text and HTML': mail({ subject: 'Both', text: 'Hello\n', html: '<p>Hello</p>\n' }),
  'HTML alone, which gets a text': mail({ subject: 'HTML', html: '<p>Hello</p>\n', madeText: 'Hello' }),
  'text and HTML in Latin-1': mail({
    subject: 'Grüße', text: 'Grüße\n', html: '<p>Grüße</p>\n', charset: 'iso-8859-1',
    without: { rb: 'Mail 2.7 calls its UTF-8 Latin-1' },
  }),
  'an empty body': mail({ subject: 'Nothing', text: '' }),
  'no subject': mail({ text: 'Hello\n' }),
  'characters beyond ASCII, everywhere': mail({
    from: [{ email: 'sender@example.com', name: 'Zoë Grüße' }],
    to: [
      { email: 'ada@example.org', name: 'Lovelace, Ada "the first"' },
      { email: 'bob@example.org', name: '鮑勃 😀' },
      { email: 'cem@bücher.example', arrives: 'cem@xn--bcher-kva.example' },
    ],
    subject: 'Grüße aus Zürich – 你好 🎉, ein Betreff, der über mehr als eine Zeile geht, und noch etwas weiter',
    text: 'Grüße – 你好 🎉\n', html: '<p>Grüße – 你好 🎉</p>\n',
  }),
  'To, Cc, Bcc, and two addresses for answers': mail({
    to: [{ email: 'ada@example.org' }, { email: 'bob@example.org', name: 'Bob' }],
    cc: [{ email: 'cem@example.org', name: 'Cem' }], bcc: [{ email: 'dee@example.org' }],
    replyTo: [{ email: 'help@example.net', name: 'Help desk' }, { email: 'sales@example.net' }],
    subject: 'Many', text: 'Hello\n',
  }),
  'braces, which stay': mail({
    subject: '{NAME} and {{ name }}', text: '{NAME} {{NAME}} {UNSUBSCRIBE}\n', html: '<p>{NAME} {{NAME}}</p>\n',
  }),
  'dots, "From ", spaces and a line of 2,000 bytes': mail({
    subject: 'Lines', text: `.\n..\nFrom here\n  two spaces  \n\ttab\n${'long '.repeat(400)}\n\n\nend`,
  }),
  'files of any bytes, and with names beyond ASCII': mail({
    subject: 'Files', text: 'See the files.\n', attachments: [
      pdf, { ...pdf, filename: 'Rechnung für Zoë – 2026.pdf' },
      { ...pdf, filename: '四半期の売上報告書と来年度の予算に関する資料.pdf' },
    ],
  }),
  'a file of text with CRLF': mail({
    subject: 'Text', text: 'Hello\n',
    attachments: [{ filename: 'a.txt', type: 'text/plain', content: base64('one\r\ntwo\r\n\r\nthree') }],
  }),
  'a file of text with LF': mail({
    subject: 'Text', text: 'Hello\n',
    attachments: [{ filename: 'a.csv', type: 'text/csv', content: base64('a;b\nü;ö\n') }],
    without: { rb: 'Mail 2.7 makes it CRLF' },
  }),
  'a file without a text': mail({ subject: 'File', attachments: [pdf] }),
  'a mail as a file': mail({
    subject: 'Forwarded', text: 'See the mail.\n', attachments: [{
      filename: 'a.eml', type: 'message/rfc822',
      content: base64('From: a@example.org\nTo: b@example.org\nSubject: Inside\nMIME-Version: 1.0\n\nHello\n'),
    }],
  }),
  'a picture in the HTML': mail({ subject: 'Picture', text: 'Hello\n', html: shown, inline: [logo] }),
  'a picture in the HTML, and files': mail({
    subject: 'Both', text: 'Hello\n', html: shown, inline: [logo],
    attachments: [pdf, { ...logo, filename: 'large.png' }],
  }),
  'an inline file that no HTML shows': mail({
    subject: 'Inline', text: 'Hello\n', attachments: [{ ...logo, inline: true }],
  }),
  'names of files without an extension, or with a dot first': mail({
    subject: 'Names', text: 'See the files.\n', attachments: [
      { filename: 'LICENSE', arrives: 'LICENSE.txt', type: 'text/plain', content: base64('MIT') },
      { filename: '.env', arrives: 'env.txt', type: 'text/plain', content: base64('A=1') },
      { ...pdf, filename: 'COPYING', type: 'application/octet-stream' },
    ],
  }),
  'an invitation': mail({ subject: 'Lunch', text: 'On Friday at noon.\n', calendar }),
  'an invitation as an alternative': mail({
    subject: 'Lunch', text: 'On Friday at noon.\n', html: '<p>On Friday at noon.</p>\n',
    calendar: { ...calendar, alternative: true },
  }),
  'header fields': mail({
    subject: 'Headers', text: 'Hello\n', headers: {
      'In-Reply-To': '<0100019a2b3c4d-6f708192-a3b4@email.amazonses.com>',
      References: Array.from(Array(20), (_, i) => `<${i}-9a2b3c4d-6f708192-a3b4@email.amazonses.com>`).join(' '),
      'List-Unsubscribe': '<https://www.example.com/leave?u=7&list=news>, <mailto:leave@example.com?subject=leave>',
      'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
      'Auto-Submitted': 'auto-generated',
      'X-Ticket': 'Grüße aus Zürich, ein langer Wert, der über mehr als eine Zeile geht – ja!',
      'X-Token': 'a=b; c="d e"',
    },
  }),
  'header fields that Nodemailer has options for': mail({
    subject: 'Headers', text: 'Hello\n', headers: {
      'In-Reply-To': '<a@example.org>', References: '<a@example.org> <b@example.org>',
      'List-Unsubscribe': '<https://www.example.com/leave>, <mailto:leave@example.com>', 'X-Priority': '1 (Highest)',
      'X-MSMail-Priority': 'High', Importance: 'High',
    },
    nodemailer: {
      inReplyTo: 'a@example.org', references: ['a@example.org', 'b@example.org'], priority: 'high',
      list: { unsubscribe: [['https://www.example.com/leave', 'leave@example.com']] }, headers: {},
    },
  }),
  'a Return-Path, and a Sender that is From': mail({
    subject: 'Defaults', text: 'Hello\n', returnPath: 'bounces@example.com', sender: 'Sender@example.com',
    leftOut: ['Return-Path', 'Sender'],
  }),
  'tags': mail({ subject: 'Tags', text: 'Hello\n', tags: { campaign: 'news', 'password-reset': 'true' } }),
  'an Idempotency-Key, sent twice: it arrives once': mail({
    subject: 'Once', text: 'Hello\n', html: shown, inline: [logo], attachments: [pdf],
    headers: { 'Idempotency-Key': 'once-{driver}' }, times: 2,
  }),
  'the same, the picture being a data: URL for Nodemailer': mail({
    subject: 'Once', html: '<img src="cid:image-1.png">', inline: [{ ...logo, filename: 'image-1.png' }], madeText: '',
    headers: { 'Idempotency-Key': 'data-{driver}' }, times: 2,
    nodemailer: { attachDataUrls: true, html: `<img src="data:image/png;base64,${logo.content}">`, attachments: [] },
  }),
};

const hello = mail({ subject: 'Hello', text: 'Hello\n' });
const invalid = { status: 200, code: 'invalid' };

const errors = {
  'another Sender': {
    mail: { ...hello, sender: 'other@example.com' }, error: 'Sender may not be set: use sender', ...invalid,
  },
  'a header field that is refused': {
    mail: { ...hello, headers: { 'Errors-To': 'bounces@example.com' } }, error: 'Errors-To may not be set: bounces go to',
    ...invalid,
  },
  'a header field that is there twice': { mail: { ...hello, headers: { 'X-Two': ['1', '2'] } }, error: 'twice' },
  'Bcc alone': { mail: { ...hello, to: [], bcc: hello.to }, error: 'recipients must name at least one', ...invalid },
  'an empty file': {
    mail: { ...hello, attachments: [{ ...pdf, content: '' }] }, error: 'content', // of Nodemailer the driver's own
  },
  'a sender that the key does not allow': {
    mail: { ...hello, from: [{ email: 'sender@elsewhere.test' }] }, error: 'sender.email', status: 200,
    code: 'sender_not_allowed',
  },
  'two senders': { mail: { ...hello, from: [...hello.from, { email: 'other@example.com' }] }, error: 'From has 2' },
  'an envelope with other recipients': { mail: { ...hello, envelope: 'eve@example.org' }, error: 'other recipients' },
  'an alternative of another type': {
    mail: { ...hello, alternative: '<html amp4email></html>' }, error: 'does not carry',
  },
  'a signed body': { mail: { ...hello, signed: true }, error: 'does not carry' },
};

// Answers that no request gets from the stack. The server of check.mjs gives them, chosen by the path.
const answers = {
  '401': {
    fault: '/401', error: 'HTTP 401: unauthorized', status: 401, code: 'unauthorized', nodemailer: 'EAUTH',
  },
  '413, of API Gateway': { fault: '/413', error: 'HTTP 413: Request Too Long', status: 413 },
  '429': {
    fault: '/429', error: 'HTTP 429: quota_exceeded', status: 429, code: 'quota_exceeded', nodemailer: 'ECONNECTION',
  },
  '503, with Retry-After': {
    fault: '/503', error: 'HTTP 503: unavailable', status: 503, code: 'unavailable', retryAfter: 7,
    nodemailer: 'ECONNECTION',
  },
  '200 with an error': { fault: '/unknown', error: 'unknown_outcome it may', status: 200, code: 'unknown_outcome' },
  'the same, of a mail with an Idempotency-Key': {
    mail: { ...hello, headers: { 'Idempotency-Key': 'unknown' } },
    fault: '/unknown', error: 'unknown_outcome it may', status: 200, code: 'unknown_outcome', nodemailer: 'ECONNECTION',
  },
  '502 that is no JSON': { fault: '/html', error: 'HTTP 502 without JSON', status: 502, nodemailer: 'ECONNECTION' },
  '200 that is JSON of another kind': { fault: '/other', error: 'HTTP 200', status: 200, nodemailer: 'EPROTOCOL' },
  'a redirection, which is not followed': {
    fault: '/redirect', error: 'HTTP 307', status: 307, nodemailer: 'EPROTOCOL',
  },
  'none within the time-out': { fault: '/late', timeout: 1, error: 'gave no answer', nodemailer: 'ETIMEDOUT' },
  'none that is whole': { fault: '/cut', error: 'gave no answer', nodemailer: 'ECONNECTION' },
  'none, as nobody listens': { url: 'http://127.0.0.1:65535', error: 'gave no answer', nodemailer: 'ESOCKET' },
  'none, as the DNS has no such name': {
    url: 'http://frontdesk.invalid', error: 'gave no answer', nodemailer: 'EDNS',
  },
  'none, as the url is none': { url: 'mail.example.com', error: 'mail.example.com', nodemailer: 'ECONFIG' },
  'a connection that is closed': { fault: '/closed', error: 'gave no answer', nodemailer: 'ECONNECTION' },
  'a warning, which is logged once': { mail: { ...hello, times: 2 }, fault: '/warning', warning: 'html has a flaw' },
};

export const cases = [
  ...Object.entries(arrives).map(([name, mail]) => ({ name, mail })),
  ...Object.entries(errors).map(([name, given]) => ({ name, ...given })),
  ...Object.entries(answers).map(([name, given]) => ({ name: `an answer: ${name}`, mail: hello, ...given })),
];
