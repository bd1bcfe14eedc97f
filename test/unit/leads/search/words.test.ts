import { expect, test } from 'vitest';
import {
  countWords,
  matchWords,
  mostWords,
  parseTerms,
  wordsOf,
} from '../../../../lib/leads/search/words.ts';

const lead = (contact_name: string, fields: object = {}) => ({
  contact_name,
  company_name: null,
  email: null,
  phone: null,
  ...fields,
});

test.each([
  ['Maria Silva', ['maria', 'silva']],
  ['José Conceição', ['jose', 'conceicao']],
  ['JOSE\u0301', ['jose']],
  ['O’Brien, Jean-Luc', ['o', 'brien', 'jean', 'luc']],
  ['ﬁnance ２４ ½', ['finance', '24', '1', '2']],
  ['Οδυσσεύς ΟΔΥΣΣΕΥΣ', ['οδυσσευσ']],
  ['İstanbul ISTANBUL ıstanbul', ['istanbul']],
  ['Straße STRASSE strasse STRAẞE', ['strasse']],
  [
    'Łukasz Øresund Đorđe Æsir Œuvre Ħal Þór',
    ['lukasz', 'oresund', 'dorde', 'aesir', 'oeuvre', 'hal', 'thor'],
  ],
  ['ŁUKASZ ØRESUND', ['lukasz', 'oresund']],
  // A soft hyphen, a joiner, a mark of order and a byte order mark are no boundaries.
  ['Con\u00adceição Ma\u200dria \u200eAna\ufeff Li\u2060ma', ['conceicao', 'maria', 'ana', 'lima']],
  ['東京 タワー', ['東京', 'タワー']],
  ['Ana🚀Rui', ['ana', 'rui']],
  ['🚀', []],
  ['ana ANA áná', ['ana']],
])('%s has these words: %j', (name, words) => {
  expect(wordsOf(lead(name)).map((word) => word.normalize('NFC'))).toEqual(words);
});

test('the words of a lead are the same in any case, for every letter', () => {
  const wordsIn = (text: string) => wordsOf(lead(text)).join(' ');
  let cased = 0;
  for (let code = 0; code <= 0x10ffff; code++) {
    const letter = String.fromCodePoint(code);
    // An iota below a Greek letter is an accent, and in capitals a letter of its own.
    if (!/\p{L}/u.test(letter) || letter.normalize('NFD').includes('\u0345')) continue;
    const [upper, lower] = [letter.toUpperCase(), letter.toLowerCase()];
    if (upper === lower) continue;
    cased++;
    expect([letter, wordsIn(upper), wordsIn(lower)]).toEqual([
      letter,
      wordsIn(letter),
      wordsIn(letter),
    ]);
  }
  expect(cased).toBeGreaterThan(2000);
});

test('the words of a lead come from name, company, email and phone, in this order, at most eleven', () => {
  const fields = {
    company_name: 'Cedro Ltda',
    email: 'Ana.Silva+crm@Example.com',
    phone: '+5511987654321',
  };
  expect(wordsOf(lead('Ana', fields))).toEqual([
    'ana',
    'cedro',
    'ltda',
    'ana.silva+crm@example.com',
    'ana.silva+crm',
    'example.com',
    '5511987654321',
    '-1234567891155',
  ]);
  const long = Array.from({ length: 10 }, (_, i) => `w${i}`);
  const words = wordsOf(lead(long.join(' '), fields));
  expect(words).toEqual([...long, 'cedro']);
  expect(words.length).toBe(mostWords);
});

test('the words of a lead count by their first 200 characters, which fit into a key', () => {
  const [word] = wordsOf(lead('\u{1D400}'.repeat(200)));
  expect(word).toBe('a'.repeat(200));
  const [wide] = wordsOf(lead('\u{20000}'.repeat(200)));
  expect(Buffer.byteLength(wide!)).toBe(800);
  expect(wordsOf(lead('한'.repeat(200)))[0]!.length).toBe(200);
});

const ana = wordsOf(
  lead('Ana Conceição O’Neil', { email: 'ana.c@example.com', phone: '+5511987654321' }),
);
test.each([
  ['ana', 'whole'],
  ['ANA conceicao', 'whole'],
  ['an', 'beginning'],
  ['conc ana', 'beginning'],
  ['na', undefined],
  ['ana silva', undefined],
  ['o’neil', 'whole'],
  ['o-ne', 'beginning'],
  ['oneil', undefined],
  ['ana.c@example.com', 'whole'],
  ['ANA.C@EX', 'beginning'],
  ['ana.c', 'whole'],
  ['@example.com', 'whole'],
  ['Ana Conceição <ana.c@example.com>', 'whole'],
  ['"ana.c@example.com",', 'whole'],
  ['ana.c@example.', 'beginning'],
  ['ana.c@;', 'beginning'],
  ['ana.c+@example.com', undefined],
  ['example.com', 'whole'],
  ['example.c', 'beginning'],
  ['example.org', undefined],
  ['+55 11', undefined],
  ['+55 11 98765-4321', 'whole'],
  ['+55 (11) 98765 4321', 'whole'],
  ['0055 11 98765.4321', 'whole'],
  ['+55 (0)11 98765-4321', 'whole'],
  ['5511987654321', 'whole'],
  ['(11) 98765-4321', 'beginning'],
  ['(011) 98765‑4321', 'beginning'],
  ['11/98765–4321', 'beginning'],
  ['11987654321', 'beginning'],
  ['98765-4321', 'beginning'],
  ['ana (11) 98765-4321', 'beginning'],
  ['11 98765-4321, neil', 'beginning'],
  ['+55 11 98', 'beginning'],
  ['+1 11 98765-4321', undefined],
  ['(0)(0)(0)(0)(0)0', undefined],
  ['001234', undefined],
  ['(11) 98765-4322', undefined],
  ['maria (11) 98765-4321', undefined],
  ['(21) 98765-4321', undefined],
  ['+5511', 'beginning'],
  ['🚀 ana', 'whole'],
])('of a lead, the query %s matches: %s', (query, match) => {
  expect(matchWords(ana, parseTerms(query))).toBe(match);
});

test.each([
  ['Silva, Souza, Santos, Lima, Costa, Rocha & Dias Advogados', 8],
  ['Müller-Lüdenscheidt GmbH & Co. KG', 5],
  ['ana.silva@example.com ana', 2],
  ['a, a. a', 3],
  ['🚀 -- ’', 0],
])('the query %s has %i words', (query, count) => {
  expect(countWords(parseTerms(query))).toBe(count);
});

test('numbers that are no phone are words as ever, also beside one', () => {
  const store = wordsOf(
    lead('Loja 24-11', { company_name: 'Rua 2024 11 15', phone: '+4930123456' }),
  );
  for (const query of ['24-11', '2024 11 15', 'loja 2024', 'rua 030 / 12 34 56', '2024-11-15 loja'])
    expect([query, matchWords(store, parseTerms(query))]).not.toEqual([query, undefined]);
  expect(matchWords(store, parseTerms('2024 11 16'))).toBeUndefined();
  const address = wordsOf(lead('Ana', { email: '123456-7@example.com' }));
  expect(matchWords(address, parseTerms('123456-7@example.com'))).toBe('whole');
});
