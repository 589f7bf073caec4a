import { baseUrl, fail, good, mail } from "./mail";
import { sendMail } from "./generated/hey-api";
import { client } from "./generated/hey-api/client.gen";

client.setConfig({ baseUrl });

async function main() {
  const { data } = await sendMail({ body: mail(good, "hey-api") });
  if (data?.status !== "success") fail(data?.error);
  const id: string = data.id; // which a mail that was not sent does not have
  const empty = await sendMail({ body: { ...mail(good, ""), text: "" } });
  if (empty.data?.status !== "error" || empty.data.code !== "empty_body") fail(empty.data);
  const wrong = await sendMail({ body: mail("wrong", "") });
  if (wrong.response?.status !== 401 || wrong.error?.code !== "unauthorized") fail(wrong);
  console.log(`hey-api ${id}`);
}

main().catch(fail);
