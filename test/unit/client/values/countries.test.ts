import { expect, test } from 'vitest';
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
