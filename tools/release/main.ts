// What `npm version` runs: `begin` gives the new version its section of the changelog, `notes` prints it.

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { CliError } from '@leads-and-stars/runner';
import { runUntilStopped } from '../cli/run.ts';
import { notesOf, withRelease } from './changelog.ts';

const root = join(import.meta.dirname, '../..');
const file = join(root, 'CHANGELOG.md');
const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
const today = new Date().toISOString().slice(0, 10);

await runUntilStopped(async () => {
  const changelog = readFileSync(file, 'utf8');
  const [step] = process.argv.slice(2);
  if (step === 'begin') writeFileSync(file, withRelease(changelog, version, today));
  else if (step === 'notes') console.log(`${version}\n\n${notesOf(changelog, version)}`);
  else throw new CliError('It takes begin or notes. `npm version` runs both: see CONTRIBUTING.md');
  return undefined;
});
