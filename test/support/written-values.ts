import fc from 'fast-check';
import { getExampleNumber } from 'libphonenumber-js/max';
import examples from 'libphonenumber-js/mobile/examples';

/** Where a file is written: the currency and clock of who writes it, and the language of its formats, with Latin digits. */
export interface Place {
  country: string;
  currency: string;
  /** Decimals of the currency’s smallest unit, by ISO 4217. */
  decimals: number;
  language: string;
  timeZone: string;
}

const place = (
  ...[country, currency, decimals, language, timeZone]: [string, string, number, string, string]
): Place => ({ country, currency, decimals, language, timeZone });

export const places: readonly Place[] = [
  place('BR', 'BRL', 2, 'pt-BR', 'America/Sao_Paulo'),
  place('US', 'USD', 2, 'en-US', 'America/New_York'),
  place('DE', 'EUR', 2, 'de-DE', 'Europe/Berlin'),
  place('FR', 'EUR', 2, 'fr-FR', 'Europe/Paris'),
  place('CH', 'CHF', 2, 'de-CH', 'Europe/Zurich'),
  place('JP', 'JPY', 0, 'ja-JP', 'Asia/Tokyo'),
  place('KW', 'KWD', 3, 'ar-KW-u-nu-latn', 'Asia/Kuwait'),
  place('TN', 'TND', 3, 'ar-TN-u-nu-latn', 'Africa/Tunis'),
  place('IN', 'INR', 2, 'en-IN', 'Asia/Kolkata'),
  place('MX', 'MXN', 2, 'es-MX', 'America/Mexico_City'),
  place('CL', 'CLP', 0, 'es-CL', 'America/Santiago'),
  place('HU', 'HUF', 2, 'hu-HU', 'Europe/Budapest'),
  place('ID', 'IDR', 2, 'id-ID', 'Asia/Jakarta'),
  place('SE', 'SEK', 2, 'sv-SE', 'Europe/Stockholm'),
  place('PL', 'PLN', 2, 'pl-PL', 'Europe/Warsaw'),
  place('HR', 'EUR', 2, 'hr-HR', 'Europe/Zagreb'),
  place('CZ', 'CZK', 2, 'cs-CZ', 'Europe/Prague'),
  place('TH', 'THB', 2, 'th-TH', 'Asia/Bangkok'),
  place('AU', 'AUD', 2, 'en-AU', 'Australia/Lord_Howe'),
];

/** A value as somebody wrote it into a cell. */
export interface Written {
  /** The field that it is of, and the column that it is in. */
  field: string;
  column: string;
  cell: string;
  /** The lead is to have this. */
  value: unknown;
  /** Whether it can be read for sure: then it has to be. */
  isSure: boolean;
  /** Whether the field takes only a part of what was written: then that is told. */
  isCut?: boolean;
}

const written = (field: string, column = field) => ({
  /** Forms that can be read, or perhaps not. */
  as: (value: unknown, cell: string, isSure = false): Written => ({
    ...{ field, column, cell, value, isSure },
  }),
});

/** A decimal text of whole smallest units. */
const decimalText = (units: bigint, decimals: number): string => {
  const digits = String(units).padStart(decimals + 1, '0');
  return decimals === 0 ? digits : `${digits.slice(0, -decimals)}.${digits.slice(-decimals)}`;
};

/** A sign of a currency in English. */
const signOf = (currency: string): string =>
  new Intl.NumberFormat('en', { style: 'currency', currency, currencyDisplay: 'narrowSymbol' })
    .formatToParts(1)
    .find(({ type }) => type === 'currency')!.value;

/** Whether a number may have been longer: a spreadsheet has only zeros after the 15th digit. */
const isRound = (text: string): boolean => /^0*[1-9]\d{14}0+(?:\.|$)/.test(text);

