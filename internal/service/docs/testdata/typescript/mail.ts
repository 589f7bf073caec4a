// What each client sends, and what it expects.

export const baseUrl = process.env.BASE_URL!;

export const mail = (key: string, generator: string) => ({
  key,
  recipients: [{ email: "ada@example.org", name: "Ada Lovelace" }],
  subject: `Sent by the client of ${generator}`,
  text: "Hello",
  headers: { "X-Generator": generator },
});

export const good = process.env.MAIL_KEY!;

export function fail(what: unknown): never {
  console.error(what);
  process.exit(1);
}
