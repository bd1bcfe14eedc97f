import { expect, test } from 'vitest';
import { planOf } from '../../../packages/client/src/cli/columns.ts';
import type { CustomFieldsByKey } from '../../../packages/client/src/cli/custom-fields.ts';
import { leadsOfCells } from '../../../packages/client/src/cli/leads.ts';
import { presetOf } from '../../../packages/client/src/cli/presets/presets.ts';
import type { Reading } from '../../../packages/client/src/cli/row-reader.ts';
import { GivenValues } from '../../../packages/client/src/cli/values/given-values.ts';
import { phoneReadingOf } from '../../../packages/client/src/cli/values/phone-reading.ts';
import { csv } from './support.ts';

const phones = await phoneReadingOf('BR');

interface Given {
  map?: [string, string][];
  from?: string;
  others?: 'leave-out';
  custom?: CustomFieldsByKey;
  reading?: Reading;
  countryColumn?: string;
}

/** What a row of a file becomes: its lead, what is left out of it, and what it would be called. */
const made = (row: Record<string, string>, given: Given = {}) => {
  const { map = [], from, others, custom, reading, countryColumn } = given;
  const leadFile = csv(Object.keys(row));
  const preset = from === undefined ? undefined : presetOf(from);
  const plan = planOf(leadFile, { map: new Map(map), preset, countryColumn, others }, custom);
  const values = new GivenValues([], preset?.values);
  const toLead = leadsOfCells(plan, { phones, currency: 'BRL', values, ...reading }, custom);
  const all = toLead({ line: 2, content: { cells: Object.values(row) } });
  if ('problem' in all) return { problem: all.problem };
  const leftOut = (all.leftOut ?? []).map(({ field, message }) => `${field} ${message}`);
  return { lead: all.lead, leftOut, name: all.name, columns: plan.leftOut };
};

const leadOf = (row: Record<string, string>, given?: Given) => made(row, given).lead;

test.each<[string, Record<string, string>, string]>([
  ['company', { company_name: 'Cedro', email: 'a@b.co', phone: '+5511988887777' }, 'Cedro'],
  ['email', { company_name: '', email: 'a@b.co', phone: '+5511988887777' }, 'a@b.co'],
  ['phone', { email: '', phone: '(11) 98888-7777' }, '+5511988887777'],
  ['wrong email', { email: 'a@@b', phone: 'n/a' }, 'a@@b'],
  ['phone that can’t be read', { phone: '98888-7777' }, '98888-7777'],
  ['name, which is blank,', { contact_name: ' \u200b', company_name: 'Cedro' }, 'Cedro'],
])('a lead without a name takes its %s', (_, row, name) => {
  expect(leadOf(row)?.contact_name).toBe(name);
  // One that may be there keeps its name.
  const matched = made(row, { reading: { isMatched: true } });
  expect([matched.lead?.contact_name, matched.name]).toEqual([undefined, name]);
});

test.each([{ tags: 'vip' }, { email: 'n/a', tags: 'vip' }, { phone: 'none', external_id: '1' }])(
  'a row with only %j makes no lead',
  (row) => {
    expect(made(row)).toEqual({ problem: 'has no name, company, email or phone' });
  },
);

