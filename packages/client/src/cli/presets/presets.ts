import { CliError } from '../cli-error.ts';
import { google } from './google.ts';
import { hubspot } from './hubspot.ts';
import { meta } from './meta.ts';
import { pipedrive } from './pipedrive.ts';
import { assign, type Preset } from './preset.ts';
import { salesforce } from './salesforce.ts';
import { zoho } from './zoho.ts';

const presets: Readonly<Record<string, Preset>> = {
  hubspot,
  pipedrive,
  salesforce,
  zoho,
  google,
  meta,
};

/** The names that `--from` can have. */
export const presetNames: readonly string[] = Object.keys(presets);

export const presetOf = (name: string): Preset => presets[name]!;

const compared = ['external_id', 'contact_name', 'email', 'phone', 'company_name'];
/** The fields that can give a lead its name. */
const names = ['contact_name', 'email', 'phone', 'company_name', 'title'];

/** The one system that the columns are of, by those that hardly any other has. */
const systemOf = (columns: readonly string[]): { name: string; preset: Preset } | undefined => {
  const found = Object.entries(presets).flatMap(([name, preset]) =>
    columns.some((column) => preset.own.test(column)) ? [{ name, preset }] : [],
  );
  return found.length === 1 ? found[0] : undefined;
};

/** Says which preset columns are of; empty where they may be of any system. */
export const hintOf = (columns: readonly string[]): string => {
  const found = systemOf(columns);
  if (found === undefined) return '';
  return `The file seems to be an export of ${found.preset.system}: say --from ${found.name}.`;
};

/** Columns that are named in a message. */
const mostShown = 20;

const unknownText = (preset: Preset, columns: readonly string[]): string => {
  const known = new Set(assign(preset, columns).flatMap((one) => one.columns));
  const others = columns.filter((name, i) => name !== '' && !known.has(i));
  const shown = [...others.slice(0, mostShown), ...(others.length > mostShown ? ['…'] : [])];
  const named = others.length > 0 ? ` Not known: ${shown.join(', ')}.` : '';
  return `The file is no export of ${preset.system}, or in a language that is not known. Say what its columns are with --map 'Column=field', or leave out the others with --others leave-out.${named}`;
};

/**
 * Throws `CliError` for columns in which another preset finds more fields, unless `isSure`, and for those without any name. `given` are
 * the fields of the columns that are not compared.
 */
export const assertExportOf = (
  preset: Preset,
  columns: readonly string[],
  given: readonly string[],
  isSure: boolean,
): void => {
  const fieldsOf = (one: Preset) => [...given, ...assign(one, columns).map(({ field }) => field)];
  const comparedOf = (one: Preset) => compared.filter((field) => fieldsOf(one).includes(field));
  const own = comparedOf(preset);
  const isBetter = (one: Preset) => {
    const fields = comparedOf(one);
    return fields.length > own.length && own.every((field) => fields.includes(field));
  };
  const isTaken = isSure || !Object.values(presets).some(isBetter);
  if (isTaken && names.some((field) => fieldsOf(preset).includes(field))) return;
  const isOwn = systemOf(columns)?.preset === preset;
  throw new CliError((isOwn ? '' : hintOf(columns)) || unknownText(preset, columns));
};
