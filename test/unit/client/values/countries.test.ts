import { expect, test, vi } from 'vitest';
import { countryOf } from '../../../../packages/client/src/cli/values/countries.ts';

test.each([
  ['BR', 'BR br BRA Brazil Brasil BRASIL brésil Brasilien Brasile Бразилия ブラジル +55 55'],
  ['US', 'US USA U.S.A. EUA E.U.A. EEUU 1'],
  ['GB', 'GB UK U.K. GBR England Inglaterra'],
  ['DE', 'DE DEU Deutschland Alemanha Germany Allemagne'],
  ['RU', 'RU RUS Russia Rússia'],
  ['MA', '+212 Marrocos'],
])('%s is also called %s', (country, names) => {
  for (const name of names.split(' ')) expect([name, countryOf(name)]).toEqual([name, country]);
});

test.each([
  ['United States of America', 'US'],
  ['Estados Unidos', 'US'],
  ['EE. UU.', 'US'],
  ['  Reino  Unido ', 'GB'],
  ['Brazil (BR)', 'BR'],
  ['BR - Brasil', 'BR'],
  ['São Paulo, Brasil', 'BR'],
  ['Côte d’Ivoire', 'CI'],
  ['República Checa', 'CZ'],
  ['Países Baixos', 'NL'],
  ['South Korea', 'KR'],
  ['Lisboa, PRT', 'PT'],
])('%j is %s', (name, country) => {
  expect(countryOf(name)).toBe(country);
});

// After a town, two letters may be a state.
const none = ['', 'Atlantis', 'XX', 'Portugal, Brasil', '999', 'n/a', 'Dover, DE', 'Portland, ME'];
test.each(none)('%j is none', (name) => {
  expect(countryOf(name)).toBeUndefined();
});

// All names are collected when the first is asked for. In mutation tests, which load modules anew here, that is here.
test('codes count more than names, and a name that two countries have is of neither', async () => {
  vi.resetModules();
  const countries = await import('../../../../packages/client/src/cli/values/countries.ts');
  const found = (names: readonly string[]) => names.map((name) => countries.countryOf(name));
  expect(found(['PT', 'prt', 'Portugal', 'Portogallo', '포르투갈', '351', '+351'])).toEqual(
    Array(7).fill('PT'),
  );
  expect(found(['CH', 'CHE', 'Suíça', 'Svizzera', '41'])).toEqual(Array(5).fill('CH'));
  expect(found(['UK', 'England', 'Reino Unido', '44'])).toEqual(Array(4).fill('GB'));
  expect(found(['DRC', 'Congo-Kinshasa', 'Congo-Brazzaville'])).toEqual(['CD', 'CD', 'CG']);
  // In some languages the one is called so, in others the other one.
  expect(found(['Kongo'])).toEqual([undefined]);
  // Each calling code is of the first country that has it. Some are of none.
  expect(found(['1', '7', '39', '47', '262', '800', '870', ''])).toEqual([
    ...['US', 'RU', 'IT', 'NO', 'RE'],
    ...[undefined, undefined, undefined],
  ]);
  expect(found(['Brazil (BR)', 'BR [Brasil]', '(Brasil) '])).toEqual(Array(3).fill('BR'));
});
