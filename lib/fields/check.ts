import * as z from 'zod/mini';
import { ApiError, type ErrorDetail } from '../errors/errors.ts';
import { perhaps } from '../errors/nearest.ts';
import { hasFourDigitYear } from '../schema/fields.ts';
import type { Table } from '../table/table.ts';
import { type Field, type FieldType, fieldsKind, type StoredFields } from './definition.ts';
import {
  type FieldValue,
  type FieldValues,
  type FieldValuesPatch,
  filterText,
  mostFieldBytes,
  mostTextCharacters,
  mostUrlCharacters,
} from './values.ts';

/** A lead's custom fields, and those of them by which leads are filtered. */
export interface CustomFields {
  fields: FieldValues;
  filterable: readonly string[];
}

/** The item that has all definitions. */
type Definitions = Pick<StoredFields, 'fields'>;

export const noFields: CustomFields = { fields: {}, filterable: [] };

/** Whether the definitions of custom fields have to be read, to check the fields of this request. */
export const needsFieldDefinitions = (
  patch: FieldValuesPatch | null | undefined,
): patch is FieldValuesPatch =>
  patch !== undefined && patch !== null && Object.keys(patch).length > 0;

/**
 * A lead's custom fields after what is given: `null` clears a field, and what is not named stays; all are cleared
 * where `patch` is `null`. What the lead has already may be sent again, even of a field that was archived or an
 * option that was removed since. `item` has the definitions, and is read where `needsFieldDefinitions`. Throws
 * `invalid_request`, naming `fields.<key>`.
 */
export const updateCustomFields = (
  before: CustomFields,
  patch: FieldValuesPatch | null | undefined,
  item: Definitions | undefined,
): CustomFields => {
  if (patch === null) return noFields;
  if (!needsFieldDefinitions(patch)) return before;
  const definitions = new Map((item?.fields ?? []).map((one) => [one.key, one]));
  const fields = new Map(Object.entries(before.fields));
  const problems: ErrorDetail[] = [];
  for (const [key, sent] of Object.entries(patch)) {
    const definition = definitions.get(key);
    if (!definition) {
      problems.push({ path: `fields.${key}`, message: noField(key, definitions) });
    } else if (isEmpty(sent)) {
      fields.delete(key);
    } else {
      const result = toValue(definition, sent, before.fields[key]);
      if ('problem' in result) problems.push({ path: `fields.${key}`, message: result.problem });
      else fields.set(key, result.value);
    }
  }
  if (problems.length > 0) throw new ApiError('invalid_request', { details: problems });
  const after = sortFields(fields);
  return { fields: after, filterable: updateFilterable(before, after, item) };
};

/** The lead may have been given a field that is newer than the definitions: what was filterable stays so. */
const updateFilterable = (
  before: CustomFields,
  after: FieldValues,
  item: Definitions | undefined,
): string[] => {
  const still = before.filterable.filter((key) => Object.hasOwn(after, key));
  return [...new Set([...still, ...filterableOf(after, item)])].sort();
};

/** The fields of a lead by which leads can be filtered. */
export const filterableOf = (fields: FieldValues, item: Definitions | undefined): string[] =>
  (item?.fields ?? [])
    .filter(({ key, filterable }) => filterable && Object.hasOwn(fields, key))
    .map(({ key }) => key)
    .sort();

const isEmpty = (sent: FieldValue | null): sent is null =>
  sent === null || (Array.isArray(sent) && sent.length === 0);

/** Custom fields in the order of their keys. Throws `invalid_request` where they are too long together. */
export const sortFields = (fields: Iterable<[string, FieldValue]>): FieldValues => {
  const sorted = Object.fromEntries([...fields].sort(([a], [b]) => (a < b ? -1 : 1)));
  if (Buffer.byteLength(JSON.stringify(sorted)) <= mostFieldBytes) return sorted;
  const message = `must have at most ${mostFieldBytes} bytes of JSON together`;
  throw new ApiError('invalid_request', { details: [{ path: 'fields', message }] });
};

type CheckedValue = { value: FieldValue } | { problem: string };

const toValue = (field: Field, sent: FieldValue, before: FieldValue | undefined): CheckedValue => {
  const isBefore = (value: FieldValue) => JSON.stringify(value) === JSON.stringify(before);
  if (before !== undefined && isBefore(sent)) return { value: before };
  // Options of before may have been removed since, and others go beside them.
  const optionsBefore = Array.isArray(before) ? before : [];
  const result = checkByType[field.type](sent, [...field.options, ...optionsBefore]);
  // A time may be sent again as it was sent before: it is stored in UTC.
  const stays = 'value' in result && isBefore(result.value);
  return field.archived && !stays ? { problem: 'is archived, and takes no new value' } : result;
};

