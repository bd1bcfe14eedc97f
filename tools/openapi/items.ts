import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type * as z from 'zod/mini';
import { Kind } from '../../lib/table/kind.ts';

type ItemKind = Kind<string, string, unknown>;

const root = join(import.meta.dirname, '../..');

/** Every kind of item, with the file that defines it, by their keys. */
export const loadKinds = async (): Promise<{ kind: ItemKind; file: string }[]> => {
  const files = (await readdir(join(root, 'lib'), { recursive: true })).sort();
  const kinds: { kind: ItemKind; file: string }[] = [];
  for (const file of files.filter((one) => one.endsWith('.ts'))) {
    const exported: object = await import(pathToFileURL(join(root, 'lib', file)).href);
    for (const kind of Object.values(exported)) {
      if (kind instanceof Kind) kinds.push({ kind, file: `lib/${file}` });
    }
  }
  const nameOf = ({ kind }: { kind: ItemKind }) => `${kind.partitionTemplate} ${kind.sortTemplate}`;
  return kinds.sort((a, b) => (nameOf(a) < nameOf(b) ? -1 : 1));
};

type AttributeSchema = z.core.$ZodType;

/** The parts of a schema's definition that an example is made of. */
interface SchemaDefinition {
  type: string;
  format?: string;
  shape?: Record<string, AttributeSchema>;
  element?: AttributeSchema;
  innerType?: AttributeSchema;
  in?: AttributeSchema;
  out?: AttributeSchema;
  valueType?: AttributeSchema;
  items?: AttributeSchema[];
  options?: AttributeSchema[];
  entries?: Record<string, string>;
  values?: unknown[];
}

const texts: Record<string, string> = {
  uuid: '01a215c1…',
  guid: '01a215c1…',
  datetime: '2026-11-26T09:00:00.000Z',
  date: '2026-11-26',
};

/** A value that a schema takes, always the same. */
const exampleOf = (schema: AttributeSchema): unknown => {
  const def: SchemaDefinition = schema._zod.def as never;
  // Only the output of a transformation is stored.
  const taken = def.in?._zod.def.type === 'transform' ? def.out : def.in;
  const inner = def.innerType ?? taken ?? def.options?.[0];
  if (inner) return exampleOf(inner);
  if (def.shape) {
    return Object.fromEntries(
      Object.entries(def.shape).map(([name, one]) => [name, exampleOf(one)]),
    );
  }
  if (def.element) return [exampleOf(def.element)];
  if (def.items) return def.items.map(exampleOf);
  if (def.valueType) return { '…': exampleOf(def.valueType) };
  if (def.entries) return Object.values(def.entries)[0];
  if (def.values) return def.values[0];
  if (def.type === 'boolean') return true;
  if (def.type === 'number' || def.type === 'bigint') return 1;
  return texts[def.format ?? ''] ?? '…';
};

const begin = '<!-- Made by npm run openapi, of the kinds in lib/: begin -->';
const end = '<!-- end -->';

/** The page with its table and its examples of items. */
export const withItems = async (page: string): Promise<string> => {
  const kinds = await loadKinds();
  const rows = kinds.map(
    ({ kind, file }) =>
      `| ${kind.holds} | \`${kind.partitionTemplate}\`, \`${kind.sortTemplate}\` | \`${file}\` |`,
  );
  const examples = kinds.map(({ kind }) =>
    JSON.stringify({
      pk: kind.partitionTemplate,
      sk: kind.sortTemplate,
      ...(exampleOf(kind.attributes) as object),
    }),
  );
  const section = [
    begin,
    '| what is asked | partition and sort key | code |',
    '|---|---|---|',
    ...rows,
    '',
    'One example of each item:',
    '',
    '```json',
    ...examples,
    '```',
    end,
  ].join('\n');
  const [before, rest = ''] = page.split(begin);
  const after = rest.split(end).slice(1).join(end);
  return `${before}${section}${after}`;
};
