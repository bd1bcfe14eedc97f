import { CliError } from './cli-error.ts';
import { type Mapping, needsCustomFields, type Plan, planOf } from './columns.ts';
import { assertId, type Connection, type Where } from './connection.ts';
import { type CustomFieldsByKey, keyOf, readCustomFields } from './custom-fields.ts';
import { nameOf } from './encoding.ts';
import { isFieldName, type MatchField } from './fields.ts';
import { leadsOfCells, leadsOfJson, longNumbersOf, type ToLead, withoutStage } from './leads.ts';
import type { Preset } from './presets/preset.ts';
import { presetOf } from './presets/presets.ts';
import { type LeadFile, rowsOf } from './rows.ts';
import { quoted } from './terminal-text.ts';
import { languageIn } from './values/calendar-names.ts';
import { type DateOrder, orderIn } from './values/date-orders.ts';
import { GivenValues } from './values/given-values.ts';
import { isUserId } from './values/owners.ts';
import { countryOfOption, type PhoneReading, phoneReadingOf } from './values/phone-reading.ts';
import { assertTimeZone } from './values/time-zones.ts';

export interface ImportOptions extends Where {
  match?: MatchField;
  move?: boolean;
  map: Map<string, string>;
  pipeline?: string;
  dryRun?: boolean;
  report?: string;
  from?: string;
  others?: 'leave-out';
  country?: string;
  countryColumn?: string;
  unreadPhone?: string;
  values: string[];
  dates?: DateOrder;
  timeZone?: string;
  encoding?: string;
}

/** Options whose values are known to be right as far as they can be without the file and the service. */
export interface CheckedOptions {
  map: Mapping;
  preset?: Preset | undefined;
  country?: string | undefined;
  values: GivenValues;
}

/** Throws `CliError` for an option that is wrong by itself. */
export const checkImportOptions = async (options: ImportOptions): Promise<CheckedOptions> => {
  const { map, pipeline, report, from, country, timeZone, encoding, unreadPhone } = options;
  if (pipeline !== undefined) assertId('--pipeline', pipeline);
  if (report === '') throw new CliError('--report must name a file.');
  if (options.move && !options.match) throw new CliError('--move goes with --match.');
  if (timeZone !== undefined) assertTimeZone(timeZone);
  if (encoding !== undefined) nameOf(encoding);
  if (unreadPhone === '') throw new CliError('--unread-phone must name a custom field.');
  const code = country === undefined ? undefined : await countryOfOption(country);
  if (country !== undefined && code === undefined) {
    throw new CliError(`--country “${country}” is not known. Say its code, such as BR.`);
  }
  const preset = from === undefined ? undefined : presetOf(from);
  const values = new GivenValues(options.values, preset?.values);
  assertValues(values);
  return { map, preset, country: code, values };
};

const assertValues = (values: GivenValues): void => {
  for (const field of values.fields) {
    if (['email', 'phone'].includes(field) || (!isFieldName(field) && !keyOf(field))) {
      throw new CliError(
        `--values ${field}: say it of a field such as stage, owner_id or fields.source.`,
      );
    }
  }
  for (const id of values.of('owner_id')) {
    if (id === '' || isUserId(id)) continue;
    throw new CliError(`--values owner_id: “${id}” is no user’s id, which is a UUID.`);
  }
};

/** How the rows of a file become leads. */
export interface Reader {
  toLead: ToLead;
  /** Only for CSV. */
  plan?: Plan;
  /** The key of the custom field for phones that can’t be read. */
  unreadPhone?: string | undefined;
  /** The facts that have to be the same for an import to go on. */
  identity: unknown;
}

