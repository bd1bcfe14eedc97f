import * as z from 'zod/mini';
import { ApiError, invalid } from '../errors/errors.ts';
import { FactKind } from '../facts/fact.ts';
import { changedFields, settingFact } from '../facts/setting.ts';
import type { WriteOrFact } from '../facts/transaction.ts';
import { text } from '../schema/fields.ts';
import { storedForm } from '../schema/stored-form.ts';
import { absent, atVersion } from '../table/condition.ts';
import { places } from '../table/keys.ts';
import { type ItemOf, Kind } from '../table/kind.ts';
import { ConflictError } from '../table/retry.ts';
import { put } from '../table/write.ts';
import { fieldKey, mostFields, mostOptions, option } from './values.ts';

/** The most fields that leads can be filtered by, archived fields included: each is an item of a lead's transaction. */
export const mostFilterable = 10;
/** Options of all fields together: the definitions are one item of the table, which has room for no more. */
const mostOptionsOfAll = 1000;

const types = [
  'text',
  'number',
  'boolean',
  'date',
  'datetime',
  'select',
  'multi_select',
  'url',
] as const;
export type FieldType = (typeof types)[number];
const filterableTypes: readonly FieldType[] = ['text', 'select', 'boolean', 'number', 'date'];
const typesWithOptions: readonly FieldType[] = ['select', 'multi_select'];

const label = () => text(100);
const options = () =>
  z.array(option()).check(
    z.maxLength(mostOptions),
    z.refine((list) => new Set(list).size === list.length, { error: 'must have no doubles' }),
    z.meta({ uniqueItems: true }),
  );

/** A custom field as the API answers it. */
export const field = z
  .strictObject({
    key: fieldKey(),
    label: label(),
    type: z.enum(types),
    options: options().check(
      z.describe('Of `select` and `multi_select`; of others there are none.'),
    ),
    filterable: z.boolean().check(z.describe('Leads can be listed by its value.')),
    archived: z.boolean().check(z.describe('It takes no new values. Leads keep those they have.')),
    created_at: z.iso.datetime(),
    updated_at: z.iso.datetime(),
  })
  .check(z.meta({ id: 'Field' }));
export type Field = z.output<typeof field>;

export const fieldsKind = new Kind(places.fields, {
  hasFacts: true,
  holds: 'the definitions of all custom fields',
  attributes: z.object({ fields: z.array(storedForm(field)), version: z.int() }),
});
export type StoredFields = ItemOf<typeof fieldsKind>;

/** The body of `POST /fields`. */
export const fieldInput = z
  .strictObject({
    key: fieldKey(),
    label: label(),
    type: z.enum(types),
    options: z.optional(options()),
    filterable: z
      .optional(z.boolean())
      .check(
        z.describe('Can’t be changed later. Of `text`, `select`, `boolean`, `number`, `date`.'),
      ),
  })
  .check(
    z.refine(({ type, options = [] }) => hasItsOptions(type, options), {
      path: ['options'],
      error: 'must be there for select and multi_select, and for no other type',
    }),
    z.refine(({ type, filterable = false }) => !filterable || filterableTypes.includes(type), {
      path: ['filterable'],
      error: `can be true only of ${filterableTypes.join(', ')}`,
    }),
    z.meta({ id: 'FieldInput' }),
  );
export type FieldInput = z.output<typeof fieldInput>;

/** The body of `PATCH /fields/{key}`. */
export const fieldPatch = z
  .strictObject({
    label: z.optional(label()),
    options: z
      .optional(options())
      .check(
        z.describe('The whole list. Leads keep an option that is removed until they change it.'),
      ),
    archived: z.optional(z.boolean()),
  })
  .check(
    z.meta({ id: 'FieldPatch', description: 'A JSON merge patch (RFC 7396); none takes `null`.' }),
  );
export type FieldPatch = z.output<typeof fieldPatch>;

const hasItsOptions = (type: FieldType, list: readonly string[]): boolean =>
  typesWithOptions.includes(type) === list.length > 0;

/** A new field beside `fields`. Throws `invalid_request`, and `limit_reached`, which names the limit. */
export const newField = (fields: readonly Field[], input: FieldInput, now: number): Field => {
  if (fields.some(({ key }) => key === input.key))
    throw invalid('key', 'is the key of another field');
  const at = new Date(now).toISOString();
  const made = {
    key: input.key,
    label: input.label,
    type: input.type,
    options: input.options ?? [],
    filterable: input.filterable ?? false,
    archived: false,
    created_at: at,
    updated_at: at,
  };
  assertLimits([...fields, made]);
  return made;
};

/** A field after a patch. Throws as `newField` does. */
export const patchField = (
  fields: readonly Field[],
  before: Field,
  patch: FieldPatch,
  now: number,
): Field => {
  if (patch.options && !hasItsOptions(before.type, patch.options)) {
    throw invalid('options', 'must be there for select and multi_select, and for no other type');
  }
  const after = {
    ...before,
    ...Object.fromEntries(Object.entries(patch).filter(([, value]) => value !== undefined)),
    updated_at: new Date(Math.max(now, Date.parse(before.updated_at))).toISOString(),
  };
  assertLimits(fields.map((one) => (one.key === after.key ? after : one)));
  return after;
};

const assertLimits = (fields: readonly Field[]): void => {
  const limits: [used: number, most: number, path: string, of: string][] = [
    [fields.length, mostFields, 'key', 'fields, archived ones included'],
    [
      fields.filter(({ filterable }) => filterable).length,
      mostFilterable,
      'filterable',
      'filterable fields, archived ones included',
    ],
    [
      fields.reduce((sum, { options }) => sum + options.length, 0),
      mostOptionsOfAll,
      'options',
      'options of all fields together',
    ],
  ];
  for (const [used, most, path, of] of limits) {
    if (used <= most) continue;
    const details = [{ path, message: `an organization has at most ${most} ${of}` }];
    throw new ApiError('limit_reached', { details });
  }
};

export const fieldTypes = ['field.created', 'field.updated'] as const;

export const fieldFactKind = new FactKind(places.fieldFact, {
  holds: 'what happened to the definitions of custom fields',
  thing: places.fields,
  attributes: z.object({
    ...settingFact,
    type: z.enum(fieldTypes),
    field: z.string(),
    archived: z.boolean(),
  }),
});

/**
 * Writes all definitions in place of those that were read; a field of them is new or changed. Refused with
 * `ConflictError` if the definitions were changed meanwhile.
 */
export const putField = (
  organizationId: string,
  found: Pick<StoredFields, 'version' | 'fields'> | undefined,
  after: Field,
): WriteOrFact<'PutItem'>[] => {
  const { fields = [], version: last = 0 } = found ?? {};
  const before = fields.find(({ key }) => key === after.key);
  const all = before ? fields.map((one) => (one === before ? after : one)) : [...fields, after];
  const version = last + 1;
  return [
    put(
      fieldsKind.key({ organizationId }),
      { fields: all, version },
      { condition: found ? atVersion(last) : absent, refused: () => new ConflictError() },
    ),
    fieldFactKind.fact(
      { organizationId },
      {
        type: before ? 'field.updated' : 'field.created',
        version,
        at: after.updated_at,
        field: after.key,
        archived: after.archived,
        changed: changedFields(before, after, toldNames),
      },
    ),
  ];
};

const { key: _, created_at: __, updated_at: ___, ...toldFields } = field.shape;
const toldNames = Object.keys(toldFields) as (keyof typeof toldFields)[];
