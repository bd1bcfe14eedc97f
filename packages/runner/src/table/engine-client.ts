import type { IncomingHttpHeaders } from 'node:http';
import { credentials } from '../account.ts';

/**
 * What to sign requests to an engine with. None checks a signature, but DynamoDB Local has data of its own for each
 * access key: then its address has the key in it, as the name of a user.
 */
export const credentialsFor = (endpoint: string): typeof credentials => ({
  ...credentials,
  accessKeyId: new URL(endpoint).username || credentials.accessKeyId,
});

const accessKey = /Credential=[^/]+/;

/** Passes requests of others' clients on to an engine, as its own client would send them. */
export const passOnTo = (
  endpoint: string,
): ((headers: IncomingHttpHeaders, body: Buffer | string) => Promise<Response>) => {
  const { origin } = new URL(endpoint);
  const credential = `Credential=${credentialsFor(endpoint).accessKeyId}`;
  return (headers, body) =>
    fetch(origin, {
      method: 'POST',
      headers: {
        'content-type': 'application/x-amz-json-1.0',
        'x-amz-target': String(headers['x-amz-target']),
        'x-amz-date': String(headers['x-amz-date']),
        authorization: String(headers.authorization).replace(accessKey, credential),
      },
      body,
    });
};