test('columns are joined with a blank, without those that are empty', () => {
  const map: [string, string][] = [['First Name+last name=x', '']];
  map[0] = ['First Name+last name', 'contact_name'];
  expect(leadOf({ 'First Name': ' Ana ', 'Last Name': 'Souza' }, { map })).toEqual({
    contact_name: 'Ana Souza',
  });
  expect(leadOf({ 'First Name': '', 'Last Name': 'Souza' }, { map })?.contact_name).toBe('Souza');
  // A column may have the sign in its name.
  expect(leadOf({ 'A+B': 'x' }, { map: [['A+B', 'contact_name']] })?.contact_name).toBe('x');
  // A Mac may write an accent as a sign of its own.
  const ofMac = { ['Razão'.normalize('NFD')]: 'x' };
  expect(leadOf(ofMac, { map: [['Razão', 'contact_name']] })?.contact_name).toBe('x');
  const three = { A: '1', 'B+C': '2', D: '3' };
  expect(leadOf(three, { map: [['A+B+C+D', 'contact_name']] })?.contact_name).toBe('1 2 3');
  const more = { Tags: 'a;b', Labels: 'b, c', contact_name: 'x' };
  expect(leadOf(more, { map: [['Tags+Labels', 'tags']] })?.tags).toEqual(['a', 'b', 'c']);
  const of = { Mail: 'n/a', Other: 'a@b.co' };
  expect(leadOf(of, { map: [['Mail+Other', 'email']] })?.email).toBe('a@b.co');
});

test.each<[string, [string, string][], string]>([
  [
    'no column',
    [['First+Second', 'contact_name']],
    '--map names “First+Second”, which is no column',
  ],
  ['an owner', [['A+B', 'owner_id']], '“A+B” one field: that can be contact_name, company_name,'],
  [
    'no field',
    [['A', 'nope']],
    '--map makes “A” the field “nope”, which a lead does not have.\nThe column “B” is no field of a lead.',
  ],
  ['a field that is not there', [['A+B', 'fields.nope']], 'makes “A+B” the field “fields.nope”'],
  [
    'an amount twice',
    [
      ['A', 'value'],
      ['B', 'value_cents'],
    ],
    'Two columns are the field value_cents',
  ],
])('--map of %s is refused', (_, map, message) => {
  expect(() => made({ A: '1', B: '2' }, { map })).toThrow(message);
});

test('a row’s country is that of its column, else the one that was said', () => {
  const lead = (Country: string, phone: string) =>
    made({ contact_name: 'Ana', Country, phone }, { countryColumn: 'country' });
  expect(lead('Portugal', '912 345 678').lead?.phone).toBe('+351912345678');
  expect(lead('', '(11) 98888-7777').lead?.phone).toBe('+5511988887777');
  const unknown = lead('Atlantis', '(11) 98888-7777');
  expect(unknown.lead).toEqual({ contact_name: 'Ana' });
  expect(unknown.leftOut).toEqual([
    'country “Atlantis” is no country that is known',
    'phone “(11) 98888-7777” has no country: --country or --country-column says which',
  ]);
  expect(lead('Atlantis', '+351 912 345 678').lead?.phone).toBe('+351912345678');
  expect(() => made({ phone: '' }, { countryColumn: 'Land' })).toThrow(
    '--country-column names “Land”',
  );
});

const custom: CustomFieldsByKey = new Map([
  ['phone_text', { type: 'text', label: 'Phone' }],
  ['create_date', { type: 'date', label: 'Made there' }],
  ['colors', { type: 'multi_select', options: ['Red, dark', 'Blue'] }],
  ['old', { type: 'text', label: 'Old', archived: true }],
]);

test('what of a phone can’t be read goes into the field for that, beside what is there', () => {
  const reading = { unreadPhone: 'phone_text' };
  const row = { contact_name: 'Ana', phone: 'n/a', 'fields.phone_text': 'by Rui' };
  const { lead, leftOut } = made(row, { custom, reading });
  expect([lead?.fields, leftOut]).toEqual([{ phone_text: 'by Rui; n/a' }, []]);
  // Twice is once, as on the second import.
  const again = made({ ...row, 'fields.phone_text': 'n/a' }, { custom, reading });
  expect(again.lead?.fields).toEqual({ phone_text: 'n/a' });
  const long = made({ ...row, phone: 'x'.repeat(501) }, { custom, reading });
  expect([long.lead?.fields, long.leftOut?.length]).toEqual([{ phone_text: 'by Rui' }, 1]);
  const two = made({ ...row, phone: '(11) 98888-7777 / 3333' }, { custom, reading });
  expect(two.lead).toMatchObject({
    phone: '+5511988887777',
    fields: { phone_text: 'by Rui; 3333' },
  });
});