/** Asks for the custom fields where they count. Throws `CliError` for options that do not fit the file. */
export const readerOf = async (
  connection: Connection,
  file: string,
  leadFile: LeadFile,
  options: ImportOptions,
  checked: CheckedOptions,
): Promise<Reader> => {
  const { match, pipeline } = options;
  if (leadFile.format.kind === 'ndjson') {
    assertPlain(options);
    assertLeads(leadFile, checked.map);
    const toLead = leadsOfJson(checked.map, pipeline, await readCustomFields(connection));
    const identity = { encoding: options.encoding ?? null };
    const column = [...checked.map].find(([, field]) => field === 'stage')?.[0] ?? 'stage';
    return { toLead: match ? toLead : withoutStage(toLead, column), identity };
  }
  const ofPlan = { ...checked, countryColumn: options.countryColumn, others: options.others };
  const isAsked = needsCustomFields(leadFile, ofPlan) || options.unreadPhone !== undefined;
  const custom = isAsked ? await readCustomFields(connection) : undefined;
  const plan = planOf(leadFile, ofPlan, custom);
  if (!match && !pipeline && !plan.targets.some(({ field }) => field === 'pipeline_id')) {
    throw new CliError('--pipeline must say where new leads go: no column does.');
  }
  const unreadPhone = unreadPhoneOf(options, plan, custom);
  const currency = await currencyOf(connection, plan);
  // A system writes dates as its user has set it, wherever the phones are of.
  const writtenIn = checked.preset ? undefined : checked.country;
  const toLead = leadsOfCells(
    plan,
    {
      pipelineId: pipeline,
      isMatched: match !== undefined,
      values: checked.values,
      dates: {
        order: options.dates ?? orderIn(writtenIn),
        language: languageIn(writtenIn),
        timeZone: options.timeZone,
      },
      country: checked.country,
      currency,
      phones: await phonesOf(plan, checked.country),
      unreadPhone,
      longNumbers: await longNumbersOf(rowsOf(file, leadFile), plan),
    },
    custom,
  );
  return {
    toLead: match ? toLead : withoutStage(toLead, stageColumnOf(plan)),
    plan,
    unreadPhone,
    identity: { ...identityOf(plan, options, checked, custom), currency: currency ?? null },
  };
};

/** The organization’s currency, where a column is an amount or names a currency. */
const currencyOf = async (
  connection: Connection,
  { targets }: Plan,
): Promise<string | undefined> => {
  if (!targets.some(({ field }) => field === 'value' || field === 'currency')) return undefined;
  const { data } = await connection.send((client) => client.get('/organization'));
  return data.currency;
};

/** Throws `CliError` for what only cells need: a line of NDJSON is a lead as in the API. */
const assertPlain = (options: ImportOptions): void => {
  const ofCells = [
    ...(['from', 'others', 'country', 'countryColumn', 'unreadPhone'] as const),
    ...(['dates', 'timeZone'] as const),
  ];
  const given = [
    ...ofCells.filter((name) => options[name] !== undefined),
    ...(options.values.length > 0 ? ['values'] : []),
  ];
  if (given.length === 0) return;
  const [name = ''] = given;
  const option = name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
  throw new CliError(`--${option} is for CSV. Lines of NDJSON are leads as in the API.`);
};

/** Throws `CliError` for a first line of JSON that has nothing of a lead, as another service may answer it. */
const assertLeads = ({ header }: LeadFile, map: Mapping): void => {
  const isKnown = (name: string) => name === 'fields' || isFieldName(name) || map.has(name);
  if (header.length === 0 || header.some(isKnown)) return;
  throw new CliError(
    `The first line is JSON, but no lead: it has ${header.slice(0, 5).join(', ')}. It may be the answer of another service.`,
  );
};

const stageColumnOf = ({ header, targets }: Plan): string => {
  const target = targets.find(({ field }) => field === 'stage');
  return header[target?.columns[0] ?? -1] ?? 'stage';
};

const phonesOf = async (
  { targets, country: column }: Plan,
  country: string | undefined,
): Promise<PhoneReading | undefined> =>
  column !== undefined || targets.some(({ field }) => field === 'phone')
    ? phoneReadingOf(country)
    : undefined;

/** Throws `CliError` where the field is not there, or takes no text. */
const unreadPhoneOf = (
  { unreadPhone }: ImportOptions,
  { targets }: Plan,
  custom: CustomFieldsByKey | undefined,
): string | undefined => {
  if (unreadPhone === undefined) return undefined;
  const key = keyOf(unreadPhone) ?? unreadPhone;
  const field = custom?.get(key);
  if (!field || field.archived || field.type !== 'text') {
    const all = [...(custom ?? [])].filter(([, one]) => one.type === 'text' && !one.archived);
    throw new CliError(
      `--unread-phone ${quoted(unreadPhone)} must name a custom field of type text. There are: ${all.map(([one]) => one).join(', ') || 'none'}.`,
    );
  }
  if (!targets.some((one) => one.field === 'phone')) {
    throw new CliError('--unread-phone goes with a column that is the phone, and there is none.');
  }
  return key;
};

/** With another of these, a row would be another lead, and its request could not be repeated. */
const identityOf = (
  { targets, country: countryColumn }: Plan,
  { unreadPhone, dates, timeZone, encoding }: ImportOptions,
  { country, values }: CheckedOptions,
  custom: CustomFieldsByKey | undefined,
): object => ({
  targets: targets.map((one) => {
    const { type, options } = custom?.get(keyOf(one.field) ?? '') ?? {};
    return { ...one, type: type ?? null, options: options ?? null };
  }),
  countryColumn: countryColumn ?? null,
  unreadPhone: unreadPhone ?? null,
  dates: dates ?? null,
  timeZone: timeZone ?? null,
  encoding: encoding ?? null,
  country: country ?? null,
  values,
});
