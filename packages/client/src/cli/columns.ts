import { CliError } from './cli-error.ts';
import { type CustomFieldsByKey, columnOf, keyOf } from './custom-fields.ts';
import { fieldOfTarget, fields, isFieldName, isTarget, joinable, setByService } from './fields.ts';
import { type Assigned, assign, countryColumnOf, namesOf, type Preset } from './presets/preset.ts';
import { assertExportOf, hintOf } from './presets/presets.ts';
import type { Format, LeadFile } from './rows.ts';
import { quoted } from './terminal-text.ts';
import { excerptOf, plainText } from './values/plain-text.ts';

/** `--map Column=field`; with nothing after the sign, the column is left out. */
export type Mapping = ReadonlyMap<string, string>;

/** The plan of an import: what each column of a CSV file becomes. */
export interface Plan {
  header: readonly string[];
  /** Each field once. */
  targets: Assigned[];
  /** The names of columns that are not brought in. */
  leftOut: string[];
  /** The place of the column with each row’s country. */
  country?: number;
  /** Whether `leads export` wrote it: then numbers are as in JSON. */
  isExport: boolean;
  /** Whether an export seems to be as it was written: a spreadsheet has not saved it since. */
  isUntouched: boolean;
  /** Whether another system wrote it, of which there is a preset. */
  isOfSystem: boolean;
  /** The mark that the preset's system writes before a value. */
  mark?: RegExp;
}

export interface PlanOptions {
  map: Mapping;
  preset?: Preset | undefined;
  countryColumn?: string | undefined;
  /** Whether columns that are not known are left out. With a preset they are. */
  others?: 'leave-out' | undefined;
}

/** Whether the custom fields have to be known. */
export const needsCustomFields = ({ header }: LeadFile, { map, preset }: PlanOptions): boolean =>
  preset !== undefined ||
  [...header.map(plain), ...map.values()].some((name) => keyOf(name) !== undefined);

/**
 * Throws `CliError` where `--map` names no column of the file, two columns are the same field, or a column is not known that is
 * not to be left out.
 */
export const planOf = (
  { header, format }: LeadFile,
  options: PlanOptions,
  custom: CustomFieldsByKey = new Map(),
): Plan => {
  const country = countryOf(header, options);
  const given = mapped(header, options.map);
  const taken = new Set(given.flatMap(({ columns }) => columns));
  const ofPreset = options.preset
    ? presetTargets(options.preset, header, options.others, given, taken, custom)
    : [];
  for (const { columns } of ofPreset) for (const i of columns) taken.add(i);
  const [targets, leftOut] = [[...given, ...ofPreset], [] as string[]];
  const unknown: string[] = [];
  header.forEach((name, i) => {
    if (taken.has(i)) return;
    const field = fieldOf(name, options.preset, custom, targets);
    if (field !== undefined) targets.push({ field, columns: [i], join: false });
    else if (i === country) return;
    else if (name === '') leftOut.push(`(column ${i + 1})`);
    else if (options.preset) leftOut.push(name);
    else if (setByService.includes(plain(name))) return;
    else (options.others ? leftOut : unknown).push(name);
  });
  const wrong = given.filter(({ field }) => !isKnown(field, custom));
  const noNames = targets.length === 0 ? noNamesIn(header) : '';
  if (unknown.length > 0 || wrong.length > 0) {
    throw unknownColumns(noNames, header, unknown, wrong, custom);
  }
  if (noNames) throw new CliError(noNames);
  const wanted = targets.filter(({ field }) => field !== '' && !setByService.includes(field));
  const kept = withDoubles(wanted, header);
  assertEachOnce(kept);
  const unnamed = given.filter(({ field }) => field === '');
  const names = header.map(plain);
  const { mark } = options.preset ?? {};
  const isExport = setByService.every((name) => names.includes(name));
  return {
    header,
    targets: kept,
    leftOut: [...leftOut, ...leftOutOf([...unnamed, ...kept], header, options.preset)],
    isExport,
    isUntouched: isExport && isAsWritten(format),
    isOfSystem: options.preset !== undefined,
    ...(country >= 0 && { country }),
    ...(mark && { mark }),
  };
};

/** Whether lines and cells end as an export ends them. */
const isAsWritten = (format: Format): boolean =>
  format.kind === 'csv' && format.delimiter === ',' && format.endsWithCr !== true;

