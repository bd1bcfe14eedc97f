import { readdirSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { loadOperations } from '../../../infra/operations.ts';
import { fillTemplate } from '../../../tools/demo/fill-template.ts';
import { loadExamples } from '../../../tools/examples/load.ts';
import { Command, useCommands } from './commands.ts';
import { ownDirectory, root } from './support.ts';

useCommands();

const ids = (await loadOperations()).map(({ operation }) => operation.id);

const directory = ownDirectory();
beforeAll(async () => {
  await writeFile(join(directory, 'unusable.json'), '{');
  await writeFile(join(directory, 'wrong.json'), '{}');
});

const invoke = async (...args: string[]) => {
  const run = new Command(() => [process.execPath, join(root, 'tools/dev/invoke.ts'), ...args], {
    cwd: directory,
  });
  const code = await run.ended;
  await run.gone();
  expect(readdirSync(run.temporary)).toEqual([]);
  return { code, stdout: run.stdout, stderr: run.stderr.trim() };
};

test('prints what the function answers to the sample, and nothing else; its own log goes apart', async () => {
  const { code, stdout, stderr } = await invoke('createLead');
  const { statusCode, body } = JSON.parse(stdout);
  const [told, ...log] = stderr.split('\n');
  expect(told).toMatch(/^Synthesizing, bundling and starting a copy /);
  // Of what made the demo there is nothing.
  const operations = log.map((line) => JSON.parse(line).message.operation);
  expect(operations.filter((one) => one === 'createLead')).toEqual(['createLead']);
  expect(operations).not.toContain('putOrganization');
  expect([code, statusCode]).toEqual([0, 201]);
  expect(JSON.parse(body)).toMatchObject({ contact_name: 'Maria Silva', stage: 'new' });
});

test('takes another event, and tells how the function failed', { tags: ['long'] }, async () => {
  const { code, stdout, stderr } = await invoke('applyWalletEvents', 'wrong.json');
  expect([code, stdout]).toEqual([1, '']);
  expect(stderr.split('\n').at(-1)).toMatch(/^TypeError: .*$/);
});

test('an event names what the demo has, and nothing that is not known', () => {
  const values = { tokens: { owner: 'known' } };
  expect(fillTemplate('{{tokens.owner}}', values)).toBe('known');
  expect(() => fillTemplate('{{tokens.guest}}', values)).toThrow(/\{\{tokens\.guest\}\}/);
});

test('every operation has a sample', async () => {
  expect((await loadExamples()).map(({ operation }) => operation.id)).toEqual(ids);
});

const operations = `Operations: ${ids.join(', ')}`;

const unusable: [what: string, args: string[], told: RegExp, end?: string][] = [
  ['an unknown operation', ['destroy'], /^There is no operation destroy\.\n/, operations],
  ['no operation', [], /missing required argument 'operation'/, operations],
  ['a file that is not there', ['createLead', 'no.json'], /^There is no event file no\.json\.$/],
  ['a file that is not JSON', ['createLead', 'unusable.json'], /^unusable\.json is not JSON: .*$/],
];
const isTold = async (_what: string, args: string[], told: RegExp, end = '') => {
  const { code, stdout, stderr } = await invoke(...args);
  expect([code, stdout]).toEqual([1, '']);
  expect(stderr).toMatch(told);
  expect(stderr.endsWith(end)).toBe(true);
};
test.each(unusable.slice(0, 1))('what invoke can’t use is told: %s', isTold);
test.each(unusable.slice(1))('what invoke can’t use is told: %s', { tags: ['long'] }, isTold);
