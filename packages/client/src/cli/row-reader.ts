import { type Plan, quoted } from './columns.ts';
import {
  type CustomField,
  type CustomFields,
  columnOf,
  fromCell,
  keyOf,
  optionLike,
} from './custom-fields.ts';
import { type Field, type Lead, type LeftOut, type Made, withPipeline } from './fields.ts';
import { textOfCell } from './formulas.ts';
import type { Assigned } from './presets/preset.ts';
import { readCents } from './values/amounts.ts';
import { type DateReading, readDate, whyNoDate } from './values/dates.ts';
import { readEmail } from './values/emails.ts';
import type { GivenValues } from './values/given-values.ts';
import type { PhoneReading } from './values/phone-reading.ts';
import { shown, visibleText } from './values/plain-text.ts';
import { optionsOf, tagsOf } from './values/tags.ts';

/** How the cells of a file are read. */
export interface Reading {
  /** Of rows that name none. */
  pipelineId?: string | undefined;
  /** Where rows change leads that are there. */
  isMatched?: boolean;
  values?: GivenValues | undefined;
  dates?: DateReading;
  /** The country that amounts are written as in. */
  country?: string | undefined;
  phones?: PhoneReading | undefined;
  /** The key of the custom field for phones that can’t be read. */
  unreadPhone?: string | undefined;
}

/** Characters of a custom field of type text at most. */
const mostTextCharacters = 500;

/** Makes a lead of one row of CSV. `read` throws `CliError` at a value that may be two. */
export class RowReader {
  readonly #cells: readonly string[];
  readonly #plan: Plan;
  readonly #reading: Reading;
  readonly #custom: CustomFields;
  readonly #lead: Lead = {};
  readonly #fields: Record<string, unknown> = {};
  readonly #leftOut: LeftOut[] = [];
  /** What the row has of an email, a phone or a title, though no lead can have it there. */
  readonly #unread: Partial<Record<'email' | 'phone' | 'title', string>> = {};
  #keptPhone = false;

  constructor(cells: readonly string[], plan: Plan, reading: Reading, custom: CustomFields) {
    this.#cells = cells;
    this.#plan = plan;
    this.#reading = reading;
    this.#custom = custom;
  }

