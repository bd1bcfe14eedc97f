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

/** Throws `CliError` for a file that is no export of the preset’s system, or that another preset knows more of. */
export const assertExportOf = (preset: Preset, header: readonly string[]): void => {
  const fieldsOf = (one: Preset) => assign(one, header).map(({ field }) => field);
  const own = fieldsOf(preset);
  const comparedOf = (fields: string[]) => compared.filter((field) => fields.includes(field));
  const others = Object.entries(presets)
    .map(([name, one]) => ({ name, system: one.system, fields: comparedOf(fieldsOf(one)) }))
    .filter(({ fields }) => comparedOf(own).every((field) => fields.includes(field)))
    .sort((a, b) => b.fields.length - a.fields.length);
  const [best] = others;
  if (best && best.fields.length > comparedOf(own).length) {
    throw new CliError(
      `The file seems to be an export of ${best.system}: say --from ${best.name}.`,
    );
  }
  if (names.some((field) => own.includes(field))) return;
  throw new CliError(
    `The file is no export of ${preset.system}: it has no column of a name, an email or a phone. Columns: ${header.join(', ')}.`,
  );
};
