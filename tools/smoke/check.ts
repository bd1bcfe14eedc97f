import { setTimeout } from 'node:timers/promises';
import type { SmokeTarget } from './target.ts';

/** One thing to check on a running service. */
export interface Check {
  /** The rule that should hold, in a few words. */
  title: string;
  /** Where the service serves all the same: a difference is told, and is no failure. */
  isWarning?: true;
  /** Returns each difference in a sentence. Throws `NotTriedError` if it can't be checked. */
  run(target: SmokeTarget): Promise<string[]>;
}

/** A check could not run. The message says why, and the check counts as not tried, not as failed. */
export class NotTriedError extends Error {}

type CheckResult = 'ok' | 'differs' | 'warning' | 'not tried';

/** Runs one check and prints how it went. An error is a difference, too. */
const runCheck = async (
  { title, isWarning, run }: Check,
  target: SmokeTarget,
  print: (line: string) => void,
): Promise<CheckResult> => {
  const tell = (result: CheckResult, sentences: readonly string[]) => {
    print(`${result.padEnd(9)}  ${title}`);
    for (const sentence of sentences) print(`${' '.repeat(11)}${sentence}`);
    // GitHub shows this beside the run, and not only in its log.
    if (result === 'warning' && process.env.GITHUB_ACTIONS) {
      print(`::warning::${sentences.join(' ')}`);
    }
    return result;
  };
  const different = isWarning ? 'warning' : 'differs';
  try {
    const differences = await run(target);
    return tell(differences.length > 0 ? different : 'ok', differences);
  } catch (error) {
    const { message } = error as Error;
    return tell(error instanceof NotTriedError ? 'not tried' : different, [message]);
  }
};

/** Runs checks one after another, until the run is to end. Returns how many found a difference that is a failure. */
export const runChecks = async (
  checks: readonly Check[],
  target: SmokeTarget,
  print: (line: string) => void,
): Promise<number> => {
  const results: CheckResult[] = [];
  for (const check of checks) {
    if (target.stopped?.aborted) break;
    results.push(await runCheck(check, target, print));
  }
  const countOf = (result: CheckResult) => results.filter((one) => one === result).length;
  const [ok, differ, not] = [countOf('ok'), countOf('differs'), countOf('not tried')];
  const warnings = countOf('warning');
  print(
    `\n${ok} as expected, ${differ} with differences, ${not} not tried${warnings > 0 ? `, ${warnings} to be warned of` : ''}.`,
  );
  return differ;
};

/** Looks again until there is no difference, for as long as the target is waited for. The last differences. */
export const patiently = async (
  { waitMs, stopped }: SmokeTarget,
  look: () => Promise<string[]>,
): Promise<string[]> => {
  const deadline = Date.now() + waitMs;
  for (;;) {
    const differences = await look();
    if (differences.length === 0 || Date.now() > deadline) return differences;
    await setTimeout(500, undefined, stopped && { signal: stopped });
  }
};