test('values of the file are those of the API, in any case of letters; others stay', () => {
  const id = '0cb252aa-aeea-5e6d-91d6-71543bd1ece2';
  const values = new GivenValues([
    `owner_id=Ana Souza=${id}`,
    'stage=Open=new;Closed Won=won;Old=',
    'tags=vip=VIP',
    'fields.colors=dark=Red, dark',
  ]);
  const given: Given = { custom, reading: { values, isMatched: true } };
  const row = {
    owner_id: ' ana souza ',
    stage: 'CLOSED WON',
    tags: 'vip;x',
    'fields.colors': 'dark;Blue',
  };
  expect(leadOf(row, given)).toEqual({
    owner_id: id,
    stage: 'won',
    tags: ['VIP', 'x'],
    fields: { colors: ['Red, dark', 'Blue'] },
  });
  const { lead, leftOut } = made({ owner_id: "O'Hara", stage: 'old' }, given);
  expect(lead).toEqual({});
  expect(leftOut).toEqual([
    "owner_id “O'Hara” is no member’s id: the lead goes unowned, unless --values 'owner_id=O'\\''Hara=ID' says whose it is",
  ]);
  expect(leadOf({ stage: 'Other' }, given)).toEqual({ stage: 'Other' });
});

test('a date that may be two ends the import, with its line', () => {
  const row = { contact_name: 'Ana', 'fields.create_date': '05/06/2024' };
  expect(() => made(row, { custom })).toThrow('Line 2: “05/06/2024” can be two dates.');
  const reading: Reading = { dates: { order: 'dmy' } };
  expect(leadOf(row, { custom, reading })?.fields).toEqual({ create_date: '2024-06-05' });
  const { leftOut } = made({ ...row, 'fields.create_date': 'soon' }, { custom });
  expect(leftOut).toEqual(['fields.create_date “soon” is no date']);
});

test('a day of which a cell has the time, too, is in and told', () => {
  const row = { contact_name: 'Ana', 'fields.create_date': '2024-03-15 09:14' };
  expect(made(row, { custom })).toMatchObject({
    lead: { fields: { create_date: '2024-03-15' } },
    leftOut: ['fields.create_date “2024-03-15 09:14” is cut to 2024-03-15, without its time'],
  });
});

test('options of another system, between semicolons, may have commas', () => {
  const lead = leadOf({ contact_name: 'x', 'fields.colors': 'Red, dark;Blue' }, { custom });
  expect(lead?.fields).toEqual({ colors: ['Red, dark', 'Blue'] });
});

test('an export of HubSpot is known by its columns, in any case and with other blanks', () => {
  const row = {
    'record id': '101',
    'First  Name': 'Ana',
    'LAST NAME': 'Souza',
    Email: 'ana@example.com',
    'Phone Number': '',
    'Mobile Phone Number': '912 345 678',
    'Country/Region': 'Portugal',
    'Company Name': '',
    'Associated Company': 'Cedro',
    'Create Date': '2024-03-12 09:14',
    Old: 'x',
    'Lead Status': 'NEW',
  };
  expect(leadOf(row, { from: 'hubspot', custom })).toEqual({
    external_id: '101',
    contact_name: 'Ana Souza',
    company_name: 'Cedro',
    email: 'ana@example.com',
    phone: '+351912345678',
    fields: { create_date: '2024-03-12' },
  });
  const plan = planOf(
    csv(Object.keys(row)),
    { map: new Map(), preset: presetOf('hubspot') },
    custom,
  );
  expect(plan.leftOut).toEqual(['Old', 'Lead Status']);
  // What --map says counts more, of columns and of fields.
  const map: [string, string][] = [
    ['Lead Status', 'company_name'],
    ['Record ID', ''],
  ];
  expect(leadOf(row, { from: 'hubspot', map, custom })).toMatchObject({ company_name: 'NEW' });
  expect(leadOf(row, { from: 'hubspot', map, custom })).not.toHaveProperty('external_id');
});