const amount = ({ currency, decimals, language }: Place): fc.Arbitrary<Written> => {
  const { as } = written('value_cents', 'Amount');
  const form = fc.record({
    units: fc.oneof(fc.bigInt(0n, 2_000_000n), fc.bigInt(0n, 2n ** 53n - 1n)),
    useGrouping: fc.boolean(),
    how: fc.constantFrom(
      ...['own', 'code', 'bare', 'point', 'English', 'no 0', 'sign', 'other', 'k', 'mil', 'E'],
      ...['-', 'words'],
    ),
    other: fc.constantFrom('EUR', 'JPY', 'GBP', 'BRL', 'KWD'),
    display: fc.constantFrom('symbol', 'narrowSymbol'),
  });
  return form.map(({ units, useGrouping, how, other, display }) => {
    const text = decimalText(units, decimals);
    const shape = { useGrouping, minimumFractionDigits: decimals, maximumFractionDigits: decimals };
    const inFigures = (options: Intl.NumberFormatOptions) =>
      new Intl.NumberFormat(language, { ...shape, ...options }).format(text as never);
    const inCurrency = (of: string, currencyDisplay: string) =>
      inFigures({ style: 'currency', currency: of, currencyDisplay: currencyDisplay as 'code' });
    const value = Number(units);
    if (how === 'own') return as(value, inCurrency(currency, display), true);
    if (how === 'code') return as(value, inCurrency(currency, 'code'), true);
    if (how === 'bare') return as(value, inFigures({}), !isRound(text));
    // As databases write it: with a point, in whatever country. Three decimals may be thousands there.
    if (how === 'point') return as(value, text, decimals !== 3 && !isRound(text));
    // As an English program writes whole amounts. Where people write three decimals after a comma, nobody can tell.
    if (how === 'English' && decimals !== 3) {
      const whole = units / 10n ** BigInt(decimals);
      const cell = new Intl.NumberFormat('en').format(whole);
      return as(Number(whole * 10n ** BigInt(decimals)), cell, whole < 1000n);
    }
    // As databases leave out a 0, alone or after a sign. After a word, a point ends the word.
    const withoutZero = text.replace(/^0\./, '.');
    if (how === 'no 0') return as(value, withoutZero);
    if (how === 'sign')
      return as(value, `${signOf(currency).replace(/\p{L}$/u, '')}${withoutZero}`);
    const another = other === currency ? 'NOK' : other;
    if (how === 'other') return as(undefined, inCurrency(another, 'code'));
    if (how === 'k') return as(value * 1000, `${text}k`);
    if (how === 'mil') return as(undefined, `${text} mil`);
    if (how === 'E') return as(undefined, Number(text).toExponential(5).toUpperCase());
    if (how === '-') return as(units === 0n ? 0 : undefined, `-${text}`);
    return as(undefined, `${text} a month`);
  });
};

const years = { min: new Date('1950-01-01'), max: new Date('2049-12-31'), noInvalidDate: true };
const styles = fc.constantFrom('short', 'medium', 'long', 'full');

const dateForms = fc.constantFrom(
  ...['iso', 'midnight', 'time', 'utc', 'style', 'until', 'other weekday'],
);

/** The day that it is in a zone. */
const dayAt = (at: Date, timeZone: string): string =>
  new Intl.DateTimeFormat('sv', { timeZone, dateStyle: 'short' }).format(at);

const date = ({ language, timeZone }: Place): fc.Arbitrary<Written> => {
  const { as } = written('fields.since');
  return fc
    .record({ at: fc.date(years), how: dateForms, style: styles })
    .map(({ at, how, style }) => {
      const iso = at.toISOString();
      const day = iso.slice(0, 10);
      if (how === 'iso') return as(day, day, true);
      if (how === 'midnight') return as(day, `${day} 00:00:00`, true);
      if (how === 'time') return { ...as(day, `${day} 09:14:45`, true), isCut: true };
      if (how === 'utc') return { ...as(dayAt(at, timeZone), iso, true), isCut: true };
      const format = (dateStyle: string) =>
        new Intl.DateTimeFormat(language, { dateStyle: dateStyle as 'short', timeZone: 'UTC' });
      if (how === 'until') return as(undefined, `até ${format(style).format(at)}`);
      if (how === 'other weekday') {
        const dayAfter = format('full').formatToParts(+at + 86_400_000);
        const after = dayAfter.find(({ type }) => type === 'weekday')?.value;
        const parts = format('full').formatToParts(at);
        return as(
          undefined,
          parts.map((one) => (one.type === 'weekday' ? after : one.value)).join(''),
        );
      }
      return as(day, format(style).format(at));
    });
};

/** The first moment at which a clock shows this, as `2024-11-03 01:30:00`; undefined where it never does. */
const momentOf = (local: string, timeZone: string): number | undefined => {
  const clock = new Intl.DateTimeFormat('sv', {
    timeZone,
    dateStyle: 'short',
    timeStyle: 'medium',
  });
  const about = Date.parse(`${local.replace(' ', 'T')}Z`);
  for (let at = about - 15 * 3600_000; at <= about + 15 * 3600_000; at += 15 * 60_000) {
    if (clock.format(at) === local) return at;
  }
  return undefined;
};

