import {
  Client,
  type ClientOptions,
  StreamableHTTPClientTransport,
} from '@modelcontextprotocol/client';
import { inject } from 'vitest';

const { baseUrl } = inject('service');

/** The versions as the official client is told to speak them. */
export const spoken = {
  '2026-07-28': { versionNegotiation: { mode: { pin: '2026-07-28' } } },
  '2025-11-25': {},
  '2025-06-18': { supportedProtocolVersions: ['2025-06-18'] },
} satisfies Record<string, ClientOptions>;
export type SpokenVersion = keyof typeof spoken;

/** What a tool gave. */
export interface Given {
  isError: boolean;
  // biome-ignore lint/suspicious/noExplicitAny: answers of every shape.
  content: any;
  /** All that the tool gave, as it was sent. */
  // biome-ignore lint/suspicious/noExplicitAny: as above.
  result: any;
}

export interface Agent {
  client: Client;
  use(name: string, given?: object): Promise<Given>;
}

/** An agent that calls tools by the official client, with an API key or a token. */
export const agentWith = async (
  credential: string,
  version: SpokenVersion = '2026-07-28',
  headers: Record<string, string> = {},
): Promise<Agent> => {
  const client = new Client({ name: 'test', version: '1' }, spoken[version]);
  const sent = { authorization: `Bearer ${credential}`, ...headers };
  const url = new URL(`${baseUrl}/mcp`);
  await client.connect(new StreamableHTTPClientTransport(url, { requestInit: { headers: sent } }));
  return {
    client,
    async use(name, given = {}) {
      const result = await client.callTool({ name, arguments: { ...given } });
      return { isError: result.isError === true, content: result.structuredContent, result };
    },
  };
};

/** Sends a message with nothing of a client around it. */
export const post = (message: unknown, headers: Record<string, string> = {}): Promise<Response> =>
  fetch(`${baseUrl}/mcp`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: typeof message === 'string' ? message : JSON.stringify(message),
  });
