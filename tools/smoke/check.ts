import type { Target } from './target.ts';

/** One thing to check on a running service. */
export interface Check {
  /** What should hold, in a few words. */
  title: string;
  /** Returns each difference in a sentence. Throws `NotTriedError` if it can't be checked. */
  run(target: Target): Promise<string[]>;
}

/** A check could not run. The message says why, and the check counts as not tried, not as failed. */
export class NotTriedError extends Error {}

type Result = 'ok' | 'differs' | 'not tried';

/** Runs one check and prints how it went. An error is a difference, too. */
const runCheck = async (
  { title, run }: Check,
  target: Target,
  print: (line: string) => void,
): Promise<Result> => {
  const tell = (result: Result, sentences: readonly string[]) => {
    print(`${result.padEnd(9)}  ${title}`);
    for (const sentence of sentences) print(`${' '.repeat(11)}${sentence}`);
    return result;
  };
  try {
    const differences = await run(target);
    return tell(differences.length > 0 ? 'differs' : 'ok', differences);
  } catch (error) {
    const { message } = error as Error;
    return tell(error instanceof NotTriedError ? 'not tried' : 'differs', [message]);
  }
};

/** Runs checks one after another. Returns how many found a difference. */
export const runChecks = async (
  checks: readonly Check[],
  target: Target,
  print: (line: string) => void,
): Promise<number> => {
  const results: Result[] = [];
  for (const check of checks) results.push(await runCheck(check, target, print));
  const countOf = (result: Result) => results.filter((one) => one === result).length;
  const [ok, differ, not] = [countOf('ok'), countOf('differs'), countOf('not tried')];
  print(`\n${ok} as expected, ${differ} with differences, ${not} not tried.`);
  return differ;
};