  read(): Made {
    for (const target of this.#plan.targets) if (target.field !== 'phone') this.#readTarget(target);
    this.#readPhone();
    const name = this.#otherName();
    const lead: Lead = { ...this.#lead };
    if (lead.contact_name === undefined && !this.#reading.isMatched) {
      if (name === undefined) return { problem: 'has no name, company, email or phone' };
      lead.contact_name = name;
    }
    if (Object.keys(this.#fields).length > 0) lead.fields = this.#fields;
    return {
      lead: withPipeline(lead, this.#reading.pipelineId),
      leftOut: this.#leftOut,
      name,
      ...(this.#keptPhone && { keptPhone: true }),
    };
  }

  #readTarget(target: Assigned): void {
    const cells = this.#cellsOf(target.columns);
    if (cells.length === 0) return;
    const { field, before = '' } = target;
    const key = keyOf(field);
    const [first = ''] = cells;
    const text = this.#given(
      field,
      target.join ? joined(cells, this.#custom.get(key ?? '')) : first,
    );
    if (text === '') return;
    if (key !== undefined) this.#readCustom(key, text, target);
    else if (field === 'email') this.#readEmail(cells);
    else if (field === 'tags') this.#lead.tags = this.#tags(cells);
    else if (field === 'value') this.#readValue(text);
    else if (field === 'next_step_at') this.#readDate(this.#lead, field, 'datetime', text);
    else if (field === 'title') this.#unread.title = text.trim();
    else if (field === 'owner_id' && !isUserId(text)) this.#leave('owner_id', text, noOwner(text));
    else this.#lead[field as Field] = fieldValue(field, `${before}${text}`);
  }

  /** The cells of columns that have something in them. */
  #cellsOf(columns: readonly number[]): string[] {
    return columns
      .map((i) => textOfCell(this.#cells[i] ?? ''))
      .filter((cell) => visibleText(cell) !== '');
  }

  #given(field: string, cell: string): string {
    return this.#reading.values?.get(field, cell) ?? cell;
  }

  #leave(field: string, text: string, why: string): void {
    this.#leftOut.push({ field, message: `${shown(text)} ${why}` });
  }

  #readEmail(cells: readonly string[]): void {
    const { email, rest } = readEmail(cells);
    if (email !== undefined) this.#lead.email = email;
    else this.#unread.email = rest.find(({ text }) => text.includes('@'))?.text ?? '';
    for (const { text, why } of rest) this.#leave('email', text, why);
  }

  #tags(cells: readonly string[]): unknown {
    // The service takes no doubles, and knows one Unicode form of each tag.
    const all = cells.map((cell) => tagsOf(cell.normalize('NFC')));
    if (!all.every(Array.isArray)) return all[0];
    const given = all
      .flat()
      .map((tag) => (typeof tag === 'string' ? this.#given('tags', tag) : tag));
    return [...new Set(given.filter((tag) => tag !== ''))];
  }

  #readValue(text: string): void {
    const cents = readCents(text, this.#reading.country);
    if (cents !== undefined) this.#lead.value_cents = cents;
    else
      this.#leave(
        'value_cents',
        text,
        'is no amount, or may be two: --country says how they are written',
      );
  }

  #readCustom(key: string, text: string, { columns }: Assigned): void {
    const definition = this.#custom.get(key) ?? { type: '' };
    const { type } = definition;
    const field = columnOf(key);
    if (type !== 'date' && type !== 'datetime') {
      this.#fields[key] = this.#customValue(key, definition, text, columns);
      return;
    }
    this.#readDate(this.#fields, key, type, text, field);
  }

  #readDate(
    into: Record<string, unknown>,
    key: string,
    type: 'date' | 'datetime',
    text: string,
    field = key,
  ): void {
    const date = readDate(type, text, this.#reading.dates ?? {});
    if (date === undefined) this.#leave(field, text, whyNoDate(text));
    else into[key] = date;
  }

  #customValue(
    key: string,
    definition: CustomField,
    text: string,
    columns: readonly number[],
  ): unknown {
    const { type, options } = definition;
    const isExported = columns.every((i) => /^fields\./i.test(this.#plan.header[i] ?? ''));
    if (type !== 'multi_select') {
      return fromCell(definition, text, this.#reading.country, isExported);
    }
    const all = optionsOf(text, options);
    if (!Array.isArray(all)) return all;
    const given = all.map((one) =>
      typeof one === 'string' ? optionLike(this.#given(columnOf(key), one), options) : one,
    );
    return [...new Set(given.filter((one) => one !== ''))];
  }

  /** After all other fields: one of these may take what can’t be read. */
  #readPhone(): void {
    const { phones, unreadPhone } = this.#reading;
    const target = this.#plan.targets.find(({ field }) => field === 'phone');
    const { country } = this.#plan;
    const [countryCell] = country === undefined ? [] : this.#cellsOf([country]);
    const cells = target ? this.#cellsOf(target.columns) : [];
    if (!phones) {
      if (cells.length > 0) this.#lead.phone = cells[0];
      return;
    }
    const { phone, rest, isCountryKnown } = phones(cells, countryCell);
    if (!isCountryKnown) this.#leave('country', countryCell ?? '', 'is no country that is known');
    if (phone !== undefined) this.#lead.phone = phone;
    else this.#unread.phone = rest.find(({ text }) => hasDigits.test(text))?.text ?? '';
    const texts = rest.map(({ text }) => text);
    if (texts.length === 0 || this.#keep(unreadPhone, texts)) return;
    for (const { text, why } of rest) this.#leave('phone', text, why);
  }

  /** Returns whether the texts of phones are in the field for that. */
  #keep(key: string | undefined, texts: readonly string[]): boolean {
    if (key === undefined) return false;
    const before = this.#fields[key];
    const all = new Set([...(typeof before === 'string' ? [before] : []), ...texts]);
    const text = [...all].join('; ');
    if ([...text].length > mostTextCharacters) return false;
    this.#fields[key] = text;
    this.#keptPhone = true;
    return true;
  }

  #otherName(): string | undefined {
    const { company_name, email, phone } = this.#lead;
    const { email: badEmail, phone: badPhone, title } = this.#unread;
    const names = [company_name, email, phone, badEmail, badPhone, title];
    const name = names.find((one) => typeof one === 'string' && one.trim() !== '');
    return name === undefined ? undefined : [...String(name)].slice(0, 200).join('');
  }
}

/** The text of several columns. */
const joined = (cells: readonly string[], field: CustomField | undefined): string =>
  cells.map((one) => one.trim()).join(field?.type === 'multi_select' ? ';' : ' ');

const fieldValue = (field: string, cell: string): unknown => {
  if (field === 'value_cents' && /^-?\d{1,16}$/.test(cell.trim())) return Number(cell);
  return field === 'owner_id' || field === 'pipeline_id' ? cell.trim() : cell;
};

/** Of what can’t be read as a phone, what may be one all the same. */
const hasDigits = /\d(\D*\d){4}/;

/** Whether a text has the form of a user’s id: of Cognito’s, not all are UUIDs as RFC 9562 has them. */
export const isUserId = (text: string): boolean =>
  /^[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}$/i.test(text.trim());

const noOwner = (text: string): string =>
  `is no member’s id: the lead goes unowned, unless --values ${quoted(`owner_id=${text.trim()}=ID`)} says whose it is`;
