import { Agent, type IncomingHttpHeaders, request } from 'node:http';
import { credentials, region } from '../account.ts';
import { bytesOf } from '../machine/bytes.ts';

const accessKey = /Credential=[^/]+/;
/** No engine checks a signature, but DynamoDB Local has data of its own for each access key. */
const credential = `Credential=${credentials.accessKeyId}`;

/** An engine's answer, as it was sent. */
export interface EngineResponse {
  status: number;
  headers: IncomingHttpHeaders;
  body: Buffer;
}

type Post = (headers: Record<string, string>, body: Buffer | string) => Promise<EngineResponse>;

const agent = new Agent({ keepAlive: true });

/** Posts by Node's own client: each request of a function passes here, and `fetch` takes several times as long for it. */
const poster = (endpoint: string): Post => {
  const { hostname, port } = new URL(endpoint);
  const options = { agent, hostname: hostname.replace(/^\[|\]$/g, ''), port, method: 'POST' };
  return (headers, body) =>
    new Promise((resolve, reject) => {
      const length = { 'content-length': String(Buffer.byteLength(body)) };
      request({ ...options, headers: { ...headers, ...length } }, (response) => {
        const { statusCode = 0, headers } = response;
        bytesOf(response).then((body) => resolve({ status: statusCode, headers, body }), reject);
      })
        .on('error', reject)
        .end(body);
    });
};

/** Passes requests of others' clients on to an engine, as its own client would send them. */
export const passOnTo = (
  endpoint: string,
): ((headers: IncomingHttpHeaders, body: Buffer | string) => Promise<EngineResponse>) => {
  const post = poster(endpoint);
  return (headers, body) => {
    const sender = headers['x-amz-security-token'];
    return post(
      {
        'content-type': 'application/x-amz-json-1.0',
        'x-amz-target': String(headers['x-amz-target']),
        'x-amz-date': String(headers['x-amz-date']),
        authorization: String(headers.authorization).replace(accessKey, credential),
        // Tells a proxy before the engine who sends this: engines ignore it.
        ...(sender && { 'x-amz-security-token': String(sender) }),
      },
      body,
    );
  };
};

/** Calls an engine’s operation, and throws what it refuses under the name that AWS gives it. */
// biome-ignore lint/suspicious/noExplicitAny: answers of every shape.
export type CallEngine = (operation: string, input: object) => Promise<any>;

/** An engine's operations of one API, such as `DynamoDBStreams_20120810`: its JSON as it is, unsigned. */
export const engineCaller = (endpoint: string, api: string): CallEngine => {
  const post = poster(endpoint);
  const scope = `20120810/${region}/dynamodb/aws4_request`;
  return async (operation, input) => {
    const headers = {
      'content-type': 'application/x-amz-json-1.0',
      'x-amz-target': `${api}.${operation}`,
      'x-amz-date': new Date().toISOString().replace(/[-:]|\.\d+/g, ''),
      authorization: `AWS4-HMAC-SHA256 ${credential}/${scope}, SignedHeaders=host, Signature=0`,
    };
    const { status, body } = await post(headers, JSON.stringify(input));
    const answer = JSON.parse(body.toString() || '{}');
    if (status === 200) return answer;
    const error = new Error(answer.message ?? answer.Message ?? `status ${status}`);
    error.name = String(answer.__type).replace(/^.*#/, '');
    throw error;
  };
};
