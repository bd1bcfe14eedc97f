import {
  leastPerSecond,
  mostPerSecond,
  usualPerSecond,
} from '../lib/organizations/request-limit.ts';
import { OptionError, type Options } from './options.ts';

/** What an organization may send, unless it has a limit of its own. */
export const requestsPerSecond = ({
  requests_per_second: value = usualPerSecond,
}: Options): number => {
  if (Number.isInteger(value) && value >= leastPerSecond && value <= mostPerSecond) return value;
  throw new OptionError(
    `requests_per_second takes a whole number from ${leastPerSecond} to ${mostPerSecond}, not ${value}`,
  );
};
