import { expect, test } from 'vitest';
import { provision } from '../support/organization.ts';

// 4 bytes a character: an entry that changes all of it is some 9 kB, and a page of 200 more than the
// 1 MB at which DynamoDB stops reading.
const wide = (i: number, length: number) =>
  '\u{1F680}'.repeat(length - 3) + String(i).padStart(3, '0');

test('a history that is longer than one read of DynamoDB is told to its end', async () => {
  const organization = await provision();
  const { id } = await organization.lead();
  const changes = 150;
  for (let i = 0; i < changes; i++) {
    await organization.patch(`/leads/${id}`, {
      contact_name: wide(i, 200),
      company_name: wide(i, 200),
      tags: Array.from({ length: 20 }, (_, t) => wide(i, 45) + String.fromCharCode(65 + t)),
    });
  }
  const entries = await organization.readAll(`/leads/${id}/history`);
  expect(entries.map(({ version }) => version)).toEqual(
    Array.from({ length: changes + 1 }, (_, i) => changes + 1 - i),
  );
});
