import { CliError } from '../cli-error.ts';
import { hubspot } from './hubspot.ts';
import { pipedrive } from './pipedrive.ts';
import { assign, type Preset } from './preset.ts';

const presets: Readonly<Record<string, Preset>> = { hubspot, pipedrive };

export const presetOf = (name: string): Preset => presets[name]!;

/** Throws `CliError` for a file that is no export of the preset’s system, or rather of another one’s. */
export const assertExportOf = (preset: Preset, header: readonly string[]): void => {
  const countOf = (one: Preset) => assign(one, header).flatMap(({ columns }) => columns).length;
  const { system } = preset;
  const own = countOf(preset);
  const other = Object.entries(presets).find(([, one]) => countOf(one) > own);
  if (other) {
    const [name, { system: otherSystem }] = other;
    throw new CliError(`The file seems to be an export of ${otherSystem}: say --from ${name}.`);
  }
  const assigned = assign(preset, header).map(({ field }) => field);
  const telling = ['contact_name', 'email', 'phone', 'company_name'];
  if (telling.some((field) => assigned.includes(field))) return;
  throw new CliError(
    `The file is no export of ${system}: it has no column of a name, an email or a phone. Columns: ${header.join(', ')}.`,
  );
};
