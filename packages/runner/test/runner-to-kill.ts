import { spawn } from 'node:child_process';
import { writeSync } from 'node:fs';
import { Processes } from '../src/machine/processes.ts';

// A runner that starts a process, writes its number, and is killed. Its argument: `adopt`, or `leave` for a process that
// it takes no charge of.

const script = 'setInterval(() => {}, 1000)';
const child = spawn(process.execPath, ['-e', script], { stdio: 'ignore', detached: true });
if (process.argv[2] === 'adopt') new Processes().adopt(child);
writeSync(1, String(child.pid));
process.kill(process.pid, 'SIGKILL');
