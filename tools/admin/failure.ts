import { CliError } from '@leads-and-stars/runner';

/** What went wrong, in one line. */
export const failure = (error: unknown): string => {
  const causes = chain(error);
  const refused = causes.find(({ code }) => code === 'ECONNREFUSED');
  if (refused) return 'The service does not answer. Is it (still) running?';
  // The innermost cause says what happened. The errors around it say only that something did.
  const told = causes.find((cause) => cause instanceof CliError) ?? causes.at(-1);
  const name = told instanceof CliError || !told?.name || told.name === 'Error' ? '' : told.name;
  const text = [name, told?.message].filter(Boolean).join(': ');
  return text.replace(/\s+/g, ' ').trim() || 'It failed.';
};

type Failure = Error & { code?: string; errors?: unknown[] };

const chain = (error: unknown): Failure[] => {
  if (!(error instanceof Error)) return [];
  const { cause, errors } = error as Failure;
  return [error as Failure, ...chain(cause), ...(errors ?? []).flatMap(chain)];
};
