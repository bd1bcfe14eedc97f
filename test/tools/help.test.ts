import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';

const commands = {
  dev: 'tools/dev/dev.ts',
  table: 'tools/dev/table-viewer.ts',
  invoke: 'tools/dev/invoke.ts',
  event: 'tools/dev/event.ts',
  token: 'tools/dev/token.ts',
  admin: 'tools/admin/main.ts',
  smoke: 'tools/smoke/main.ts',
  chaos: 'test/faults/chaos.ts',
};

test.each(Object.entries(commands))(
  'npm run %s -- --help says how, and starts nothing',
  async (name, file) => {
    const { stdout } = await promisify(execFile)(process.execPath, [file, '--help']);
    expect(stdout).toContain(`npm run ${name}`);
  },
);
