// An agent's first lead, by the official client: docs/agents.md
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';

const { BASE_URL, KEY, PIPELINE } = process.env;
// 'auto' speaks 2026-07-28 where the server does; without it, the client speaks the versions of 2025.
const client = new Client(
  { name: 'my-agent', version: '1' },
  { versionNegotiation: { mode: 'auto' } },
);
const requestInit = { headers: { authorization: `Bearer ${KEY}` } };
await client.connect(
  new StreamableHTTPClientTransport(new URL(`${BASE_URL}/mcp`), { requestInit }),
);

const lead = { contact_name: 'Ana Souza', email: 'ana@example.com', pipeline_id: PIPELINE };
const saved = await client.callTool({
  name: 'save_lead',
  arguments: { match: 'email', ...lead },
});
// The same job again spends nothing more.
const spent = await client.callTool({
  name: 'spend_stars',
  arguments: { job: 'enrich-ana', stars: 2 },
});
console.log(saved.structuredContent.outcome, spent.structuredContent.stars);
await client.close();
