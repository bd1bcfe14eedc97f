// Runs in a process of its own. Its standard input is a pipe from the runner that carries process ids as "+123" and
// "-123" lines, and the marks of processes that are being started as "?mark" and "!mark"; when the pipe closes, however
// the runner ended, whatever is still on the list is killed.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { setTimeout as wait } from 'node:timers/promises';

const alive = new Set<number>();
const starting = new Set<string>();
process.on('SIGINT', () => {});
process.on('SIGTERM', () => {});

for await (const line of createInterface({ input: process.stdin })) {
  const rest = line.slice(1);
  if (line.startsWith('+')) alive.add(Number(rest));
  else if (line.startsWith('-')) alive.delete(Number(rest));
  else if (line.startsWith('?')) starting.add(rest);
  else starting.delete(rest);
}

const kill = (pid: number): void => {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It ended by itself.
  }
};

const variablesOf = (pid: number): string => {
  try {
    return readFileSync(`/proc/${pid}/environ`, 'utf8');
  } catch {
    return ''; // It has ended, or is another user's.
  }
};

for (const pid of alive) kill(pid);
// A process that was just made may not have its own variables yet.
for (let looks = 0; looks < 20 && starting.size > 0 && existsSync('/proc/self'); looks++) {
  for (const pid of readdirSync('/proc').map(Number).filter(Boolean)) {
    const variables = variablesOf(pid);
    for (const mark of starting) if (variables.includes(mark)) kill(pid);
  }
  await wait(50);
}
