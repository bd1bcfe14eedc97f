import { stringify } from 'csv-stringify/sync';
import type { Plan } from './columns.ts';
import type { Foretold } from './dry-run.ts';
import { fieldOfTarget, type Made } from './fields.ts';
import { withoutFormula } from './formulas.ts';
import { replaceFile } from './private-file.ts';

/** How many rows have a value of each field, and how many phones went into the field for those that can’t be read. */
export class ValueCounts {
  readonly #values = new Map<string, number>();
  keptPhones = 0;

  add(made: Made): void {
    if ('problem' in made) return;
    const { fields, ...others } = made.lead;
    const custom = Object.keys((fields ?? {}) as object).map((key) => `fields.${key}`);
    for (const name of [...Object.keys(others), ...custom]) {
      this.#values.set(name, this.of(name) + 1);
    }
    if (made.keptPhone) this.keptPhones++;
  }

  of(field: string): number {
    return this.#values.get(field) ?? 0;
  }
}

/** Values of a column that are shown at most of those that are left out or cut. */
const mostShown = 5;

/** The text of a dry run about each column, and about the rows together. */
export const foretoldText = (
  plan: Plan,
  counts: ValueCounts,
  all: readonly Foretold[],
  unreadPhone: string | undefined,
): string => {
  const left = Map.groupBy(
    all.flatMap(({ leftOut = [] }) => leftOut),
    ({ field }) => field,
  );
  const columns = plan.targets.map(({ field, columns: places }) => {
    const names = places.map((i) => plan.header[i]).join(' + ');
    const other = told[field];
    if (other !== undefined) return `  ${names} → ${other}`;
    const own = fieldOfTarget(field);
    const out = (left.get(own) ?? []).map(({ message }) => message);
    const kept = field === 'phone' && counts.keptPhones > 0 ? counts.keptPhones : 0;
    const values = [
      `${counts.of(own)} values`,
      ...(kept > 0 ? [`${kept} could not be read in full, and go into fields.${unreadPhone}`] : []),
      ...(out.length > 0 ? [`${out.length} ${leftWords(field)}: ${examples(out)}`] : []),
    ];
    return `  ${names} → ${[own, ...values].join('; ')}`;
  });
  const country = plan.country === undefined ? [] : [countryText(plan, left.get('country') ?? [])];
  const without = plan.leftOut.length > 0 ? [leftOutText(plan)] : [];
  const known = all.flatMap(({ rows }) => rows).filter(({ outcome }) => outcome === 'known').length;
  const rows = known > 0 ? [`${known} of the rows that would be refused are known already.`] : [];
  return [...rows, 'Columns:', ...columns, ...country, ...without].join('\n');
};

/** The words for columns that fill no field. */
const told: Readonly<Record<string, string>> = {
  title: 'a name where there is no other',
  currency: 'the currency of values',
};

const leftWords = (field: string): string => {
  if (field === 'owner_id') return 'go unowned';
  return field === 'phone' || field === 'email' ? 'could not be read' : 'would be left out or cut';
};

const countryText = ({ header, country = 0 }: Plan, unknown: readonly { message: string }[]) =>
  `  ${header[country]} → the country of phones${unknown.length > 0 ? `; ${unknown.length} not known: ${examples(unknown.map(({ message }) => message))}` : ''}`;

/** The columns that are not brought in; only the first where they are very many. */
export const leftOutText = ({ leftOut }: Plan, most = Number.POSITIVE_INFINITY): string => {
  const more = leftOut.length > most ? `, and ${leftOut.length - most} more` : '';
  return `Columns that are left out: ${leftOut.slice(0, most).join(', ')}${more}.`;
};

/** Values that are quoted in messages, the most frequent first. */
const examples = (messages: readonly string[]): string => {
  const values = messages.map((message) => /^“.*?”/su.exec(message)?.[0] ?? message);
  const counts = [...Map.groupBy(values, (value) => value)].map(
    ([value, { length }]) => [value, length] as const,
  );
  const most = counts.sort((a, b) => b[1] - a[1]).slice(0, mostShown);
  const shown = most.map(([value, count]) => (count > 1 ? `${value} (${count})` : value));
  return `${shown.join(', ')}${counts.length > mostShown ? ', …' : ''}`;
};

const words = {
  created: 'new',
  updated: 'changed',
  unchanged: 'unchanged',
  known: 'known already',
  refused: 'refused',
};

/** Writes what would become of each row: its line, who it is, and what it would come in without. */
export const writeRows = (file: string, all: readonly Foretold[]): void => {
  const lines = all.flatMap(({ rows, refused, leftOut = [] }) => {
    const told = Map.groupBy([...refused, ...leftOut], ({ line }) => line);
    return rows.map(({ line, outcome, name }) => [
      line,
      words[outcome],
      withoutFormula(name),
      withoutFormula(
        (told.get(line) ?? []).map(({ field, message }) => `${field} ${message}`.trim()).join('; '),
      ),
    ]);
  });
  replaceFile(file, stringify([['line', 'outcome', 'lead', 'told'], ...lines]));
};
