import { expect, test } from 'vitest';
import { ApiError, mostDetails, prefixPaths } from '../../../lib/errors/errors.ts';

test('an error of a part names its fields as those of the whole, and is the same otherwise', () => {
  const details = [{ path: 'email', message: 'is taken', lead_id: 'a' }];
  const options = { details, cause: 'why', replayed: true };
  const whole = prefixPaths('lead', new ApiError('duplicate_lead', options));
  expect(whole).toBeInstanceOf(ApiError);
  expect(whole).toMatchObject({
    ...options,
    code: 'duplicate_lead',
    details: [{ ...details[0], path: 'lead.email' }],
  });
});

test.each([new ApiError('not_found'), new TypeError('a bug'), undefined])(
  '%s, which names no field, stays what it is',
  (error) => {
    expect(prefixPaths('lead', error)).toBe(error);
  },
);

test('an error tells at most 20 problems, the first ones', () => {
  const told = (count: number) => {
    const details = Array.from({ length: count }, (_, i) => ({ path: `f${i}`, message: 'is bad' }));
    return new ApiError('invalid_request', { details }).details!.map(({ path }) => path);
  };
  expect([told(20).length, told(20).at(-1), mostDetails]).toEqual([20, 'f19', 20]);
  expect(told(21)).toEqual(told(20));
});
