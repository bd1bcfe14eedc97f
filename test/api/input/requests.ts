import { request } from 'node:http';
import { text } from 'node:stream/consumers';
import { expect, inject } from 'vitest';
import { errorKinds } from '../../../lib/errors/errors.ts';
import type { AnyOperation } from '../../../lib/operations/kinds/operation.ts';
import { leadKey, organizationKey } from '../../../lib/table/keys.ts';
import { withNewKey } from '../../support/again.ts';
import { call } from '../../support/api.ts';
import { asAsked } from '../../support/asked.ts';
import type { Organization } from '../../support/organization.ts';
import { sample } from '../../support/samples.ts';
import { itemsOf } from '../../support/table.ts';

// biome-ignore lint/suspicious/noExplicitAny: bodies of every shape.
export type Json = any;

/** An operation's sample, to be sent with something else in place of its body. */
export class Prepared {
  readonly operation: AnyOperation;
  readonly path: string;
  readonly headers: Record<string, string>;
  readonly body: Json;

  private constructor(operation: AnyOperation, event: Awaited<ReturnType<typeof sample>>) {
    this.operation = operation;
    const query = new URLSearchParams((event.queryStringParameters as never) ?? {});
    this.path = query.size > 0 ? `${event.path}?${query}` : event.path;
    this.headers = event.headers as Record<string, string>;
    this.body = event.body ? JSON.parse(event.body) : undefined;
    // One lead by itself, so that what is wrong with it is all there is.
    if (this.body?.leads) this.body.leads.length = 1;
  }

  static async of(operation: AnyOperation, organization: Organization): Promise<Prepared> {
    return new Prepared(operation, await sample(operation.id, organization));
  }

  send(body: string | Uint8Array<ArrayBuffer> = JSON.stringify(this.body), query = '') {
    return call(this.operation.method, `${this.path}${query}`, {
      headers: withNewKey(this.headers),
      ...(this.body && { body }),
    });
  }
}

export type Path = readonly (string | number)[];

/** Every place in a value, from the whole on down, with what is there. */
export const places = (value: Json, path: Path = []): [Path, Json][] => [
  [path, value],
  ...(typeof value === 'object' && value !== null
    ? Object.keys(value).flatMap((key) =>
        places(value[key], [...path, Array.isArray(value) ? Number(key) : key]),
      )
    : []),
];

/** A copy with something else in one place. */
export const replaced = (value: Json, [key, ...rest]: Path, by: unknown): Json => {
  if (key === undefined) return by;
  const copy = Array.isArray(value) ? [...value] : { ...value };
  copy[key] = replaced(copy[key], rest, by);
  return copy;
};

/** As JSON, with `raw` spelled out in one place. */
export const spelled = (value: Json, path: Path, raw: string): string => {
  const mark = crypto.randomUUID();
  return JSON.stringify(replaced(value, path, mark)).replace(`"${mark}"`, () => raw);
};

/** As JSON, with `raw` as first member of each object in turn. */
export const withMember = (value: Json, raw: string): string[] =>
  places(value)
    .filter(([, at]) => typeof at === 'object' && at !== null && !Array.isArray(at))
    .map(([path, at]) => {
      const rest = JSON.stringify(at).slice(1);
      return spelled(value, path, `{${raw}${rest === '}' ? '' : ','}${rest}`);
    });

/** What is stored of everything that a request could make: all but what is recorded under keys. */
export const holdings = async ({ id }: Organization): Promise<unknown[]> => {
  const partitions = [organizationKey(id).pk, leadKey(id, '').pk].map(itemsOf);
  return (await Promise.all(partitions)).flat().map(asAsked);
};

/** Sends headers just as they are spelled, doubles included. */
export const sendHeaders = async (
  method: string,
  path: string,
  headers: readonly (readonly [string, string])[],
  body = '',
) => {
  const url = new URL(`${inject('service').baseUrl}${path}`);
  const lines = [
    ['Host', url.host],
    ['Content-Length', String(Buffer.byteLength(body))],
    ...headers,
  ];
  return new Promise<{ status: number; body: Json }>((resolve, reject) => {
    const outgoing = request(url, { method, headers: lines.flat() }, async (incoming) => {
      const answer = await text(incoming);
      resolve({ status: incoming.statusCode ?? 0, body: answer && JSON.parse(answer) });
    });
    outgoing.on('error', reject).end(body);
  });
};

/** The one error envelope, with one of its codes and that code's status. */
export const expectEnvelope = (status: number, { error }: Json): void => {
  expect(errorKinds[error.code as keyof typeof errorKinds]?.status).toBe(status);
  expect(error.request_id).toMatch(/^[0-9a-f-]{36}$/);
};
