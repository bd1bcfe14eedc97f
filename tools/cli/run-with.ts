import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';

const usage = `node tools/cli/run-with.ts DIRECTORY COMMAND …

Installs the packages of the directory's lock file, unless they are there, and runs a command with their programs.`;

const [directory, command, ...rest] = process.argv.slice(2);
if (!directory || !command || directory === '--help') {
  console.error(usage);
  process.exit(directory === '--help' ? 0 : 1);
}
const place = join(import.meta.dirname, '../..', directory);

const run = (line: string): void => {
  const PATH = [join(place, 'node_modules/.bin'), process.env.PATH].join(delimiter);
  const env = { ...process.env, PATH };
  const { status } = spawnSync(line, { shell: true, stdio: 'inherit', env });
  if (status !== 0) process.exit(status ?? 1);
};

const lock = readFileSync(join(place, 'package-lock.json'), 'utf8');
/** A copy of the lock file that was installed. */
const installedLock = join(place, 'node_modules/.installed-lock.json');
if (!existsSync(installedLock) || readFileSync(installedLock, 'utf8') !== lock) {
  run(`npm ci --prefix "${place}" --no-audit --no-fund --silent`);
  writeFileSync(installedLock, lock);
}
run([command, ...rest.map((one) => JSON.stringify(one))].join(' '));
