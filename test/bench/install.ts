import { spawnSync } from 'node:child_process';
import { statSync } from 'node:fs';
import { join } from 'node:path';

// Installs what only the benchmarks need, unless it is there.
const changed = (file: string): number =>
  statSync(join(import.meta.dirname, file), { throwIfNoEntry: false })?.mtimeMs ?? 0;

if (changed('node_modules/.package-lock.json') <= changed('package-lock.json')) {
  const install = `npm ci --prefix "${import.meta.dirname}" --no-audit --no-fund --silent`;
  process.exitCode = spawnSync(install, { shell: true, stdio: 'inherit' }).status ?? 1;
}
