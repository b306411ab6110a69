// Calls with type arguments behind operators: the operator is of the call, not of its name.
export async function load(client: Client, retry: number) {
  const page = await fetchPage<Page>(client.url);
  const missing = !client.find<Page>("a").children[0].parent;
  const total = retry + client.count<Page>() * await sum<number>(1, await twice<number>(2));
  const wide = (await client.open<Page>()).read<string>().trim();
  return typeof pick<Page>() === "string" || void client.close<Page>();
}
