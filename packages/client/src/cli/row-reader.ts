import type { Plan } from './columns.ts';
import { type CustomFieldsByKey, columnOf, customValue, keyOf } from './custom-fields.ts';
import {
  type Field,
  fieldOfTarget,
  type Lead,
  type LeftOut,
  type Made,
  withPipeline,
} from './fields.ts';
import { textOfCell } from './formulas.ts';
import type { Assigned } from './presets/preset.ts';
import { centsOf, readAmount } from './values/amounts.ts';
import { means } from './values/currencies.ts';
import { type DateReading, readDate } from './values/dates.ts';
import { readEmail } from './values/emails.ts';
import type { GivenValues } from './values/given-values.ts';
import type { LongNumbers } from './values/long-numbers.ts';
import { countryOfPrograms, mayBeTwoNumbers, type NumberCountry } from './values/numbers.ts';
import { isUserId, noOwner } from './values/owners.ts';
import type { PhoneReading } from './values/phone-reading.ts';
import { alikeText, excerptOf, visibleText } from './values/plain-text.ts';
import { idText, lossOf, textOfFormula, wholeText } from './values/spreadsheets.ts';
import { tagsOf } from './values/tags.ts';

/** How the cells of a file are read. */
export interface Reading {
  /** The pipeline of rows that name none. */
  pipelineId?: string | undefined;
  /** Where rows change leads that are there. */
  isMatched?: boolean;
  values?: GivenValues | undefined;
  dates?: DateReading;
  /** The country that amounts are written as in. */
  country?: string | undefined;
  /** The organization’s currency; known where a column is an amount. */
  currency?: string | undefined;
  phones?: PhoneReading | undefined;
  /** The key of the custom field for phones that can’t be read. */
  unreadPhone?: string | undefined;
  /** The long numbers of the whole file tell in which columns they were shortened. */
  longNumbers?: LongNumbers | undefined;
}

/** Characters of a custom field of type text at most. */
export const mostTextCharacters = 500;

/**
 * Makes a lead of a row of CSV. The lead has each value just as it was meant, or the value is told as left out or cut. `read`
 * throws `CliError` at a value that can be read in two ways.
 */
export class RowReader {
  readonly #cells: readonly string[];
  readonly #plan: Plan;
  readonly #reading: Reading;
  readonly #custom: CustomFieldsByKey;
  readonly #lead: Lead = {};
  readonly #fields: Record<string, unknown> = {};
  readonly #leftOut: LeftOut[] = [];
  /** The row's texts for email, phone or title, though no lead can have them there. */
  readonly #unread: Partial<Record<'email' | 'phone' | 'title', string>> = {};
  #keptPhone = false;

  constructor(cells: readonly string[], plan: Plan, reading: Reading, custom: CustomFieldsByKey) {
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
    const { field, columns } = target;
    if (field === 'currency') return;
    const cells = this.#cellsOf(columns, (cell, i) => this.#isWhole(field, cell, i));
    const [first, ...others] = cells;
    if (first === undefined) return;
    if (field === 'email') this.#readEmail(cells);
    else if (field === 'tags') this.#readTags(cells, target);
    else this.#readText(target, first, others);
  }

