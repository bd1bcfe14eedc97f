// Runs in a process of its own. Its standard input is a pipe from the runner that carries process ids as "+123" and
// "-123" lines; when the pipe closes, however the runner ended, whatever is still on the list is killed.
import { createInterface } from 'node:readline';

const alive = new Set<number>();
process.on('SIGINT', () => {});
process.on('SIGTERM', () => {});

for await (const line of createInterface({ input: process.stdin })) {
  const pid = Number(line.slice(1));
  if (line.startsWith('+')) alive.add(pid);
  else alive.delete(pid);
}

for (const pid of alive) {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // The process ended by itself.
  }
}
