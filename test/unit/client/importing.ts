import { existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { runImport } from '../../../packages/client/src/cli/import-command.ts';
import type { ImportOptions } from '../../../packages/client/src/cli/import-options.ts';
import { makeDirectory, printed, serviceWith } from './support.ts';

// An import from its options to its report, by a service that is made up.

export const [sales, support] = [
  '0b861954-ed91-4e84-8458-6e46c6a6d30c',
  '0b861954-ed91-4e84-8458-6e46c6a6d30d',
];
export const user = '0cb252aa-aeea-5e6d-91d6-71543bd1ece2';
const stages = (...names: string[]) => names.map((name) => ({ name, outcome: 'open' }));
const pipelines = [
  { id: sales, name: 'Sales', unique_contact: ['email'], stages: stages('new', 'won') },
  { id: support, name: 'Support', unique_contact: [], stages: stages('open') },
];
const fields = [
  { key: 'note', type: 'text', label: 'Note' },
  { key: 'old', type: 'text', label: 'Old', archived: true },
  { key: 'size', type: 'number', label: 'Size' },
  { key: 'since', type: 'datetime', label: 'Since' },
];

export type Lead = Record<string, unknown>;
interface Asked {
  dry_run?: boolean;
  match?: string;
  move?: boolean;
  leads: Lead[];
}

/** What becomes of a file with these lines, of which the service answers each lead so, or a whole request. */
export const importing = async (
  lines: readonly string[],
  options: Partial<ImportOptions> = {},
  answer: (lead: Lead) => object = () => ({ status: 201, outcome: 'created' }),
  name = 'leads.csv',
  directory?: Awaited<ReturnType<typeof makeDirectory>>,
) => {
  const batches: Asked[] = [];
  const { where, asked } = serviceWith({
    '/me': { user_id: user, organizations: [] },
    '/organization': { id: 'o', name: 'Test', currency: 'BRL' },
    '/pipelines': { items: pipelines, next_cursor: null },
    '/fields': { items: fields },
    '/leads/batch': async (request) => {
      const body = (await request.json()) as Asked;
      if (Object.keys(body.leads[0] ?? {}).length > 0) batches.push(body);
      const items = body.leads.map(answer);
      return items.find((one) => one instanceof Response) ?? { items };
    },
  });
  const path = directory ?? (await makeDirectory());
  await writeFile(path(name), lines.join('\n'));
  const given = { map: new Map(), values: [], ...where, ...options };
  let error: string | undefined;
  const said = await printed(() =>
    runImport(path(name), given).catch(({ message }: Error) => {
      error = message.replaceAll(`${path('')}/`, '');
    }),
  );
  const report = `${path(name)}.report.csv`;
  const read = async (file: string) => (existsSync(file) ? readFile(file, 'utf8') : undefined);
  return {
    error,
    said: said.replaceAll(`${path('')}/`, ''),
    asked,
    batches,
    report: await read(report),
    rows: await read(`${report}.rows.csv`),
    isOpen: existsSync(`${report}.state`),
  };
};

export const inSales = { pipeline: sales };
