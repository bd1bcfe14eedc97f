import { mkdir, rm, writeFile } from 'node:fs/promises';
import { cpus, totalmem } from 'node:os';
import { join } from 'node:path';
import { draw } from './chart.ts';
import { type Section, table } from './section.ts';

const docs = join(import.meta.dirname, '../../docs');

const introduction = `# Benchmarks

What the service costs and how fast it is, measured in one run on one machine:

\`\`\`sh
npm run bench                       # everything; writes this page
npm run bench -- --only capacity    # one section; prints it
\`\`\`

Capacity units, round trips and bytes are exact: they are the same on every machine, and budgets in
\`npm test\` hold them. Times are of this machine: compare those of one run with each other, not with
yours. Nothing here ran in AWS; DynamoDB is the local engine, which counts capacity as DynamoDB does. A
whole run is for Linux x64; it takes a quarter of an hour and 9 GB of memory, most of it for an organization
with a million leads.`;

const machine = (): string => {
  const gigabytes = Math.round(totalmem() / 2 ** 30);
  const day = new Date().toISOString().slice(0, 10);
  return `Measured ${day} with Node.js ${process.versions.node} on ${cpus().length} × ${cpus()[0]?.model.trim()}, ${gigabytes} GB.`;
};

const goals = (sections: readonly Section[]): string =>
  table(
    ['goal', 'measured', 'holds'],
    sections.flatMap(({ goals }) =>
      goals.map(({ goal, measured, holds }) => [goal, measured, holds ? 'yes' : '**no**']),
    ),
  );

const anchor = (title: string): string =>
  title
    .toLowerCase()
    .replace(/[^\w\- ]/g, '')
    .replaceAll(' ', '-');

/** The Markdown of a section, its charts as links. */
export const markdown = ({ title, content }: Section): string =>
  [
    `## ${title}`,
    ...content.map((part) =>
      typeof part === 'string' ? part.trim() : `![${part.alt}](benchmarks/${part.file}.svg)`,
    ),
  ].join('\n\n');

/** Writes docs/benchmarks.md and its charts, in place of those of the last run. */
export const writeReport = async (sections: readonly Section[]): Promise<void> => {
  const drawings = join(docs, 'benchmarks');
  await rm(drawings, { recursive: true, force: true });
  await mkdir(drawings);
  for (const part of sections.flatMap(({ content }) => content)) {
    if (typeof part === 'string') continue;
    await writeFile(join(drawings, `${part.file}.svg`), `${draw(part)}\n`);
  }
  const contents = sections.map(({ title }) => `- [${title}](#${anchor(title)})`).join('\n');
  const parts = [introduction, machine(), contents, `## Goals\n\n${goals(sections)}`];
  const page = [...parts, ...sections.map(markdown)].join('\n\n');
  await writeFile(join(docs, 'benchmarks.md'), `${page}\n`);
};
