import type { AnyOperation } from '../../lib/operations/operation.ts';
import { tagOf, tags } from './texts.ts';

const [begin, end] = ['<!-- calls: made by `npm run openapi` -->', '<!-- /calls -->'];

/** The README with a row for each operation, between the two marks. Throws where they are missing. */
export const withCalls = (readme: string, operations: readonly AnyOperation[]): string => {
  const [before, rest] = readme.split(begin);
  const after = rest?.split(end)[1];
  if (before === undefined || after === undefined) {
    throw new Error(`README.md needs a line ${begin} and a line ${end}`);
  }
  const rows = tags.flatMap(({ name }) =>
    operations.filter(({ path }) => tagOf(path) === name).map(rowOf),
  );
  const table = ['| call | needs | answers |', '|---|---|---|', ...rows].join('\n');
  return `${before}${begin}\n${table}\n${end}${after}`;
};

const rowOf = ({ method, path, permission, response, summary }: AnyOperation): string => {
  const does = summary.charAt(0).toLowerCase() + summary.slice(1).replace(/\.$/, '');
  return `| \`${method} ${path}\` | \`${permission}\` | ${response.status}, ${does} |`;
};
