import { expect, test } from 'vitest';
import {
  type LeadOrder,
  leadIndexes,
  leadOrderNames,
  leadOrders,
  orderText,
} from '../../../../lib/table/indexes/lead-indexes.ts';
import { compareValues, orderRules } from '../../../support/order-values.ts';

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

test('no two indexes of leads have an attribute in common', () => {
  const attributes = [...Object.values(leadIndexes), ...Object.values(leadOrders)].map(
    ({ attribute }) => attribute,
  );
  expect(new Set(attributes).size).toBe(attributes.length);
});