const time = ({ language, timeZone }: Place): fc.Arbitrary<Written> => {
  const { as } = written('next_step_at');
  const quarters = fc.integer({ min: 0, max: 80 * 365 * 96 });
  const form = fc.record({
    quarter: quarters,
    how: fc.constantFrom('iso', 'utc', 'finer', 'local', 'style'),
    style: styles,
  });
  return form.map(({ quarter, how, style }) => {
    const at = Date.UTC(1970, 0, 1) + quarter * 15 * 60_000;
    const iso = new Date(at).toISOString();
    if (how === 'utc') return as(iso, iso, true);
    // As databases write it.
    if (how === 'finer')
      return { ...as(iso, iso.replace('T', ' ').replace('Z', '456+00'), true), isCut: true };
    const clock = (dateStyle: string, of: string) =>
      new Intl.DateTimeFormat(of, { timeZone, dateStyle, timeStyle: dateStyle } as never).format(
        at,
      );
    const swedish = { dateStyle: 'short', timeStyle: 'medium', timeZone } as const;
    const local = new Intl.DateTimeFormat('sv', swedish).format(at);
    const first = momentOf(local, timeZone);
    const value = first === undefined ? undefined : new Date(first).toISOString();
    if (how === 'iso') return as(value, local.replace(' ', 'T'), true);
    return how === 'local' ? as(value, local, true) : as(value, clock(style, language));
  });
};

const number = ({ language }: Place): fc.Arbitrary<Written> => {
  const { as } = written('fields.size', 'Size');
  const form = fc.record({
    millionths: fc.bigInt(-(10n ** 15n), 10n ** 15n),
    decimals: fc.integer({ min: 0, max: 6 }),
    useGrouping: fc.boolean(),
    how: fc.constantFrom('bare', 'no 0', 'text', 'E', 'percent', 'words', 'brackets'),
  });
  return form.map(({ millionths, decimals, useGrouping, how }) => {
    const size = millionths < 0n ? -millionths : millionths;
    const text = `${millionths < 0n ? '-' : ''}${decimalText(size, decimals)}`;
    const shape = { useGrouping, minimumFractionDigits: decimals, maximumFractionDigits: 6 };
    const figures = new Intl.NumberFormat(language, shape).format(text as never);
    const value = Number(text) + 0;
    if (how === 'bare') return as(value, figures, !isRound(text.replace('-', '')));
    if (how === 'no 0') return as(value, figures.replace(/^(\D*)0(?=[.,]\d)/, '$1'));
    if (how === 'text') return as(value, `'${figures}`, true);
    if (how === 'brackets') return as(-value + 0, `(${figures})`);
    if (how === 'E') return as(undefined, Number(text).toExponential(5).toUpperCase());
    return as(undefined, how === 'percent' ? `${figures} %` : `${figures} or so`);
  });
};

const id = (): fc.Arbitrary<Written> => {
  const { as } = written('external_id');
  const digits = fc.stringMatching(/^\d{1,17}$/);
  const forms = fc.constantFrom('as it is', '.0', ',00', 'E', '#', "'", '="', 'blanks');
  return fc.tuple(digits, forms).map(([text, how]) => {
    if (how === 'E')
      return as(
        text,
        Number(text)
          .toExponential(5)
          .toUpperCase()
          .replace(/E\+(\d)$/, 'E+0$1'),
      );
    if (how === '#') return as(text, '########');
    if (how === "'") return as(text, `'${text}`, true);
    if (how === '="') return as(text, `="${text}"`, true);
    if (how === 'blanks') return as(text, ` ${text}\u00a0\u200b`, !isRound(text));
    return as(text, how === 'as it is' ? text : `${text}${how}`, !isRound(text));
  });
};

/** An id in a column that a spreadsheet took for numbers: more than 15 digits are lost, but for what is marked as a text. */
const code = (): fc.Arbitrary<Written> => {
  const { as } = written('fields.code');
  const digits = fc.stringMatching(/^[1-9]\d{0,24}$/);
  return fc.tuple(digits, fc.constantFrom('', '.00', ',', "'")).map(([text, how]) => {
    if (how === "'") return as(text, `'${text}`, true);
    if (text.length < 16) return as(text, text, true);
    const cell = text.slice(0, 15).padEnd(text.length, '0');
    return as(text, how === ',' ? cell.replace(/\B(?=(?:\d{3})+$)/g, ',') : `${cell}${how}`);
  });
};

