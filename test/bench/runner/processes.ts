import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The parts of a running service, by what their processes run. */
const parts = {
  functions: 'lambda/runtime.ts',
  engine: 'dynoxide',
} as const;

export type Part = 'runner' | keyof typeof parts;

interface Process {
  pid: number;
  parent: number;
  command: string;
  /** Of all its threads, since it started. */
  milliseconds: number;
}

/** In milliseconds: Linux counts processor time in hundredths of a second, for whoever reads it here. */
const tick = 10;

const processes = (): Process[] =>
  readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((pid) => {
      const read = (file: string) => readFileSync(join('/proc', pid, file), 'utf8');
      try {
        // After the name, which may have anything in it: state, parent, … utime, stime.
        const fields = read('stat')
          .replace(/^.*\) /s, '')
          .split(' ');
        return {
          pid: Number(pid),
          parent: Number(fields[1]),
          command: read('cmdline').replaceAll('\0', ' '),
          milliseconds: (Number(fields[11]) + Number(fields[12])) * tick,
        };
      } catch {
        return []; // It has ended meanwhile.
      }
    });

/** The processor time, in milliseconds, that a running service has taken so far: the process itself, and those it started. */
export const processorTime = (runner: number): Record<Part, number> => {
  const total: Record<Part, number> = { runner: 0, engine: 0, functions: 0 };
  for (const { pid, parent, command, milliseconds } of processes()) {
    if (pid === runner) total.runner += milliseconds;
    if (parent !== runner) continue;
    for (const [part, program] of Object.entries(parts) as [keyof typeof parts, string][]) {
      if (command.includes(program)) total[part] += milliseconds;
    }
  }
  return total;
};
