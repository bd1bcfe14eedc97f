import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, onTestFinished, test } from 'vitest';

const root = join(import.meta.dirname, '../..');
/** `npm run lint` installs them. */
const programs = join(root, 'tools/check/node_modules/.bin');
const run = promisify(execFile);

/** Promises of a generic type in another file, of a package, and of a function that leaves out its type. */
const given = `import { rm } from 'node:fs/promises';
import type { SQSClient, SendMessageCommand } from '@aws-sdk/client-sqs';
import { loadOperations } from '${root}/infra/operations.ts';
import type { Table } from '${root}/lib/table/table.ts';
declare const table: Table<'PutItem'>, client: SQSClient, command: SendMessageCommand;
declare const close: (() => Promise<void>) | undefined;
`;
const promises = [
  'table.transact([])',
  'client.send(command)',
  'loadOperations()',
  "rm('file')",
  'close?.()',
  'Promise.resolve(1).finally(() => {})',
];

/** The lines of a file with these statements in which the lint finds a promise that nobody waits for. */
const foundIn = async (statements: readonly string[]): Promise<number[]> => {
  const directory = await mkdtemp(join(tmpdir(), 'lint-test-'));
  onTestFinished(() => rm(directory, { recursive: true }));
  await symlink(join(root, 'node_modules'), join(directory, 'node_modules'));
  const files = { 'tsconfig.json': `{ "extends": "${root}/tsconfig.json", "include": ["."] }` };
  const text = `${given}export const work = async () => {\n${statements.join(';\n')};\n};\n`;
  for (const [name, content] of Object.entries({ ...files, 'planted.ts': text })) {
    await writeFile(join(directory, name), content);
  }
  const options = ['--config', join(root, '.oxlintrc.json'), '--format', 'json'];
  const env = { ...process.env, PATH: `${programs}:${process.env.PATH}` };
  const linted = run(join(programs, 'oxlint'), [...options, 'planted.ts'], { cwd: directory, env });
  const { stdout } = await linted.catch((error) => error);
  const before = text.split('\n').indexOf('export const work = async () => {') + 1;
  const { diagnostics } = JSON.parse(stdout) as {
    diagnostics: { code: string; labels: { span: { line: number } }[] }[];
  };
  expect(diagnostics.filter(({ code }) => !code.includes('no-floating-promises'))).toEqual([]);
  return diagnostics.map(({ labels }) => labels[0]!.span.line - before).sort((a, b) => a - b);
};

test.skipIf(!existsSync(join(programs, 'oxlint')))(
  'a promise that nobody waits for is an error; none is that is awaited, or left on purpose',
  { tags: ['long'] },
  async () => {
    expect(await foundIn(promises)).toEqual(promises.map((_, i) => i + 1));
    const handled = [...promises.map((one) => `await ${one}`), `void ${promises[0]}`];
    expect(await foundIn([...handled, `${promises[1]}.catch(() => {})`])).toEqual([]);
  },
);