const resultOf = (holds: boolean, value: FieldValue, problem: string): CheckedValue =>
  holds ? { value } : { problem };

const isText = (value: FieldValue): value is string => typeof value === 'string';

/** DynamoDB keeps 38 digits and the sign of no zero: so far, both keep a number as it is. */
const isStorable = (value: number): boolean =>
  Math.abs(value) <= 1e15 && Number(value.toFixed(6)) === value;

/** The values that each type takes, and how they are stored. */
const checkByType: Record<
  FieldType,
  (value: FieldValue, options: readonly string[]) => CheckedValue
> = {
  text: (value) =>
    resultOf(
      isText(value) && [...value].length <= mostTextCharacters,
      value,
      `must be a text of at most ${mostTextCharacters} characters`,
    ),
  number: (value) =>
    typeof value === 'number' && isStorable(value)
      ? { value: value + 0 }
      : { problem: 'must be a number from -10^15 to 10^15 with at most 6 decimals' },
  boolean: (value) => resultOf(typeof value === 'boolean', value, 'must be true or false'),
  date: (value) =>
    resultOf(z.safeParse(z.iso.date(), value).success, value, 'must be a date, as 2026-11-21'),
  datetime: (value) => {
    const isTime = z.safeParse(z.iso.datetime({ offset: true }), value).success;
    const inUtc = isTime ? new Date(value as string).toISOString() : '';
    const message = 'must be a date and time with Z or an offset, as 2026-11-21T09:00:00Z';
    return resultOf(hasFourDigitYear(inUtc), inUtc, message);
  },
  select: (value, options) =>
    resultOf(isText(value) && options.includes(value), value, 'must be one of the field’s options'),
  multi_select: (value, options) =>
    resultOf(
      Array.isArray(value) &&
        value.every((each) => options.includes(each)) &&
        new Set(value).size === value.length,
      value,
      'must be a list of the field’s options, without doubles',
    ),
  url: (value) =>
    resultOf(
      isText(value) && [...value].length <= mostUrlCharacters && isWebAddress(value),
      value,
      `must be an http or https address of at most ${mostUrlCharacters} characters`,
    ),
};

const isWebAddress = (value: string): boolean =>
  /^https?:\/\/[^\s\\]+$/i.test(value) && URL.canParse(value);

/**
 * Throws `invalid_request` where leads can't be filtered by these values of custom fields, as they are in a query.
 * Reads nothing where there are none.
 */
export const assertFilters = async (
  table: Table<'GetItem'>,
  organizationId: string,
  filters: Readonly<Record<string, string>> = {},
): Promise<void> => {
  if (Object.keys(filters).length === 0) return;
  const [item] = await table.getAll([fieldsKind.key({ organizationId })]);
  const definitions = new Map((item?.fields ?? []).map((field) => [field.key, field]));
  const problems = Object.entries(filters).flatMap(([key, value]) => {
    const field = definitions.get(key);
    const problem = field ? filterProblem(field, value) : noField(key, definitions);
    return problem === undefined ? [] : [{ path: `fields.${key}`, message: problem }];
  });
  if (problems.length > 0) throw new ApiError('invalid_request', { details: problems });
};

const noField = (key: string, definitions: ReadonlyMap<string, Field>): string =>
  `is not a field of this organization${perhaps(key, [...definitions.keys()])}`;

const filterProblem = (field: Field, value: string): string | undefined => {
  if (!field.filterable) return 'is not filterable';
  // Leads may have what was an option once.
  if (field.type === 'select') return undefined;
  if (field.type === 'boolean') {
    return value === 'true' || value === 'false' ? undefined : 'must be true or false';
  }
  if (field.type !== 'number') {
    const result = checkByType[field.type](value, field.options);
    return 'problem' in result ? result.problem : undefined;
  }
  const asNumber = Number(value);
  return isStorable(asNumber) && filterText(asNumber + 0) === value
    ? undefined
    : 'must be a number in its shortest form, as 12.5';
};

/** The values by which a text can filter leads: the text itself, and the number or boolean that is written so. */
export const parseFilterText = (value: string): FieldValue[] => [
  value,
  ...(value === 'true' || value === 'false' ? [value === 'true'] : []),
  // A text that no number field can have is left out: DynamoDB does not take every number.
  ...(String(Number(value)) === value && isStorable(Number(value)) ? [Number(value)] : []),
];
