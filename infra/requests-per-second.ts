import type { Construct } from 'constructs';
import {
  leastPerSecond,
  mostPerSecond,
  usualPerSecond,
} from '../lib/organizations/request-limit.ts';
import { OptionError, option } from './options.ts';

/** What an organization may send, unless it has a limit of its own, by `-c requests_per_second=50`. */
export const requestsPerSecond = (scope: Construct): number => {
  const given = option(scope, 'requests_per_second');
  if (given === undefined) return usualPerSecond;
  const value = Number(given);
  if (/^\d+$/.test(given) && value >= leastPerSecond && value <= mostPerSecond) return value;
  throw new OptionError(
    `-c requests_per_second takes a whole number from ${leastPerSecond} to ${mostPerSecond}, not ${given}`,
  );
};
