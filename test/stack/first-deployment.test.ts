import { expect, test } from 'vitest';
import { synthesized } from './synthesized.ts';

/** What a call is let through a second, and at once. */
const limitsWith = (options: object) => {
  const [stage] = Object.values(synthesized(options).findResources('AWS::ApiGateway::Stage'));
  const [settings, ...others] = stage!.Properties.MethodSettings;
  expect(others).toEqual([]);
  expect([settings.ResourcePath, settings.HttpMethod]).toEqual(['/*', '*']);
  return [settings.ThrottlingRateLimit, settings.ThrottlingBurstLimit];
};

test('a stage lets through what a new account may be asked in each region, unless the deployment’s file says otherwise', () => {
  expect(limitsWith({})).toEqual([2500, 1250]);
  expect(limitsWith({ requests_per_second: 200 })).toEqual([2500, 1250]);
  expect(limitsWith({ stage_requests_per_second: 100 })).toEqual([100, 50]);
  expect(limitsWith({ stage_requests_per_second: 10_000 })).toEqual([10_000, 5000]);
  expect(limitsWith({ stage_requests_per_second: 100_000 })).toEqual([100_000, 50_000]);
});
