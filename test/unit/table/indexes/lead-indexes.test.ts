import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import {
  type LeadOrder,
  leadIndexes,
  leadOrderNames,
  leadOrders,
  orderText,
} from '../../../../lib/table/indexes/lead-indexes.ts';
import { compareValues, orderRules } from '../../../support/order-values.ts';

const architecture = join(import.meta.dirname, '../../../../docs/architecture.md');

const valuesOf = (order: LeadOrder): readonly (string | number)[] => orderRules[order].values;

test.each(leadOrderNames)('texts by %s sort as the values do', (order) => {
  const [first, ...others] = valuesOf(order);
  expect(others.some((other) => compareValues(order, first!, other) !== 0)).toBe(true);
  for (const one of valuesOf(order)) {
    for (const other of valuesOf(order)) {
      const [a, b] = [orderText(order, one), orderText(order, other)];
      const isSorted = Math.sign(compareValues(order, one, other));
      expect([one, other, a < b ? -1 : a > b ? 1 : 0]).toEqual([one, other, isSorted]);
    }
  }
});

test.each(leadOrderNames)('texts by %s have one length, and can stand in a cursor', (order) => {
  const texts = valuesOf(order).map((value) => orderText(order, value));
  expect(new Set(texts.map(({ length }) => length)).size, texts.join(' ')).toBe(1);
  for (const text of texts) expect(text).toMatch(/^[\w-]{1,54}$/);
});

test('no two indexes of leads have an attribute in common, and no other item has that of an order', async () => {
  const orders = Object.values(leadOrders).map(({ attribute }) => attribute);
  const attributes = [...Object.values(leadIndexes).map(({ attribute }) => attribute), ...orders];
  expect(new Set(attributes).size).toBe(attributes.length);
  // The page has an example of each kind of item.
  const items = readFileSync(architecture, 'utf8').match(/^\{"pk".*\}$/gm) ?? [];
  const named = items.flatMap((item) => Object.keys(JSON.parse(item)));
  expect(named.filter((name) => orders.some((order) => order === name)).sort()).toEqual(
    orders.toSorted(),
  );
});
