import createClient from "openapi-fetch";
import { baseUrl, fail, good, mail } from "./mail";
import type { paths } from "./generated/openapi-typescript";

const client = createClient<paths>({ baseUrl });

async function main() {
  const { data } = await client.POST("/sender.php", { body: mail(good, "openapi-typescript") });
  if (data?.status !== "success") fail(data?.error);
  const id: string = data.id; // which a mail that was not sent does not have
  const empty = await client.POST("/sender.php", { body: { ...mail(good, ""), text: "" } });
  if (empty.data?.status !== "error" || empty.data.code !== "empty_body") fail(empty.data);
  const wrong = await client.POST("/sender.php", { body: mail("wrong", "") });
  if (wrong.response.status !== 401 || wrong.error?.code !== "unauthorized") fail(wrong);
  console.log(`openapi-typescript ${id}`);
}

main().catch(fail);
