// What Lambda loads first, of each function: begins what needs the network, and loads the function's code meanwhile.
// Nothing that fails here fails the function: what is not there at its first event is done then.
import { createRequire } from 'node:module';
import { setImmediate as turn } from 'node:timers/promises';
import { type AskedKeys, tellBegun } from '../lib/handlers/begun.ts';

const require = createRequire(import.meta.url);
// An import of it would take longer: all of its exports would be made.
const https: typeof import('node:https') = require('node:https');

/** Milliseconds until the issuer has to answer. Then the first token asks it again. */
const patience = 1500;
/** Turns of the event loop after which both connections are under way. Loading lets nothing else happen. */
const turns = 3;

const askForKeys = (uri: string): AskedKeys => {
  const { promise, resolve, reject } = Promise.withResolvers<Uint8Array>();
  const request = https.get(uri, { timeout: patience }, (response) => {
    const parts: Uint8Array[] = [];
    response.on('data', (part) => parts.push(part));
    response.on('error', reject);
    response.on('end', () => {
      if (response.statusCode === 200 && response.complete) resolve(Buffer.concat(parts));
      else reject(new Error(`the issuer answers ${response.statusCode}`));
    });
  });
  request.on('timeout', () => request.destroy(new Error('the issuer does not answer')));
  request.on('error', reject);
  // Whoever waits for it hears of it.
  promise.catch(() => {});
  return { askedAt: Date.now(), body: promise };
};

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
  const { JWKS_URI: uri, TABLE_NAME: table, AWS_REGION: region } = process.env;
  const domain = region?.startsWith('cn-') ? 'amazonaws.com.cn' : 'amazonaws.com';
  const endpoint = process.env.AWS_ENDPOINT_URL_DYNAMODB ?? `https://dynamodb.${region}.${domain}`;
  tellBegun({
    ...(uri && { keys: askForKeys(uri) }),
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

export const { handler } = require('./function.js');
