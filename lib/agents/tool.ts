import * as z from 'zod/mini';
import type { Sent } from '../admission/input.ts';
import { invalid } from '../errors/errors.ts';
import type { AnyOperation } from '../operations/kinds/operation.ts';
import type { Reply, Schema } from '../operations/request.ts';
import { wholeNumber } from '../schema/pages.ts';

/** What a model gives a tool, by argument. */
export type Arguments = Readonly<Record<string, unknown>>;

/** Runs an operation for the caller of a tool. */
export type RunOperation = (operation: AnyOperation, sent: Sent) => Promise<Reply>;

/** What a tool answers, in forms from the fullest to the shortest: the first goes that has room. */
export type Forms = readonly [object, ...object[]];

export interface Tool {
  name: string;
  title: string;
  /** For models. */
  description: string;
  /** What the tool may run. A caller who may not do the first does not have the tool. */
  operations: readonly [AnyOperation, ...AnyOperation[]];
  /** The schemas of its arguments, as the operations have them. */
  input: Readonly<Record<string, Schema>>;
  /** Arguments that must be there, beside those that no operation can do without. */
  needs?: readonly string[];
  /** What the schema of an argument says in place of the operation's own words. */
  says?: Readonly<Record<string, string>>;
  annotations: {
    readOnlyHint: boolean;
    destructiveHint: boolean;
    idempotentHint: boolean;
    openWorldHint: boolean;
  };
  work(given: Arguments, run: RunOperation, callerId: string): Promise<Forms>;
}

/** Hints for clients. Nothing here reaches beyond the organization. */
export const reads: Tool['annotations'] = {
  readOnlyHint: true,
  destructiveHint: false,
  idempotentHint: true,
  openWorldHint: false,
};
export const adds: Tool['annotations'] = { ...reads, readOnlyHint: false };
export const changes: Tool['annotations'] = { ...adds, destructiveHint: true };

/** The fields of a schema. */
export const shapeOf = (schema: Schema | undefined): Record<string, Schema> =>
  (schema as z.ZodMiniObject | undefined)?.shape ?? {};

/** A number that a tool itself takes, also as its digits. Throws `invalid_request` for any other. */
export const numberOf = (
  name: string,
  given: unknown,
  min: number,
  max = Number.MAX_SAFE_INTEGER,
): number => {
  const number = z.safeParse(wholeNumber(min, max), String(given));
  if (!number.success) throw invalid(name, number.error.issues[0]?.message ?? '');
  return number.data;
};

/** A request of an operation: the arguments by where it takes them. What it does not know, it refuses. */
export const toSent = ({ request }: AnyOperation, given: Arguments): Sent => {
  const path = shapeOf(request.path);
  const inPath = Object.entries(given).filter(([name]) => Object.hasOwn(path, name));
  const others = Object.entries(given).filter(([name]) => !Object.hasOwn(path, name));
  return {
    path: Object.fromEntries(inPath),
    ...(request.body
      ? { body: Object.fromEntries(others) }
      : {
          query: Object.fromEntries(others.flatMap(([name, value]) => toParameters(name, value))),
        }),
  };
};

/** A value as API Gateway gives a parameter: the list of its texts, and an object by what is in brackets. */
const toParameters = (name: string, value: unknown): [string, unknown][] => {
  if (value === null || value === undefined) return [];
  if (typeof value !== 'object') return [[name, [String(value)]]];
  if (Array.isArray(value)) return [[name, value]];
  return Object.entries(value).flatMap(([key, one]) => toParameters(`${name}[${key}]`, one));
};
