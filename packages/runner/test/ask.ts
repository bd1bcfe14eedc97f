import { once } from 'node:events';
import { request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';

/** The status of what is answered to these headers. `ca` is what to trust over HTTPS. */
export const ask = async (
  address: string,
  method: string,
  headers: Record<string, string>,
  ca?: string,
): Promise<number> => {
  const options = { method, headers, agent: false };
  const sent = address.startsWith('https:')
    ? requestHttps(address, { ...options, servername: 'localhost', ...(ca && { ca }) })
    : requestHttp(address, options);
  sent.end();
  const [response] = await once(sent, 'response');
  response.resume();
  return response.statusCode;
};

/** What pages of elsewhere send: a name that was made to lead to this machine, or another origin. */
export const foreignHeaders: Record<string, string>[] = [
  { host: 'rebound.example' },
  { host: 'localhost.rebound.example:80' },
  { origin: 'https://elsewhere.example' },
  { origin: 'http://localhost:1' },
  { origin: 'null' },
];
