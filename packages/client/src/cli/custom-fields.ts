import type { FieldValue } from '../types.ts';
import type { Connection } from './connection.ts';

/** The types of an organization's custom fields, by their keys. */
export type FieldTypes = ReadonlyMap<string, string>;

export const readFieldTypes = (connection: Connection): Promise<FieldTypes> =>
  connection.send(async (client) => {
    const { data } = await client.get('/fields');
    return new Map(data.items.map(({ key, type }) => [key, type]));
  });

const column = /^fields\.(.+)$/;

/** The custom field that a column is; undefined for another column. */
export const keyOf = (name: string): string | undefined => column.exec(name)?.[1];

export const columnOf = (key: string): string => `fields.${key}`;

/** What a cell says; what is not of the field's type stays as it is, so that the service says so. */
export const fromCell = (type: string, cell: string): FieldValue => {
  const trimmed = cell.trim();
  if (type === 'number' && isDecimal(trimmed)) return Number(trimmed);
  if (type === 'boolean' && /^(true|false)$/i.test(trimmed))
    return trimmed.toLowerCase() === 'true';
  return cell;
};

const isDecimal = (text: string): boolean =>
  /^[+-]?\d{1,40}(\.\d{1,40})?(e[+-]?\d{1,3})?$/i.test(text) && Number.isFinite(Number(text));
