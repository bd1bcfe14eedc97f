import { once } from 'node:events';
import { appendFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { bytesOf } from '../machine/bytes.ts';
import { withOriginCheck } from '../machine/origin-check.ts';
import type { LocalFunction } from '../template/functions.ts';
import { passOnTo } from './engine-client.ts';
import { type Access, accessesOf, allows, prefixesOf } from './least-privilege.ts';

/**
 * Stands between the functions and the engine, and allows each function what its role in the
 * template allows: AWS checks this, the engine does not. A function is known by its access key.
 */
export const startTableProxy = async (
  endpoint: string,
  functions: readonly LocalFunction[],
  partitionKey: string,
  usageFile?: string,
): Promise<{ endpoint: string; close: () => Promise<void> }> => {
  const roles = new Map(functions.map((fn) => [accessKeyOf(fn), fn]));
  const usage = new Usage(usageFile);
  const passOn = passOnTo(endpoint);

  const handle = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    if (request.method !== 'POST') return void response.writeHead(404).end();
    const { headers } = request;
    const body = await bytesOf(request);
    const operation = String(headers['x-amz-target']).split('.')[1] ?? '';
    const fn = roles.get(callerIn(headers));
    for (const access of accessesOf(operation, JSON.parse(body.toString()), partitionKey)) {
      if (!fn || !allows(fn.statements, access)) return deny(response, fn, access);
      const prefixes = prefixesOf(fn.statements, access);
      usage.note(fn.name, access.action, access.resource, ...prefixes);
    }
    const answer = await passOn(headers, body).catch(() => undefined);
    // Lost on the way there is lost for the function, and not an answer of DynamoDB's.
    if (!answer) return void request.socket.destroy();
    response.writeHead(answer.status, answerHeaders(answer.headers, answer.body)).end(answer.body);
  };
  // Plain Node: each of a function's requests passes here.
  const server = createServer(
    withOriginCheck((request, response) => {
      handle(request, response).catch(() => response.writeHead(500).end());
    }),
  );
  // A function's client keeps its connections for as long as it likes.
  server.keepAliveTimeout = 0;
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    endpoint: `http://127.0.0.1:${port}`,
    close: async () => {
      server.close();
      server.closeAllConnections();
    },
  };
};

const contentType = 'application/x-amz-json-1.0';

const deny = (
  response: ServerResponse,
  fn: LocalFunction | undefined,
  { action, resource }: Access,
): void => {
  const Message = `${fn?.name ?? 'Nobody'} is not authorized to perform: ${action} on resource: ${resource}`;
  const __type = 'com.amazon.coral.service#AccessDeniedException';
  response.writeHead(400, { 'content-type': contentType }).end(JSON.stringify({ __type, Message }));
};

/** The headers that a client looks at: the id of the request, and the checksum of the body. */
const passed = ['x-amzn-requestid', 'x-amz-crc32'];

const answerHeaders = (headers: IncomingMessage['headers'], { length }: Buffer) => {
  const answered: Record<string, string | number> = {
    'content-type': contentType,
    'content-length': length,
  };
  for (const name of passed) if (headers[name]) answered[name] = String(headers[name]);
  return answered;
};

/** The access key that a request is signed with. */
export const callerIn = ({ authorization = '' }: { authorization?: string | undefined }): string =>
  /Credential=([^/]+)\//.exec(authorization)?.[1] ?? '';

/** The access key by which the proxy knows a function. */
export const accessKeyOf = ({ logicalId }: LocalFunction): string => `LOCAL${logicalId}`;

/** Appends each permission to a file when it is first used: a line with tabs. */
export class Usage {
  readonly #file: string | undefined;
  readonly #seen = new Set<string>();

  constructor(file: string | undefined) {
    this.#file = file;
  }

  note(...used: string[]): void {
    if (!this.#file) return;
    const line = used.join('\t');
    if (this.#seen.has(line)) return;
    this.#seen.add(line);
    appendFileSync(this.#file, `${line}\n`);
  }
}
