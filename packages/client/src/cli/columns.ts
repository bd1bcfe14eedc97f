import type { components } from '../schema.ts';
import { CliError } from './cli-error.ts';
import { columnOf, type FieldTypes, fromCell, keyOf } from './custom-fields.ts';
import { textOfCell } from './formulas.ts';
import { problemsIn } from './json-text.ts';
import type { LeadFile, Row } from './rows.ts';

type Field = Exclude<keyof components['schemas']['LeadPatch'], 'fields'>;

/** Every field, by its type: an export loses no field of the API. */
const isField: Record<Field, true> = {
  external_id: true,
  contact_name: true,
  company_name: true,
  email: true,
  phone: true,
  pipeline_id: true,
  stage: true,
  owner_id: true,
  tags: true,
  value_cents: true,
};
/** The fields that a lead can be sent with, in the order of an export. */
export const fields = Object.keys(isField) as Field[];

/** What an export has and the service sets itself. */
const setByService = ['id', 'created_at', 'updated_at'];

/** A lead as it is sent; what is not known stays, so that the service says so. */
export type Lead = Partial<Record<Field | 'fields', unknown>>;

/** A field of a lead, or `fields.<key>`. */
type Column = Field | `fields.${string}`;

/** Gives the lead of a row, or what is wrong with the row. */
export type ToLead = (row: Row) => { lead: Lead } | { problem: string };

/** `--map Column=field`; with nothing after the sign, the column is left out. */
export type Mapping = ReadonlyMap<string, string>;

/** Whether a column of the file is a custom field: then their types have to be known. */
export const hasCustomFields = ({ header }: LeadFile, mapping: Mapping): boolean =>
  header.some((name) => keyOf(nameOf(name, mapping)) !== undefined);

/** Throws `CliError` where a column is not known, or two are the same field. */
export const leadsBy = (
  { format, header }: LeadFile,
  mapping: Mapping,
  pipelineId?: string,
  types: FieldTypes = new Map(),
): ToLead => {
  const complete = (lead: Lead): Lead => ({
    ...(pipelineId !== undefined && { pipeline_id: pipelineId }),
    ...lead,
  });
  if (format.kind === 'ndjson') return (row) => fromJson(row, mapping, complete);
  const columns = columnsOf(header, mapping, types);
  return ({ content }) => {
    if (!('cells' in content)) return { problem: 'problem' in content ? content.problem : '' };
    const lead: Lead = {};
    const custom: Record<string, unknown> = {};
    columns.forEach((field, i) => {
      const cell = textOfCell(content.cells[i] ?? '');
      if (field === undefined || cell === '') return;
      const key = keyOf(field);
      if (key === undefined) lead[field as Field] = cellValue(field as Field, cell);
      else custom[key] = customValue(types.get(key) ?? '', cell);
    });
    return { lead: complete(Object.keys(custom).length > 0 ? { ...lead, fields: custom } : lead) };
  };
};

/** For an import without `--match`: throws `CliError` at a row with a stage, which the service would refuse. */
export const withoutStage =
  (toLead: ToLead, { header }: LeadFile, mapping: Mapping): ToLead =>
  (row) => {
    const made = toLead(row);
    if (!('lead' in made) || !('stage' in made.lead)) return made;
    const column =
      header.find((name) => nameOf(name, mapping) === 'stage') ??
      [...mapping].find(([, field]) => field === 'stage')?.[0] ??
      'stage';
    throw new CliError(
      `Line ${row.line} has a stage, which needs --match: without it, each row is a new lead in the default stage. Say --match, or leave the stage out with --map ${quoted(`${column}=`)}.`,
    );
  };

