import { expect, test } from 'vitest';
import { matchWords, parseTerms, wordsOf } from '../../../../lib/leads/search/words.ts';

// What people type for names and phones, without marks. The model is the collation of ICU, at its base level, which knows
// nothing of how words are folded.

const lead = (contact_name: string, phone: string | null = null) =>
  wordsOf({ contact_name, company_name: null, email: null, phone });
const isFound = (words: readonly string[], query: string) =>
  matchWords(words, parseTerms(query)) !== undefined;

const names =
  `Łukasz Żółć Øyvind Sørensen Đorđević Ħamrun Æsir Œuvre Strauß STRAẞE Núñez Çelik Şahin Ağa Ångström Björk
Dvořák Škoda Đặng Nguyễn Ștefan Țară Ēriks Ķirsis Ģirts Ūdris Ĺubica Ôté Ñandú Ýmir Ðorvald Ērika Zoë Ægir Bjørn Håkon
Ｆｕｌｌ ﬁnn Οδυσσεύς ΟΔΥΣΣΕΥΣ Αθήνα Ёлкин Con\u00adceição Ma\u200dria Li\u2060ma \ufeffAna`.split(
    /\s+/,
  );
const typed =
  `lukasz zolc oyvind sorensen dordevic hamrun aesir oeuvre strauss strasse nunez celik sahin aga angstrom bjork
dvorak skoda dang nguyen stefan tara eriks kirsis girts udris lubica ote nandu ymir dorvald erika zoe aegir bjorn hakon
full finn οδυσσευσ οδυσσευσ αθηνα елкин conceicao maria lima ana`.split(/\s+/);

const { compare } = new Intl.Collator('en', { sensitivity: 'base', usage: 'search' });

/** Whether a name is what was typed, or begins so, by its letters as the collation compares them. */
const beginsSo = (name: string, query: string): boolean =>
  Array.from({ length: name.length }, (_, i) => name.slice(0, i + 1)).some(
    (beginning) => compare(beginning, query) === 0,
  );

test('each name is found by what people type for it, and by no other that the collation does not find', () => {
  expect(typed.length).toBe(names.length);
  let found = 0;
  for (const [i, name] of names.entries()) {
    const words = lead(name);
    expect([name, isFound(words, typed[i]!)]).toEqual([name, true]);
    for (const query of [...typed, ...names]) {
      // A half of a letter that stands for two is typed by nobody.
      const expected = beginsSo(name, query);
      expect([name, query, isFound(words, query)]).toEqual([name, query, expected]);
      if (expected) found++;
    }
  }
  expect(found).toBeGreaterThan(names.length);
});

test.each([
  ['Ŧomas', 'tomas'],
  ['Þór', 'thor'],
  ['Ƶan', 'zan'],
  ['DIYARBAKIR', 'dıyarbakır'],
  ['Işık', 'ISIK'],
])('%s is found by %s, which the collation of all languages tells apart', (name, query) => {
  expect(isFound(lead(name), query)).toBe(true);
  expect(isFound(lead(query), name)).toBe(true);
});

test.each([
  ['+5511987654321', '(11) 98765-4321', true],
  ['+5511987654321', '98765 4321', true],
  ['+5511987654321', '(21) 98765-4321', false],
  ['+14155552671', '(415) 555-2671', true],
  ['+14155552671', '415.555.2671', true],
  ['+14155552671', '+1 415-555-2671', true],
  ['+442079460958', '020 7946 0958', true],
  ['+442079460958', '+44 (0)20 7946 0958', true],
  ['+4930123456', '030 / 12 34 56', true],
  ['+4930123456', '0049 30 123456', true],
  ['+33142685300', '01 42 68 53 00', true],
  ['+390612345678', '06 1234 5678', true],
  ['+33142685300', '01 42 68 53 01', false],
])('of the phone %s, %s is found: %s', (phone, query, expected) => {
  expect(isFound(lead('Ana', phone), query)).toBe(expected);
  expect(isFound(lead('Ana', phone), `ana ${query}`)).toBe(expected);
});
