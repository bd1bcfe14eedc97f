import { expect, test } from 'vitest';
import { nearest, perhaps } from '../../../lib/errors/nearest.ts';

const names = [
  'contact_name',
  'company_name',
  'email',
  'phone',
  'owner_id',
  'stage',
  'value_cents',
];

test.each([
  ['ownerId', 'owner_id'],
  ['Owner-ID', 'owner_id'],
  ['owner', 'owner_id'],
  ['emial', 'email'],
  ['e-mail', 'email'],
  ['mail', 'email'],
  ['stge', 'stage'],
  ['stages', 'stage'],
  ['stage_id', 'stage'],
  ['telephone', 'phone'],
  ['company', 'company_name'],
  ['contact_nmae', 'contact_name'],
  ['value', 'value_cents'],
])('%s is most like %s', (text, name) => {
  expect(nearest(text, names)).toBe(name);
});

test.each(['', 'x', 'id', 'birthday', '__proto__', '💥', `stage${'e'.repeat(36)}`])(
  '“%s” is like none',
  (text) => {
    expect([nearest(text, names), perhaps(text, names)]).toEqual([undefined, '']);
  },
);

test('a message names what may be meant', () => {
  expect(perhaps('stge', names)).toBe('; perhaps stage is meant');
});
