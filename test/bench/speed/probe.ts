import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import type { Stage } from './stage.ts';

/** Runs a probe in a process of its own and gives what it measured. Fails where an event was refused. */
export const probed = async <Measured>(
  { environment }: Pick<Stage, 'environment'>,
  probe: string,
  values: readonly string[],
): Promise<Measured> => {
  const child = spawn(process.execPath, [join(import.meta.dirname, probe), ...values], {
    env: environment,
    stdio: ['ignore', 'pipe', 'pipe', 'pipe'],
  });
  const [said, ...complaints] = await Promise.all([
    text(child.stdio[3] as Readable),
    text(child.stdout!),
    text(child.stderr!),
    child.exitCode ?? once(child, 'exit'),
  ]);
  const result = said && JSON.parse(said);
  if (!result || result.refused) throw new Error(`${values[0]}: ${said} ${complaints.join(' ')}`);
  return result;
};