/** The parts of named columns that are left out: whole columns, or some of their values. */
const leftOutOf = (
  targets: readonly Assigned[],
  header: readonly string[],
  { values = {} }: Partial<Preset> = {},
): string[] =>
  targets.flatMap(({ field, columns }) => {
    const told = (what: string) => columns.map((i) => `${header[i]}${what}`);
    if (field === '') return told('');
    if (field === 'title') return told(' (but for leads without another name)');
    const unwanted = Object.entries(values[field] ?? {}).filter(([, to]) => to === '');
    return unwanted.flatMap(([from]) => told(` (only “${from}”)`));
  });

const isKnown = (field: string, custom: CustomFieldsByKey): boolean =>
  field === '' || setByService.includes(field) || isTarget(field) || custom.has(keyOf(field) ?? '');

const countryOf = (header: readonly string[], { preset, countryColumn }: PlanOptions): number => {
  if (countryColumn === undefined) return preset ? countryColumnOf(preset, header) : -1;
  const found = placesOf(countryColumn, header)[0];
  if (found !== undefined) return found;
  throw new CliError(
    `--country-column names “${countryColumn}”, which is no column. Columns: ${header.join(', ')}.`,
  );
};

/** The fields that `--map` gives. What it names exactly counts more than what is like it. */
const mapped = (header: readonly string[], map: Mapping): Assigned[] => {
  const exact = [...map].filter(([name]) => header.includes(name));
  const others = [...map].filter(([name]) => !header.includes(name));
  const taken = new Set<number>();
  return [...exact, ...others].flatMap(([name, field]): Assigned[] => {
    const [columns, isJoined] = columnsOf(name, header);
    if (isJoined) assertJoinable(field, name);
    const free = columns.filter((i) => !taken.has(i));
    for (const i of free) taken.add(i);
    if (isJoined && free.length > 0) return [{ field, columns: free, join: true }];
    return free.map((i) => ({ field, columns: [i], join: false }));
  });
};

/** The columns that a name means, and whether it joins several with `+`. */
const columnsOf = (name: string, header: readonly string[]): [number[], boolean] => {
  const columns = placesOf(name, header);
  if (columns.length > 0) return [columns, false];
  const joined = joinedColumns(name, header);
  if (joined) return [joined, true];
  throw new CliError(`--map names “${name}”, which is no column. Columns: ${header.join(', ')}.`);
};

/** A name of a column may have a `+`, too. */
const joinedColumns = (name: string, header: readonly string[]): number[] | undefined => {
  for (let at = name.indexOf('+'); at >= 0; at = name.indexOf('+', at + 1)) {
    const [first] = placesOf(name.slice(0, at), header);
    if (first === undefined) continue;
    const rest = name.slice(at + 1);
    const [last] = placesOf(rest, header);
    const others = last === undefined ? joinedColumns(rest, header) : [last];
    if (others) return [first, ...others];
  }
  return undefined;
};

const placesOf = (name: string, header: readonly string[]): number[] => {
  const like = (same: (column: string) => boolean) =>
    header.flatMap((column, i) => (same(column) ? [i] : []));
  const exact = like((column) => column === name);
  return exact.length > 0 ? exact : like((column) => plain(column) === plain(name));
};

const assertJoinable = (field: string, name: string): void => {
  if (field === '' || joinable.includes(field) || keyOf(field) !== undefined) return;
  throw new CliError(
    `--map makes “${name}” one field: that can be ${joinable.join(', ')} or a custom field, not ${field}.`,
  );
};

/** A column or field in `--map` counts more than the preset. */
const presetTargets = (
  preset: Preset,
  header: readonly string[],
  others: PlanOptions['others'],
  given: readonly Assigned[],
  taken: ReadonlySet<number>,
  custom: CustomFieldsByKey,
): Assigned[] => {
  const free = header.filter((_, i) => !taken.has(i));
  const fieldsGiven = given.map(({ field }) => field);
  const isSure = others === 'leave-out' || header.some((name) => preset.own.test(name));
  assertExportOf(preset, free, fieldsGiven, isSure);
  const isGiven = (target: string) => given.some(({ field }) => sameField(field, target));
  return assign(preset, header).flatMap((one) => {
    const columns = one.columns.filter((i) => !taken.has(i));
    // A title that has a field of its own is no name.
    const isCustom =
      one.field === 'title' && columns.some((i) => customFieldOf(header[i]!, preset, custom));
    return columns.length === 0 || isCustom || isGiven(one.field) ? [] : [{ ...one, columns }];
  });
};

