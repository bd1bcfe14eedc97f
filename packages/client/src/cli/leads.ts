import { CliError } from './cli-error.ts';
import type { Mapping, Plan } from './columns.ts';
import { type CustomFieldsByKey, columnOf } from './custom-fields.ts';
import { type LeftOut, type Made, setByService, withPipeline } from './fields.ts';
import { type Reading, RowReader } from './row-reader.ts';
import type { Row } from './rows.ts';
import { quoted } from './terminal-text.ts';
import { cutOf } from './values/dates.ts';
import { LongNumbers } from './values/long-numbers.ts';

/** Gives the lead of a row, or what is wrong with the row. */
export type ToLead = (row: Row) => Made;

/** Gives the lead of each line of NDJSON, as the API takes it. What the service will cut is told. */
export const leadsOfJson =
  (map: Mapping, pipelineId: string | undefined, custom: CustomFieldsByKey = new Map()): ToLead =>
  ({ content }) => {
    if (!('value' in content)) return { problem: 'problem' in content ? content.problem : '' };
    const { value, problems } = content;
    if (typeof value !== 'object' || value === null || Array.isArray(value)) {
      return { problem: 'is not an object' };
    }
    const lead = new Map<string, unknown>();
    for (const [name, one] of Object.entries(value)) {
      const field = map.get(name) ?? name;
      if (field === '' || setByService.includes(field)) continue;
      const problem = problems.get(name);
      if (problem !== undefined) return { problem };
      if (lead.has(field)) return { problem: `has the field ${field} twice` };
      lead.set(field, one);
    }
    const cut = cutIn(lead, custom);
    return {
      lead: withPipeline(Object.fromEntries(lead), pipelineId),
      ...(cut.length > 0 && { cut }),
    };
  };

const cutIn = (lead: ReadonlyMap<string, unknown>, custom: CustomFieldsByKey): LeftOut[] => {
  const ofFields = Object.entries(lead.get('fields') ?? {})
    .filter(([key]) => custom.get(key)?.type === 'datetime')
    .map(([key, value]) => [columnOf(key), value] as const);
  return [['next_step_at', lead.get('next_step_at')] as const, ...ofFields].flatMap(
    ([field, value]) => {
      const told = cutOf(value);
      return told === undefined ? [] : [{ field, message: `“${value}” ${told}` }];
    },
  );
};

/** Gives the lead of each row of CSV. What can’t be read is left out, and told. */
export const leadsOfCells =
  (plan: Plan, reading: Reading, custom: CustomFieldsByKey = new Map()): ToLead =>
  ({ line, content }) => {
    if (!('cells' in content)) return { problem: 'problem' in content ? content.problem : '' };
    const row = new RowReader(content.cells, plan, reading, custom);
    try {
      return row.read();
    } catch (error) {
      throw error instanceof CliError ? new CliError(`Line ${line}: ${error.message}`) : error;
    }
  };

/** The long numbers of all rows of CSV. An export has each number as it is, until a spreadsheet saves it. */
export const longNumbersOf = async (
  rows: AsyncIterable<Row>,
  { targets, isUntouched }: Plan,
): Promise<LongNumbers | undefined> => {
  if (isUntouched) return undefined;
  const all = new LongNumbers();
  const columns = targets.flatMap((target) => target.columns);
  for await (const { content } of rows) {
    if (!('cells' in content)) continue;
    for (const i of columns) all.add(i, content.cells[i] ?? '');
  }
  return all;
};

/** For an import without `--match`: throws `CliError` at a row with a stage, which the service would refuse. */
export const withoutStage =
  (toLead: ToLead, stageColumn: string): ToLead =>
  (row) => {
    const made = toLead(row);
    if (!('lead' in made) || !('stage' in made.lead)) return made;
    throw new CliError(
      `Line ${row.line} has a stage, which needs --match: without it, each row is a new lead in the default stage. Say --match, or leave the stage out with --map ${quoted(`${stageColumn}=`)}.`,
    );
  };
