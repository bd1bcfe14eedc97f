import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { runScript } from '../../support/command-line.ts';

const client = join(import.meta.dirname, '../../../packages/client');

test.each(['--version', '-V'])('%s says the version of the package', async (option) => {
  const { version } = JSON.parse(readFileSync(join(client, 'package.json'), 'utf8'));
  const ended = await runScript(join(client, 'src/cli/main.ts'), [option], { cwd: client });
  expect(ended).toEqual({ code: 0, stdout: `${version}\n`, stderr: '' });
});