/** Whether two columns fill one field. A currency is told beside its amount. */
const sameField = (a: string, b: string): boolean =>
  a === b || (fieldOfTarget(a) === fieldOfTarget(b) && ![a, b].includes('currency'));

/** The field that a column is by its name alone. */
const fieldOf = (
  name: string,
  preset: Preset | undefined,
  custom: CustomFieldsByKey,
  targets: readonly Assigned[],
): string | undefined => {
  const own = plain(name);
  if (custom.has(keyOf(own) ?? '')) return own;
  if (!preset) return isFieldName(own) ? own : undefined;
  const field = customFieldOf(name, preset, custom);
  return targets.some((one) => one.field === field) ? undefined : field;
};

/** The custom field that is called as a column of another system. */
const customFieldOf = (
  name: string,
  preset: Preset,
  custom: CustomFieldsByKey,
): string | undefined => {
  const names = namesOf(preset, name);
  const isCalled = (text: string | undefined) => text && names.includes(plainText(text));
  const found = [...custom].find(
    ([key, { label, archived }]) => !archived && (isCalled(key) || isCalled(label)),
  );
  return found && columnOf(found[0]);
};

/** What to say of a first line in which nothing is known: it may be a row, or no table. */
const noNamesIn = ([first = '']: readonly string[]): string =>
  `No column is a field of a lead. The first line must have the names of the columns, such as contact_name,email,phone, and begins with ${excerptOf(first)}.`;

/** Columns that are not known, and are named: a spreadsheet can have thousands. */
const mostUnknownShown = 20;

const unknownColumns = (
  noNames: string,
  header: readonly string[],
  unknown: readonly string[],
  wrong: readonly Assigned[],
  custom: CustomFieldsByKey,
): CliError => {
  const all = [...new Set(unknown)];
  const lines = [
    ...wrong.map(({ field, columns }) => {
      const name = columns.map((i) => header[i]).join('+');
      return `--map makes “${name}” the field “${field}”, which a lead does not have.`;
    }),
    ...all
      .slice(0, mostUnknownShown)
      .map(
        (name) =>
          `The column “${name}” is no field of a lead. Say which one it is with --map ${quoted(`${name}=field`)}, or leave it out with --map ${quoted(`${name}=`)}.`,
      ),
  ];
  if (all.length > mostUnknownShown) {
    lines.push(
      `${all.length - mostUnknownShown} more are none either: --others leave-out leaves all of them out.`,
    );
  }
  const known = [...fields, ...[...custom.keys()].map(columnOf)].join(', ');
  const first = hintOf(unknown) || noNames;
  return new CliError([...(first ? [first] : []), ...lines, `Fields: ${known}.`].join('\n'));
};

/** Columns of one name are one field where a lead takes the first that can be read, or all. */
const withDoubles = (targets: readonly Assigned[], header: readonly string[]): Assigned[] => {
  const all = new Map<string, Assigned>();
  for (const target of targets) {
    const [first = 0] = target.columns;
    const isOne = ['email', 'phone', 'tags'].includes(target.field) && !target.join;
    const name = isOne ? `${target.field} ${plain(header[first]!)}` : `column ${first}`;
    const other = all.get(name);
    all.set(name, other ? { ...other, columns: [...other.columns, ...target.columns] } : target);
  }
  return [...all.values()];
};

const assertEachOnce = (targets: readonly Assigned[]): void => {
  const names = targets.map(({ field }) => field);
  const found = names.find((field, i) => names.slice(0, i).some((one) => sameField(one, field)));
  if (!found) return;
  const doubled = fieldOfTarget(found);
  const how = joinable.includes(doubled) ? ", or join them with --map 'A+B=field'" : '';
  throw new CliError(
    `Two columns are the field ${doubled}. Leave one out with --map 'Column='${how}.`,
  );
};

/** A name of a column as people compare it. A Mac may write an accent as a sign of its own. */
const plain = (name: string): string =>
  name
    .normalize('NFC')
    .trim()
    .toLowerCase()
    .replace(/[\s-]+/g, '_');
