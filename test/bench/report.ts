import { readdir, rm, writeFile } from 'node:fs/promises';
import { cpus, totalmem } from 'node:os';
import { join } from 'node:path';
import { draw } from './chart.ts';
import { type Section, table } from './section.ts';

const docs = join(import.meta.dirname, '../../docs');

const introduction = `# Benchmarks

What the service costs and how fast it is, measured in one run on one machine.

\`\`\`sh
npm run bench                       # everything; writes this page and those that it links
npm run bench -- --only capacity    # one section; writes its page
\`\`\`

- **Exact, on every machine**: capacity units, round trips and bytes. Budgets in \`npm test\` hold them.
- **Of this machine**: times. Compare those of one run with each other, not with yours.
- **Not in AWS**: nothing here ran there. DynamoDB is the local engine, which counts capacity as DynamoDB does.

A whole run needs Linux x64, ten minutes and 9 GB of memory, most of it for an organization with a million
leads.`;

const machine = (): string => {
  const gigabytes = Math.round(totalmem() / 2 ** 30);
  const day = new Date().toISOString().slice(0, 10);
  return `Measured ${day} with Node.js ${process.versions.node} on ${cpus().length} × ${cpus()[0]?.model.trim()}, ${gigabytes} GB.`;
};

const results = (sections: Readonly<Record<string, Section>>): string =>
  Object.entries(sections)
    .map(([name, { title, result }]) => `- **[${title}](benchmarks/${name}.md).** ${result}`)
    .join('\n');

const goals = (sections: readonly Section[]): string =>
  table(
    ['goal', 'measured', 'holds'],
    sections.flatMap(({ goals }) =>
      goals.map(({ goal, measured, holds }) => [goal, measured, holds ? 'yes' : '**no**']),
    ),
  );

/** The Markdown of a section, its charts as links. */
const markdown = ({ title, content }: Section): string =>
  [
    `# ${title}`,
    ...content.map((part) =>
      typeof part === 'string' ? part.trim() : `![${part.alt}](${part.file}.svg)`,
    ),
  ].join('\n\n');

const pages = join(docs, 'benchmarks');

/** Writes the page of a section, with its charts; answers where that is. */
export const writePage = async (name: string, section: Section): Promise<string> => {
  const file = join(pages, `${name}.md`);
  await writeFile(file, `${markdown(section)}\n`);
  for (const part of section.content) {
    if (typeof part === 'string') continue;
    await writeFile(join(pages, `${part.file}.svg`), `${draw(part)}\n`);
  }
  return file;
};

/** Writes docs/benchmarks.md about pages that are written, and removes the pages of sections that are gone. */
export const writeIndex = async (sections: Readonly<Record<string, Section>>): Promise<void> => {
  const files = Object.entries(sections).flatMap(([name, { content }]) => [
    `${name}.md`,
    ...content.flatMap((part) => (typeof part === 'string' ? [] : `${part.file}.svg`)),
  ]);
  for (const file of await readdir(pages)) {
    if (!files.includes(file)) await rm(join(pages, file));
  }
  const parts = [
    introduction,
    machine(),
    `## Results\n\n${results(sections)}`,
    `## Goals\n\n${goals(Object.values(sections))}`,
  ];
  await writeFile(join(docs, 'benchmarks.md'), `${parts.join('\n\n')}\n`);
};
