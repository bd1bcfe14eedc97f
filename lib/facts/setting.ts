import * as z from 'zod/mini';
import { numberAttributes } from '../table/keys.ts';
import { storedOrigin } from './origin.ts';

// Facts of settings have ids, roles, statuses and the names of changed fields: no name of a person, no secret, no URL.

/** The fields of a setting's fact, beside its type and the ids of its thing. */
export const settingFact = {
  version: z.int(),
  at: z.iso.datetime(),
  /** The names of the fields that were given, changed or taken away. */
  changed: z.array(z.string()),
  ...storedOrigin,
  ...numberAttributes,
};

const isSame = (a: unknown, b: unknown): boolean =>
  JSON.stringify(a ?? null) === JSON.stringify(b ?? null);

/** The fields that differ, of `names` or of all; for a new thing, the fields that it has. */
export const changedFields = <T extends object>(
  before: T | undefined,
  after: T,
  names = Object.keys({ ...before, ...after }) as Extract<keyof T, string>[],
): string[] => names.filter((name) => !isSame(before?.[name], after[name]));