const fromJson = (
  { content }: Row,
  mapping: Mapping,
  complete: (lead: Lead) => Lead,
): ReturnType<ToLead> => {
  if (!('value' in content)) return { problem: 'problem' in content ? content.problem : '' };
  const { value, problems } = content;
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return { problem: 'is not an object' };
  }
  const lead = new Map<string, unknown>();
  for (const [name, one] of Object.entries(value)) {
    const field = mapping.get(name) ?? name;
    if (field === '' || setByService.includes(field)) continue;
    const problem = problems.get(name);
    if (problem !== undefined) return { problem };
    if (lead.has(field)) return { problem: `has the field ${field} twice` };
    lead.set(field, one);
  }
  return { lead: complete(Object.fromEntries(lead)) };
};

/**
 * The mapping with only columns of the file. A name that is no column means the columns that differ from it only in
 * case, spaces or hyphens. Throws `CliError` where there is none. For NDJSON the mapping stays as it is.
 */
export const mappingOf = ({ format, header }: LeadFile, given: Mapping): Mapping => {
  if (format.kind === 'ndjson') return given;
  const [exact, alike] = [new Map<string, string>(), new Map<string, string>()];
  for (const [name, field] of given) {
    if (header.includes(name)) exact.set(name, field);
    else for (const column of columnsLike(name, header)) alike.set(column, field);
  }
  return new Map([...alike, ...exact]);
};

const columnsLike = (name: string, header: readonly string[]): string[] => {
  const columns = header.filter((column) => plain(column) === plain(name));
  if (columns.length > 0) return columns;
  throw new CliError(`--map names “${name}”, which is no column. Columns: ${header.join(', ')}.`);
};

const nameOf = (column: string, mapping: Mapping): string => mapping.get(column) ?? plain(column);

const plain = (name: string): string =>
  name
    .trim()
    .toLowerCase()
    .replace(/[\s-]+/g, '_');

/** Quoted for a shell: the name of a column comes from the file, and the user may paste it. */
const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;

const columnsOf = (
  header: readonly string[],
  mapping: Mapping,
  types: FieldTypes,
): (Column | undefined)[] => {
  const unknown: string[] = [];
  const columns = header.map((name) => {
    const field = nameOf(name, mapping);
    if (field === '' || setByService.includes(field)) return undefined;
    if (Object.hasOwn(isField, field)) return field as Field;
    if (types.has(keyOf(field) ?? '')) return field as Column;
    unknown.push(
      `The column “${name}” is no field of a lead. Say which one it is with --map ${quoted(`${name}=field`)}, or leave it out with --map ${quoted(`${name}=`)}.`,
    );
    return undefined;
  });
  if (unknown.length > 0) {
    const known = [...fields, ...[...types.keys()].map(columnOf)].join(', ');
    throw new CliError(`${unknown.join('\n')}\nFields: ${known}.`);
  }
  const doubled = columns.find((field, i) => field && columns.indexOf(field) !== i);
  if (doubled) throw new CliError(`Two columns are the field ${doubled}.`);
  return columns;
};

const cellValue = (field: Field, cell: string): unknown => {
  // The service takes no doubles, and knows one Unicode form of each tag.
  if (field === 'tags') return tagsOf(cell.normalize('NFC'));
  if (field === 'value_cents' && /^-?\d{1,16}$/.test(cell.trim())) return Number(cell);
  return cell;
};

const customValue = (type: string, cell: string): unknown =>
  type === 'multi_select' ? tagsOf(cell) : fromCell(type, cell);

/** Between commas or semicolons; as JSON where a tag has one of them. */
const tagsOf = (cell: string): unknown => {
  if (cell.startsWith('["')) {
    try {
      const tags = JSON.parse(cell);
      return problemsIn(cell).size === 0 ? tags : cell;
    } catch {
      // A cell that begins as JSON, and is none, is a tag.
    }
  }
  const tags = cell.split(/[,;]/).map((tag) => tag.trim());
  return [...new Set(tags.filter((tag) => tag !== ''))];
};

/** The cell of tags that `tagsOf` reads as they are. */
export const tagsCell = (tags: readonly string[]): string => {
  const cell = tags.join(';');
  return JSON.stringify(tagsOf(cell)) === JSON.stringify(tags) ? cell : JSON.stringify(tags);
};