test.each<[string, Record<string, string>, object]>([
  [
    'people',
    {
      'Person - ID': '7',
      'Person - Name': 'Ana Souza',
      'Person - Labels': 'Hot lead, Customer',
      'Person - Organization': 'Cedro',
      'Person - Email - Work': '',
      'Person - Email - Home': 'ana@example.com',
      'Person - Phone - Mobile': '(11) 98888-7777',
      'Person - Phone - Work': '',
    },
    {
      external_id: '7',
      contact_name: 'Ana Souza',
      company_name: 'Cedro',
      email: 'ana@example.com',
      phone: '+5511988887777',
      tags: ['Hot lead', 'Customer'],
    },
  ],
  [
    'deals',
    {
      'Deal - ID': '7',
      'Deal - Title': 'Cedro deal',
      'Deal - Value': '1,250.50',
      'Deal - Currency of Value': 'BRL',
      'Deal - Organization': '',
      'Person - ID': '9',
    },
    { external_id: 'deal-7', contact_name: 'Cedro deal', value_cents: 125_050 },
  ],
  [
    'leads',
    {
      'Lead - ID': 'ab',
      'Lead - Title': 'Cedro lead',
      'Lead - Contact person': 'Ana',
      'Lead - Value': '10',
    },
    { external_id: 'ab', contact_name: 'Ana', value_cents: 1000 },
  ],
])('an export of %s from Pipedrive is known by its columns', (_, row, lead) => {
  expect(leadOf(row, { from: 'pipedrive' })).toEqual(lead);
});

test('of an export of another system, or of none, it is told which', () => {
  const row = { 'Record ID': '1', 'First Name': 'Ana', Email: 'a@b.co' };
  for (const from of ['pipedrive', 'google', 'meta']) {
    expect(() => made(row, { from })).toThrow('say --from hubspot');
  }
  // A file of which two presets know as much.
  expect(leadOf({ Email: 'a@b.co', Phone: '' }, { from: 'zoho' })).toMatchObject({
    email: 'a@b.co',
  });
  expect(() => made({ Town: '1' }, { from: 'hubspot' })).toThrow('is no export of HubSpot');
});

test('columns of options are joined as options', () => {
  const map: [string, string][] = [['A+B', 'fields.colors']];
  const lead = leadOf({ contact_name: 'x', A: 'blue', B: 'RED, dark' }, { custom, map });
  expect(lead?.fields).toEqual({ colors: ['Blue', 'Red, dark'] });
});

test('a next step is due as the sheet says it, and one that can’t be read is left out', () => {
  const reading: Reading = { dates: { order: 'dmy', timeZone: 'America/Sao_Paulo' } };
  const map: [string, string][] = [
    ['Due', 'next_step_at'],
    ['Task', 'next_step'],
  ];
  const row = (Due: string) => made({ contact_name: 'x', Due, Task: 'Call' }, { map, reading });
  expect(row('01/12/2026 10:00')).toMatchObject({
    lead: { next_step_at: '2026-12-01T13:00:00.000Z', next_step: 'Call' },
    leftOut: [],
  });
  const { lead, leftOut } = row('soon');
  expect([lead, leftOut]).toEqual([
    { contact_name: 'x', next_step: 'Call' },
    ['next_step_at “soon” is no date'],
  ]);
});

