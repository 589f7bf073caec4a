import { fail, good, mail } from "./mail";
import { sendMail } from "./generated/orval";

async function main() {
  const sent = await sendMail(mail(good, "orval"));
  if (sent.status !== 200 || sent.data.status !== "success") fail(sent.data);
  const id: string = sent.data.id; // which a mail that was not sent does not have
  const empty = await sendMail({ ...mail(good, ""), text: "" });
  if (empty.status !== 200 || empty.data.status !== "error" || empty.data.code !== "empty_body") fail(empty.data);
  const wrong = await sendMail(mail("wrong", ""));
  if (wrong.status !== 401 || wrong.data.code !== "unauthorized") fail(wrong);
  console.log(`orval ${id}`);
}

main().catch(fail);
