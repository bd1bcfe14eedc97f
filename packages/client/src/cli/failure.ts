import { ApiError } from '../errors.ts';
import { CliError } from './cli-error.ts';

/** The text of an error; with code, details and request where the service told it. */
export const failureText = (error: unknown): string => {
  if (error instanceof CliError) return error.message;
  if (error instanceof ApiError && error.code !== 'unknown') {
    const details = error.details.map(({ path, message }) => `${path} ${message}`.trim());
    return `${error.code}: ${details.join('; ') || error.message} (request ${error.requestId})`;
  }
  const { code, path, message } = error as NodeJS.ErrnoException;
  if (path === undefined) return message;
  if (code === 'ENOENT') return `There is no file ${path}.`;
  return `${path} can’t be used: ${message.replace(/^\w+: |, \w+( '.*')?$/g, '')}.`;
};