test('what a spreadsheet has destroyed is no value: it is told, whatever it was of', () => {
  const row = {
    contact_name: '#N/A',
    external_id: '1.23457E+11',
    email: '#REF!',
    tags: '#VALUE!',
    'fields.phone_text': '1.23457E+13',
    'fields.create_date': '########',
    phone: '5.51199E+12',
    company_name: 'Cedro',
  };
  const { lead, leftOut } = made(row, { custom });
  expect(lead).toEqual({ contact_name: 'Cedro', company_name: 'Cedro' });
  expect(leftOut).toEqual([
    'contact_name “#N/A” is the error of a formula',
    'external_id “1.23457E+11” was shortened by a spreadsheet',
    'email “#REF!” is the error of a formula',
    'tags “#VALUE!” is the error of a formula',
    'fields.phone_text “1.23457E+13” was shortened by a spreadsheet',
    'fields.create_date “########” was too long for a column of a spreadsheet',
    'phone “5.51199E+12” was shortened by a spreadsheet',
  ]);
  // `--values` may know what it was.
  const values = new GivenValues(['fields.phone_text=#N/A=none']);
  const known = made(
    { contact_name: 'x', 'fields.phone_text': '#N/A' },
    { custom, reading: { values } },
  );
  expect(known).toMatchObject({ lead: { fields: { phone_text: 'none' } }, leftOut: [] });
});

test('a whole number has no decimals of a spreadsheet', () => {
  const row = { contact_name: 'x', external_id: '123.0', value_cents: '500.00' };
  expect(leadOf(row)).toEqual({ contact_name: 'x', external_id: '123', value_cents: 500 });
  expect(leadOf({ 'Deal - ID': '7.0', 'Deal - Title': 'x' }, { from: 'pipedrive' })).toMatchObject({
    external_id: 'deal-7',
  });
  // A number that is not whole, or too large, stays a text, which the service refuses.
  for (const cell of ['9007199254740993', '12.5', '1,250']) {
    expect(leadOf({ contact_name: 'x', value_cents: cell })?.value_cents).toBe(cell);
  }
});

test('a row whose currency is another one comes without its amount', () => {
  const map: [string, string][] = [
    ['Amount', 'value'],
    ['Currency', 'currency'],
  ];
  const row = (Amount: string, Currency: string) =>
    made({ contact_name: 'x', Amount, Currency }, { map });
  for (const own of ['BRL', 'R$', 'BRL - Brazilian Real', '']) {
    expect(row('1.250,50', own)).toMatchObject({ lead: { value_cents: 125_050 }, leftOut: [] });
  }
  expect(row('1.250,50', 'USD')).toMatchObject({
    lead: { contact_name: 'x' },
    leftOut: ['value_cents “1.250,50” is in USD, not in BRL'],
  });
  expect(row('US$ 5', 'BRL').leftOut).toEqual(['value_cents “US$ 5” is not in BRL']);
  expect(row('', 'USD').leftOut).toEqual([]);
  const cents = { contact_name: 'x', value_cents: '5', Currency: 'EUR' };
  const { lead, leftOut } = made(cents, { map: [['Currency', 'currency']] });
  expect([lead, leftOut]).toEqual([
    { contact_name: 'x' },
    ['value_cents “5” is in EUR, not in BRL'],
  ]);
});

test('a second column of one field is told where it says something else', () => {
  const row = { Email: 'a@b.co', 'Company Name': 'Cedro', 'Associated Company': 'Pinho Ltda' };
  expect(made(row, { from: 'hubspot' })).toMatchObject({
    lead: { company_name: 'Cedro' },
    leftOut: ['company_name “Pinho Ltda” is a further value'],
  });
  const same = { ...row, 'Associated Company': ' CEDRO' };
  expect(made(same, { from: 'hubspot' }).leftOut).toEqual([]);
});

test('a wrong list of tags does not hide those of other columns', () => {
  const map: [string, string][] = [['A+B', 'tags']];
  const { lead } = made({ contact_name: 'x', A: 'vip', B: '["a",1e999]' }, { map });
  expect(lead?.tags).toBe('["a",1e999]');
});

test('with --others, columns that are not known are left out, and told', () => {
  const row = { Email: 'a@b.co', Town: 'Porto', Currency: 'USD' };
  expect(() => made(row)).toThrow('The column “Town” is no field of a lead.');
  const { lead, columns } = made(row, { others: 'leave-out' });
  expect([lead?.email, columns]).toEqual(['a@b.co', ['Town', 'Currency']]);
  // A field that is named wrong is told all the same.
  const map: [string, string][] = [['Town', 'town']];
  expect(() => made(row, { others: 'leave-out', map })).toThrow('“Town” the field “town”');
});

