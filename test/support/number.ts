import { InvalidArgumentError } from 'commander';

/** An option's value that is a number, not below 0. */
export const number = (value: string): number => {
  if (!/^\d+(\.\d+)?$/.test(value)) throw new InvalidArgumentError('must be a number.');
  return Number(value);
};
