import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Command } from 'commander';
import { expect, test } from 'vitest';
import { program } from '../../../tools/admin/program.ts';

// Each command that a page names is there, with the options that it is given.

const root = join(import.meta.dirname, '../../..');
const pages = globSync(['README.md', 'CONTRIBUTING.md', 'docs/**/*.md'], { cwd: root });

/** The commands of a page: in a block of code to the end of the line, else to the end of the code. */
const commandsIn = (file: string): string[] => {
  const text = readFileSync(join(root, file), 'utf8').replaceAll(
    /\s+run admin -- /g,
    ' run admin -- ',
  );
  const blocks = [...text.matchAll(/^ *```.*?^ *```$/gms)].map(([block]) => block);
  const inBlocks = blocks.flatMap((block) => [...block.matchAll(/npm run admin -- ([^\n#]+)/g)]);
  const outside = blocks.reduce((rest, block) => rest.replace(block, ''), text);
  const inText = [...outside.matchAll(/`npm run admin -- ([^`]+)`/g)];
  return [...inBlocks, ...inText].map(([, command]) => command!.replaceAll(/\s+/g, ' ').trim());
};

const all = pages.flatMap((file) => commandsIn(file).map((command) => [file, command] as const));

const named = (within: Command, name: string | undefined): Command | undefined =>
  within.commands.find((one) => one.name() === name);

/** What is wrong with a command as it is written. */
const wrongWith = (command: string): string[] => {
  const words = command.match(/"[^"]*"|<[^>]+>|\S+/g) ?? [];
  const noun = named(program, words[0]);
  if (!noun) return [`there is no ${words[0]}`];
  const verb = noun.commands.length > 0 ? named(noun, words[1]) : noun;
  if (!verb) return [`there is no ${words[0]} ${words[1]}`];
  const given = words.filter((word) => word.startsWith('--')).map((word) => word.split('=')[0]);
  const known = [...verb.options, ...program.options].map(({ long }) => long);
  return given.filter((one) => !known.includes(one)).map((one) => `${verb.name()} has no ${one}`);
};

test('the pages name many commands, in blocks and in their text', () => {
  expect(all.length).toBeGreaterThan(30);
  expect(all.map(([file]) => file)).toContain('docs/runbooks/wallet-invariant.md');
  expect(wrongWith('wallet audit ID --al')).toEqual(['audit has no --al']);
  expect(wrongWith('wallet audits ID')).toEqual(['there is no wallet audits']);
  expect(wrongWith('tables')).toEqual(['there is no tables']);
});

test.each(all.filter(([, command]) => !/^(…|--)/.test(command)))('%s: %s', (_, command) => {
  expect(wrongWith(command)).toEqual([]);
});

/** Whatever a command takes away for good. */
const destroys = /^(erase|remove|revoke|delete)/;

test('what destroys asks, or wants the name of what it destroys', () => {
  const verbs = program.commands.flatMap((noun) =>
    noun.commands.length > 0 ? noun.commands : [noun],
  );
  const destroying = verbs.filter((verb) => destroys.test(verb.name()));
  expect(destroying.length).toBeGreaterThan(3);
  for (const verb of destroying) {
    const options = verb.options.map(
      ({ long, mandatory }) => long === '--yes' || (long === '--name' && mandatory),
    );
    expect([verb.name(), options.includes(true)]).toEqual([verb.name(), true]);
  }
});
