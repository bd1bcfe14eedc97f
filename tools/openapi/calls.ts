import type { RoutedOperation } from '../../lib/operations/definition.ts';
import { needsOf, tagOf, tags } from './texts.ts';

const [begin, end] = ['<!-- calls: made by `npm run openapi` -->', '<!-- /calls -->'];

/** `docs/api.md` with a row for each operation, between the two marks. Throws where they are missing. */
export const withCalls = (page: string, operations: readonly RoutedOperation[]): string => {
  const [before, rest] = page.split(begin);
  const after = rest?.split(end)[1];
  if (before === undefined || after === undefined) {
    throw new Error(`docs/api.md needs a line ${begin} and a line ${end}`);
  }
  const rows = tags.flatMap(({ name }) =>
    operations.filter(({ path }) => tagOf(path) === name).map(rowOf),
  );
  const table = ['| call | needs |', '|---|---|', ...rows].join('\n');
  return `${before}${begin}\n${table}\n${end}${after}`;
};

const rowOf = (operation: RoutedOperation): string => {
  const { method, path, response } = operation;
  const status = response.status === 200 ? '' : ` ${response.status}`;
  return `| \`${method} ${path}\`${status} | ${needsOf(operation)} |`;
};
