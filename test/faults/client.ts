import { randomUUID } from 'node:crypto';
import { functionOf } from '@leads-and-stars/runner';
import * as z from 'zod/mini';
import type { ExampleRequest } from '../../functions/example.ts';
import { isServed, loadOperations } from '../../infra/operations.ts';
import { type ErrorCode, errorKinds } from '../../lib/errors/errors.ts';
import { type Definition, hasRoute } from '../../lib/operations/definition.ts';
import { isPlatformPermission } from '../../lib/operations/permissions.ts';
import { errorsOf, successesOf } from '../../lib/operations/route.ts';
import { localPlatformKey } from '../../tools/demo/platform-key.ts';
import { eventFor, pathOf } from '../../tools/examples/request.ts';
import type { Service } from '../../tools/service/service.ts';

const files = await loadOperations();
const operations = files.map(({ operation }) => operation);
const routed = files.filter(isServed).map(({ operation }) => operation);

/** Whether an operation takes an `Idempotency-Key`. */
export const takesKey = (id: string): boolean =>
  routed.some((operation) => operation.id === id && operation.idempotent);

/** Whether HTTP says that an operation may be repeated without a key, and is no read. */
export const isRepeatable = (id: string): boolean =>
  routed.some((operation) => operation.id === id && ['PUT', 'DELETE'].includes(operation.method));

/** A call of an operation, which can be sent again just so. */
export interface Request {
  id: string;
  /** With its query; none for a function without a route. */
  path?: string;
  headers?: Record<string, string>;
  body?: unknown;
}

/** An example of an operation as a call of it. */
export const requestOf = (operation: Definition, request: ExampleRequest): Request =>
  hasRoute(operation)
    ? {
        id: operation.id,
        path: pathOf(operation, request),
        headers: request.headers ?? {},
        body: request.body,
      }
    : { id: operation.id, body: eventFor(operation, request) };

export interface Answer {
  status: number;
  /** Of an error. */
  code?: string;
  // biome-ignore lint/suspicious/noExplicitAny: bodies of every shape.
  body: any;
}

/** What says no more than: try again. */
const passing = ['write_conflict', 'unavailable', 'timeout', 'internal'];
/** What becomes of a function that was killed or took too long. */
const ended = ['Runtime.ExitError', 'Sandbox.Timedout'];

export const isFinal = ({ code, body }: Partial<Answer>): boolean =>
  code
    ? ![...passing, ...ended].includes(code)
    : !body?.items?.some((item: Partial<Answer> & { error?: { code: string } }) =>
        passing.includes(item.error?.code ?? ''),
      );

interface Insistence {
  /** After each answer that is not final. */
  between?: () => void;
  /** Tries, before it gives up. */
  most?: number;
  key?: string | null;
}

/** A client of one organization that repeats what was not finally answered. */
export class Client {
  readonly #service: Service;
  readonly #headers: Record<string, string>;
  #platformKey: Promise<string> | undefined;

  /** An API key needs no organization. */
  constructor(service: Service, organizationId: string | undefined, token: string) {
    this.#service = service;
    this.#headers = {
      authorization: `Bearer ${token}`,
      ...(organizationId && { 'x-organization-id': organizationId }),
    };
  }

  /** Made for this client, and sent with what only the company's own backend may do. */
  platformKey(): Promise<string> {
    const { tableEndpoint, assembly } = this.#service;
    this.#platformKey ??= localPlatformKey(tableEndpoint, assembly.table.TableName);
    return this.#platformKey;
  }

  /** Sends it once, without a key where that is null. Throws where the answer is not one that the operation may give. */
  async send(request: Request, key: string | null = randomUUID()): Promise<Answer> {
    if (request.path === undefined) return this.#invoke(request);
    const operation = routed.find(({ id }) => id === request.id)!;
    const response = await fetch(`${this.#service.baseUrl}${request.path}`, {
      method: operation.method,
      headers: {
        ...this.#headers,
        ...(isPlatformPermission(operation.permission) && {
          authorization: `Bearer ${await this.platformKey()}`,
        }),
        ...(operation.idempotent && key !== null && { 'idempotency-key': key }),
        ...(request.body !== undefined && { 'content-type': 'application/json' }),
        ...request.headers,
      },
      ...(request.body !== undefined && { body: JSON.stringify(request.body) }),
    });
    const text = await response.text();
    const { status } = response;
    const body = text === '' ? undefined : JSON.parse(text);
    if (status < 300) {
      if (!successesOf(operation).includes(status))
        throw new Error(`${request.id}: ${status} ${text}`);
      z.parse(operation.response.body, body);
      // An agent gets its errors as results.
      const { isError, structuredContent } = body?.result ?? {};
      return { status, body, ...(isError && { code: structuredContent.error.code }) };
    }
    const code: ErrorCode = body?.error?.code;
    const declared = errorsOf(operation).includes(code) && errorKinds[code].status === status;
    const mayRetry = (status === 503) === response.headers.has('retry-after');
    if (declared && body.error.request_id && mayRetry) return { status, code, body };
    throw new Error(`no envelope of ${request.id}: ${status} ${text}`);
  }

  /** Sends it until there is a final answer, and gives all of them. */
  async insist(
    request: Request,
    { between, most = 10, key = randomUUID() }: Insistence = {},
  ): Promise<Answer[]> {
    const answers: Answer[] = [];
    while (answers.length < most) {
      const answer = await this.send(request, key);
      answers.push(answer);
      if (isFinal(answer)) return answers;
      between?.();
    }
    throw new Error(`no final answer to ${request.id}: ${JSON.stringify(answers)}`);
  }

  /** What has to come first for an example. */
  async call(operationId: string, request: ExampleRequest): Promise<Answer['body']> {
    const operation = operations.find(({ id }) => id === operationId)!;
    const answer = (await this.insist(requestOf(operation, request))).at(-1)!;
    if (answer.code) throw new Error(`${operationId} is refused: ${JSON.stringify(answer)}`);
    return answer.body;
  }

  async #invoke({ id, body }: Request): Promise<Answer> {
    const fn = functionOf(this.#service.assembly.functions, id)!;
    const outcome = await this.#service.lambda.invoke(fn, body);
    if (outcome.kind === 'result') {
      const answer = JSON.parse(outcome.payload ?? 'null');
      // The queue delivers again what failed, here all of it.
      const failed = answer?.batchItemFailures?.length > 0;
      return { status: 200, body: answer, ...(failed && { code: 'unavailable' }) };
    }
    const { errorType: code, errorMessage } = outcome;
    const known = code in errorKinds || ended.includes(code);
    if (!known) throw new Error(`no error of ${id}: ${code} ${errorMessage}`);
    return { status: errorKinds[code as ErrorCode]?.status ?? 500, code, body: errorMessage };
  }
}
