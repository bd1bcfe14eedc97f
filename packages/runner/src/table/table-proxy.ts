import { appendFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import fastify, { type FastifyInstance } from 'fastify';
import { guard } from '../machine/guard.ts';
import type { LocalFunction } from '../template/functions.ts';
import { passOnTo } from './engine-client.ts';
import { accessesOf, allows } from './least-privilege.ts';

/**
 * Stands between the functions and the engine, and allows each function what its role in the
 * template allows: AWS checks this, the engine does not. A function is known by its access key.
 */
export const startTableProxy = async (
  endpoint: string,
  functions: readonly LocalFunction[],
  usageFile?: string,
): Promise<{ endpoint: string; close: () => Promise<void> }> => {
  const roles = new Map(functions.map((fn) => [accessKeyOf(fn), fn]));
  const usage = new Usage(usageFile);
  const passOn = passOnTo(endpoint);
  const server: FastifyInstance = fastify({ bodyLimit: 20 * 1024 * 1024 });
  guard(server);
  server.removeAllContentTypeParsers();
  server.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) =>
    done(null, body),
  );

  server.post('/', async (request, reply) => {
    const body = request.body as Buffer;
    const operation = String(request.headers['x-amz-target']).split('.')[1] ?? '';
    const fn = roles.get(callerIn(request.headers));
    reply.header('content-type', 'application/x-amz-json-1.0');
    for (const access of accessesOf(operation, JSON.parse(body.toString()))) {
      if (!fn || !allows(fn.statements, access)) {
        const message = `${fn?.name ?? 'Nobody'} is not authorized to perform: ${access.action} on resource: ${access.resource}`;
        return reply
          .code(400)
          .send({ __type: 'com.amazon.coral.service#AccessDeniedException', Message: message });
      }
      usage.note(fn.name, access.action, access.resource);
    }
    const answer = await passOn(request.headers, body).catch(() => undefined);
    // Lost on the way there is lost for the function, and not an answer of DynamoDB's.
    if (!answer) {
      reply.hijack();
      request.raw.socket.destroy();
      return;
    }
    for (const name of ['x-amzn-requestid', 'x-amz-crc32']) {
      const value = answer.headers.get(name);
      if (value) reply.header(name, value);
    }
    return reply.code(answer.status).send(Buffer.from(await answer.arrayBuffer()));
  });

  await server.listen({ host: '127.0.0.1', port: 0 });
  const { port } = server.server.address() as AddressInfo;
  return { endpoint: `http://127.0.0.1:${port}`, close: () => server.close() };
};

/** The access key that a request is signed with. */
export const callerIn = ({ authorization = '' }: { authorization?: string | undefined }): string =>
  /Credential=([^/]+)\//.exec(authorization)?.[1] ?? '';

/** The access key by which the proxy knows a function. */
export const accessKeyOf = ({ logicalId }: LocalFunction): string => `LOCAL${logicalId}`;

/** Appends each permission to a file when it is first used. */
export class Usage {
  readonly #file: string | undefined;
  readonly #seen = new Set<string>();

  constructor(file: string | undefined) {
    this.#file = file;
  }

  note(...used: string[]): void {
    const line = used.join('\t');
    if (!this.#file || this.#seen.has(line)) return;
    this.#seen.add(line);
    appendFileSync(this.#file, `${line}\n`);
  }
}
