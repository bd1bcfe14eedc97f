import { CliError } from '@leads-and-stars/runner';
import { ApiError } from '../../lib/errors/errors.ts';
import { printable } from '../cli/terminal-text.ts';

/** The text of an error, in one line. */
export const failure = (error: unknown): string => {
  const causes = causesOf(error);
  const refused = causes.find(({ code }) => code === 'ECONNREFUSED');
  if (refused) return 'The service does not answer. Is it (still) running?';
  // The innermost cause says what happened. The errors around it say only that something did.
  const innermost = causes.find((cause) => cause instanceof CliError) ?? causes.at(-1);
  const name =
    innermost instanceof CliError || !innermost?.name || innermost.name === 'Error'
      ? ''
      : innermost.name;
  const text = [name, detailsOf(innermost) || innermost?.message].filter(Boolean).join(': ');
  return printable(text.replace(/\s+/g, ' ').trim()) || 'It failed.';
};

/** The problems of an input, field by field. The message of such an error says only that there are problems. */
const detailsOf = (error: Error | undefined): string => {
  const details = (error instanceof ApiError && error.details) || [];
  return details.map(({ path, message }) => `${path} ${message}`.trim()).join('; ');
};

type CommandFailure = Error & { code?: string; errors?: unknown[] };

/** An error with those that it is of, the outermost first. */
export const causesOf = (error: unknown): CommandFailure[] => {
  if (!(error instanceof Error)) return [];
  const { cause, errors } = error as CommandFailure;
  return [error as CommandFailure, ...causesOf(cause), ...(errors ?? []).flatMap(causesOf)];
};
