import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { CliError } from '@leads-and-stars/runner';
import { runToEnd } from '../cli/run.ts';
import { notesOf, withRelease } from './changelog.ts';

const root = join(import.meta.dirname, '../..');
const file = join(root, 'CHANGELOG.md');
const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
const today = new Date().toISOString().slice(0, 10);

const usage = `npm version minor      (or patch, major, or a version)

Releases what CHANGELOG.md has under "Unreleased". It calls this: "begin" gives the version its section, "notes"
prints it. CONTRIBUTING.md says how to release.`;

await runToEnd(async () => {
  const [step] = process.argv.slice(2);
  if (step === '--help') {
    console.log(usage);
    return undefined;
  }
  const changelog = readFileSync(file, 'utf8');
  if (step === 'begin') writeFileSync(file, withRelease(changelog, version, today));
  else if (step === 'notes') console.log(`${version}\n\n${notesOf(changelog, version)}`);
  else throw new CliError(usage);
  return undefined;
});
