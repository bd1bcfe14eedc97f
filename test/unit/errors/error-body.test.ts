import { expect, test } from 'vitest';
import * as z from 'zod/mini';
import { errorBody } from '../../../lib/errors/error-body.ts';

const error = { code: 'internal', message: 'm', request_id: 'r' };
const detail = { path: '', message: 'm' };
const isTaken = (fields: object, beside: object = {}) =>
  z.safeParse(errorBody, { error: { ...error, ...fields }, ...beside }).success;

test('an error body is what is answered', () => {
  const withLead = { ...detail, lead_id: crypto.randomUUID() };
  for (const fields of [{}, { details: [] }, { details: [detail] }, { details: [withLead] }]) {
    expect(isTaken(fields)).toBe(true);
  }
});

test.each<[string, object, object?]>([
  ['anything beside the error', {}, { x: 1 }],
  ['an unknown code', { code: 'oops' }],
  ['no message', { message: '' }],
  ['no request id', { request_id: '' }],
  ['an unknown field', { x: 1 }],
  ['an unknown field of a detail', { details: [{ ...detail, x: 1 }] }],
  ['a detail without a path', { details: [{ message: '' }] }],
  ['a lead_id that is none', { details: [{ ...detail, lead_id: 'x' }] }],
])('an error body has not %s', (_what, fields, beside) => {
  expect(isTaken(fields, beside)).toBe(false);
});