const phone = ({ country }: Place): fc.Arbitrary<Written> => {
  const { as } = written('phone');
  const example = getExampleNumber(country as 'BR', examples)!;
  const how = fc.constantFrom(
    'E.164',
    'INTERNATIONAL',
    'RFC3966',
    'NATIONAL',
    '00',
    '.0',
    'E',
    'ext',
    'two',
  );
  return how.map((one) => {
    const { number: value } = example;
    if (one === '00') return as(value, `00${value.slice(1)}`, true);
    if (one === '.0') return as(value, `${value}.0`);
    if (one === 'E') return as(undefined, Number(value).toExponential(5).toUpperCase());
    if (one === 'ext') return as(value, `${example.formatInternational()} ext. 12`);
    if (one === 'two') return as(value, `${example.formatNational()} / 12`);
    return as(value, example.format(one as 'E.164'), true);
  });
};

const email = (): fc.Arbitrary<Written> => {
  const { as } = written('email');
  const local = fc.stringMatching(/^[a-z0-9][a-z0-9'/+_-]{0,8}[a-z0-9]$/);
  const form = fc.record({ name: local, other: local, id: fc.uuid(), how: fc.nat(7) });
  return form.map(({ name, other, id: unique, how }) => {
    const value = `${name}.${unique}@example.com`;
    const second = `${other}.2.${unique}@example.org`;
    const cells: [string, boolean?][] = [
      [value, true],
      [`  ${value}\u200b`, true],
      [`Ana Souza <${value}>`, true],
      [`mailto:${value}`, true],
      [`${value}; ${second}`],
      [`${value} (no ads)`],
      [`${value}, ${other}@@example`],
      [`${value}/${second}`],
    ];
    const [cell, isSure = false] = cells[how]!;
    return as(value, cell, isSure);
  });
};

export const options = ['Novo', 'Último contato', '>10', '<10', 'C', 'C++', 'Red, dark'];

const choice = (): fc.Arbitrary<Written> => {
  const { as } = written('fields.kind');
  const forms = fc.constantFrom<(text: string) => string>(
    (text) => text,
    (text) => text.toUpperCase(),
    (text) => ` ${text.normalize('NFD').replace(/\p{M}/gu, '')} `,
    (text) => text.replace(/[<>+]/g, ''),
    (text) => `${text}#`,
    (text) => text.replace(' ', '-'),
  );
  return fc.tuple(fc.constantFrom(...options), forms).map(([option, form]) => {
    const cell = form(option);
    // A cell that is another option means that option.
    const isOther = cell !== option && options.includes(cell.trim());
    return as(isOther ? cell.trim() : option, cell, cell === option);
  });
};

const yesNo = (): fc.Arbitrary<Written> => {
  const { as } = written('fields.agreed');
  return fc.constantFrom(
    ...[as(true, 'TRUE', true), as(false, 'FALSO', true), as(true, 'sim', true)],
    ...[as(undefined, 'no?'), as(undefined, '1'), as(undefined, 'perhaps'), as(false, 'Não', true)],
  );
};

const tags = (): fc.Arbitrary<Written> => {
  const { as } = written('tags');
  const tag = fc.stringMatching(/^[a-z]{1,4}[ .&#-]?[a-z0-9]{1,4}$/);
  const form = fc.record({
    all: fc.uniqueArray(tag, { minLength: 1, maxLength: 4 }),
    sign: fc.constantFrom(',', ';', ', ', ' ; '),
    isJson: fc.boolean(),
  });
  return form.map(({ all, sign, isJson }) =>
    as(all, isJson ? JSON.stringify(all) : all.join(sign), true),
  );
};

/** A row as people and spreadsheets write it, in a file of this place. */
export const writtenRow = (of: Place): fc.Arbitrary<Written[]> =>
  fc.tuple(
    ...[amount(of), date(of), time(of), number(of), id(), code(), phone(of), email(), choice()],
    ...[yesNo(), tags()],
  );

/** The columns that have another name than their field. */
export const writtenMap: readonly [string, string][] = [
  ['Amount', 'value'],
  ['Size', 'fields.size'],
];

/** The custom fields that its columns are of. */
export const writtenFields = [
  { key: 'code', type: 'text' },
  { key: 'since', type: 'date' },
  { key: 'size', type: 'number' },
  { key: 'kind', type: 'select', options },
  { key: 'agreed', type: 'boolean' },
];
