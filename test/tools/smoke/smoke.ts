import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll } from 'vitest';
import { type Ran, runScript } from '../../support/command-line.ts';

export const main = join(import.meta.dirname, '../../../tools/smoke/main.ts');

export let cwd: string;

/** For a file whose tests run it. */
export const useOwnDirectory = (): void => {
  beforeAll(() => {
    cwd = mkdtempSync(join(tmpdir(), 'leads-and-stars-smoke-'));
  });
  afterAll(() => rmSync(cwd, { recursive: true }));
};

/** `npm run smoke`, without npm, in a directory of its own. */
export const smoke = (
  args: readonly string[],
  variables: Record<string, string> = {},
): Promise<Ran> => runScript(main, args, { cwd, variables });

/** The checks with this result, each with what is told of it. */
export const told = (
  { stdout }: Ran,
  result: 'ok' | 'differs' | 'warning' | 'not tried',
): string[] =>
  stdout
    .split(/\n(?=\S)/)
    .filter((part) => part.startsWith(result))
    .map((part) => part.slice(11).trim().replace(/\n\s+/g, ' '));