test('a title has its own field, or is told', () => {
  const row = { 'Deal - ID': '7', 'Deal - Title': 'Roof', 'Deal - Contact person': 'Ana' };
  expect(made(row, { from: 'pipedrive' })).toMatchObject({
    lead: { contact_name: 'Ana' },
    columns: ['Deal - Title (but for leads without another name)'],
  });
  const titled: CustomFieldsByKey = new Map([['title', { type: 'text', label: 'Title' }]]);
  const { lead, columns } = made(row, { from: 'pipedrive', custom: titled });
  expect([lead?.fields, columns]).toEqual([{ title: 'Roof' }, []]);
});

test('numbers are as in JSON in what `leads export` wrote, and elsewhere as people or programs write them', () => {
  const age: CustomFieldsByKey = new Map([['age', { type: 'number', label: 'Age' }]]);
  const times = { id: 'x', stage_entered_at: '', created_at: '', updated_at: '' };
  const of = (row: Record<string, string>, country?: string, given: Given = {}) =>
    leadOf({ contact_name: 'x', ...row }, { custom: age, reading: { country }, ...given })?.fields;
  const exported = { 'fields.age': '1.234', ...times };
  expect([of(exported), of(exported, 'BR')]).toEqual([{ age: 1.234 }, { age: 1.234 }]);
  const map: Given = { map: [['Age', 'fields.age']] };
  const people = (country?: string) => of({ Age: '1.234' }, country, map);
  expect([people(), people('BR'), people('US')]).toEqual([
    ...[undefined, { age: 1234 }, { age: 1.234 }],
  ]);
  // Who wrote these is not known, or is another system: it may be 1.234 in Brazil, too.
  const named = (country?: string) => of({ 'fields.age': '1.234' }, country);
  const system = (country?: string) =>
    of({ 'Record ID': '1', 'First Name': 'x', Age: '1.234' }, country, { from: 'hubspot' });
  for (const one of [named, system]) {
    expect([one(), one('BR'), one('US')]).toEqual([undefined, undefined, { age: 1.234 }]);
  }
  const told = (row: Record<string, string>, country?: string) =>
    made({ contact_name: 'x', ...row }, { custom: age, reading: { country }, ...map }).leftOut;
  expect(told({ Age: '-1,234' })).toEqual([
    'fields.age “-1,234” may be two numbers: --country says how they are written',
  ]);
  expect(told({ Age: '1,234' }, 'CA')).toEqual(['fields.age “1,234” may be two numbers']);
  // The service says what is wrong with other texts.
  expect([told({ Age: '5k' }), of({ Age: '5k' }, 'US', map)]).toEqual([[], { age: '5k' }]);
});

test('an amount of another system is not read as people of the phones’ country write it', () => {
  const row = (value: string) => ({ 'Deal - ID': '7', 'Deal - Title': 'x', 'Deal - Value': value });
  const read = (value: string, country: string) =>
    made(row(value), { from: 'pipedrive', reading: { country } });
  expect(read('1.250', 'BR').leftOut).toEqual(['value_cents “1.250” is no amount, or may be two']);
  expect(read('1.250,00', 'BR').lead).toMatchObject({ value_cents: 125_000 });
  expect(read('1,250', 'US').lead).toMatchObject({ value_cents: 125_000 });
});

test('a text that a program kept from a spreadsheet is that text', () => {
  const row = {
    contact_name: '="Ana ""A"" Souza"',
    external_id: '="007"',
    phone: '="+5511988887777"',
  };
  expect(leadOf(row)).toEqual({
    contact_name: 'Ana "A" Souza',
    external_id: '007',
    phone: '+5511988887777',
  });
});