  #readText(target: Assigned, first: string, others: string[]): void {
    const { field, before = '', join, columns } = target;
    const key = keyOf(field);
    const isList = this.#custom.get(key ?? '')?.type === 'multi_select';
    const text = this.#given(field, join ? joined([first, ...others], isList) : first);
    for (const other of join ? [] : others) {
      if (alikeText(other) !== alikeText(first)) this.#leave(field, other, 'is a further value');
    }
    if (text === '') return;
    if (key !== undefined) this.#readCustom(key, text, columns);
    else if (field === 'title') this.#unread.title = text.trim();
    else if (field === 'value' || field === 'value_cents') this.#readValue(field, text);
    else if (field === 'next_step_at') this.#readDate(this.#lead, field, 'datetime', text);
    else if (field === 'owner_id' && !isUserId(text)) this.#leave('owner_id', text, noOwner(text));
    else this.#lead[field as Field] = this.#fieldValue(field, before, text);
  }

  /** The cells of columns that have something in them, and are taken. */
  #cellsOf(
    columns: readonly number[],
    isTaken = (_cell: string, _column: number) => true,
  ): string[] {
    const { mark, isExport } = this.#plan;
    // An export has each text just as it is.
    const textOf = isExport ? textOfCell : (cell: string) => textOfCell(textOfFormula(cell));
    return columns.flatMap((i) => {
      const text = textOf(this.#cells[i] ?? '');
      const cell = mark ? text.replace(mark, '') : text;
      return visibleText(cell) !== '' && isTaken(cell, i) ? [cell] : [];
    });
  }

  /** Whether the cell of a column still has its value, or `--values` says what it is. */
  #isWhole(field: string, cell: string, column: number): boolean {
    const { longNumbers, values } = this.#reading;
    const loss = lossOf(cell) ?? longNumbers?.lossOf(column, this.#cells[column] ?? '');
    if (loss === undefined || values?.get(field, cell) !== undefined) return true;
    this.#leave(field, cell, loss);
    return false;
  }

  #given(field: string, cell: string): string {
    return this.#reading.values?.get(field, cell) ?? cell;
  }

  #leave(target: string, text: string, why: string): void {
    const field = fieldOfTarget(target);
    this.#leftOut.push({ field, message: `${excerptOf(text.trim())} ${why}` });
  }

  #readEmail(cells: readonly string[]): void {
    const { email, rest } = readEmail(cells);
    if (email !== undefined) this.#lead.email = email;
    else this.#unread.email = rest.find(({ text }) => text.includes('@'))?.text ?? '';
    for (const { text, why } of rest) this.#leave('email', text, why);
  }

  #readTags(cells: readonly string[], { separator }: Assigned): void {
    // The service takes no doubles, and knows one Unicode form of each tag.
    const all = cells.map((cell) => tagsOf(cell.normalize('NFC'), separator));
    const wrong = all.find((one) => !Array.isArray(one));
    const given = all
      .flat()
      .map((tag) => (typeof tag === 'string' ? this.#given('tags', tag) : tag));
    const tags = wrong ?? [...new Set(given.filter((tag) => tag !== ''))];
    if (!isEmptyList(tags)) this.#lead.tags = tags;
  }

  #readValue(field: 'value' | 'value_cents', text: string): void {
    const { currency = '' } = this.#reading;
    const country = this.#countryOfNumbers(this.#plan.isOfSystem);
    const other = this.#currencyCells().find((cell) => !means(cell, currency));
    const amount =
      other !== undefined
        ? { why: `is in ${other.trim()}, not in ${currency}` }
        : field === 'value_cents'
          ? { cents: centsOf(text) }
          : readAmount(text, { currency, country });
    if ('cents' in amount) this.#lead.value_cents = amount.cents;
    else this.#leave(field, text, amount.why);
  }

  #currencyCells(): string[] {
    const target = this.#plan.targets.find(({ field }) => field === 'currency');
    return this.#cellsOf(target?.columns ?? []);
  }

  /** A program may have written its numbers in another way than people of the country do. */
  #countryOfNumbers(isOfProgram: boolean): NumberCountry {
    const { country } = this.#reading;
    return isOfProgram ? countryOfPrograms(country) : country;
  }

  #readCustom(key: string, text: string, columns: readonly number[]): void {
    const definition = this.#custom.get(key) ?? { type: '' };
    const { type } = definition;
    const field = columnOf(key);
    if (type === 'date' || type === 'datetime') {
      this.#readDate(this.#fields, key, type, text, field);
      return;
    }
    const { header, isExport, isOfSystem } = this.#plan;
    const isKey = columns.some((i) => /^fields\./i.test(header[i] ?? ''));
    const country = this.#countryOfNumbers(isOfSystem || isKey);
    const given = (one: string) => this.#given(field, one);
    const value = customValue(definition, text, country, isExport, given);
    if (type === 'number' && typeof value === 'string' && mayBeTwoNumbers(value)) {
      const hint = country === undefined ? ': --country says how they are written' : '';
      this.#leave(field, text, `may be two numbers${hint}`);
    } else if (!isEmptyList(value)) this.#fields[key] = value;
  }

  #readDate(
    into: Record<string, unknown>,
    key: string,
    type: 'date' | 'datetime',
    text: string,
    field = key,
  ): void {
    const { isExport } = this.#plan;
    const { value, told } = readDate(type, text, { ...this.#reading.dates, isExport });
    if (value !== undefined) into[key] = value;
    if (told !== undefined) this.#leave(field, text, told);
  }

  /** Called after all other fields: one of them may take a phone that can’t be read. */
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

  #fieldValue(field: string, before: string, cell: string): string {
    // Blanks around an id that an export has are the id's own.
    const idOf = this.#plan.isExport ? wholeText : idText;
    if (field === 'external_id') return `${before}${idOf(cell)}`;
    return field === 'owner_id' || field === 'pipeline_id' ? cell.trim() : cell;
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

/** Whether all values of a list were left out: sent as an empty list, they would clear what the lead has. */
const isEmptyList = (value: unknown): boolean => Array.isArray(value) && value.length === 0;

/** The text of several columns. */
const joined = (cells: readonly string[], isList: boolean): string =>
  cells.map((one) => one.trim()).join(isList ? ';' : ' ');

/** A text that can’t be read as a phone may be a phone all the same, if it has five digits. */
const hasDigits = /\d(\D*\d){4}/;
