import { CliError } from '@leads-and-stars/runner';
import { failure } from './failure.ts';

/** For an answer that may be lost: what may have been done, and the option with which it is done once. */
export const unsure = (what: string, option: string, error: unknown): CliError =>
  new CliError(
    `${what}, or not. Run it again with ${option}: nothing is done twice. What happened: ${failure(error)}`,
  );
