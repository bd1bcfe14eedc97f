// What Lambda loads first, of each function: connects to the table, and loads the function's code meanwhile.
// Nothing that fails here fails the function: what is not there at its first event is done then.
import { createRequire } from 'node:module';
import { setImmediate as turn } from 'node:timers/promises';
import { tellBegun } from '../lib/handlers/begun.ts';
import { load } from './code-cache.ts';

const require = createRequire(import.meta.url);
// An import of it would take longer: all of its exports would be made.
const https: typeof import('node:https') = require('node:https');

/** Turns of the event loop after which the connection is under way. Loading lets nothing else happen. */
const turns = 3;

/** Connects to DynamoDB, which answers `GET /` to anyone, and for nothing. */
const connect = (endpoint: string) => {
  const agent = new https.Agent({ keepAlive: true, maxSockets: 50 });
  const request = https.get(endpoint, { agent }, (response) => {
    response.on('error', () => {});
    // Only a connection whose answer was read is used again.
    response.resume();
  });
  request.on('error', () => {});
  return agent;
};

const begin = () => {
  const { TABLE_NAME: table, AWS_REGION: region } = process.env;
  const domain = region?.startsWith('cn-') ? 'amazonaws.com.cn' : 'amazonaws.com';
  const endpoint = process.env.AWS_ENDPOINT_URL_DYNAMODB ?? `https://dynamodb.${region}.${domain}`;
  tellBegun({
    // The engine on this machine has no TLS, and nothing to win by this.
    ...(table && endpoint.startsWith('https:') && { agent: connect(endpoint) }),
  });
};

try {
  begin();
  for (let i = 0; i < turns; i++) await turn();
} catch {
  tellBegun({});
}

export const handler = load(import.meta.dirname, require);
