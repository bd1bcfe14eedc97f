import { readFile, writeFile } from 'node:fs/promises';
import { cpus, totalmem } from 'node:os';
import { join } from 'node:path';
import type { Section } from './section.ts';

/** What each section measured last, from which the page is made: so one can be measured without the others. */
const resultsFile = join(import.meta.dirname, 'results.json');
const page = join(import.meta.dirname, '../../docs/benchmarks.md');

interface Measured extends Section {
  /** When, and on what. */
  measured: string;
}

const introduction = `# Benchmarks

\`npm run bench\` writes this page, in four quiet minutes on Linux x64; \`npm run bench -- --only calls\` measures one
section. Units and round trips are exact: \`npm test\` holds them. Compare times of one section only. Nothing ran in AWS.`;

const machine = (): string => {
  const gigabytes = Math.round(totalmem() / 2 ** 30);
  const day = new Date().toISOString().slice(0, 10);
  return `${day}, Node.js ${process.versions.node}, ${cpus().length} × ${cpus()[0]?.model.trim()}, ${gigabytes} GB`;
};

const goals = (sections: readonly Measured[]): string =>
  sections
    .flatMap(({ goals }) => goals)
    .map(({ goal, measured, holds }) => `- ${goal}: ${holds ? measured : `**${measured}**`}`)
    .join('\n');

/** Says when sections were measured: once if all were at one time. */
const measuredOn = (sections: readonly Measured[]): string => {
  const titlesOf = Map.groupBy(sections, ({ measured }) => measured);
  const lines = [...titlesOf].map(([measured, those]) =>
    titlesOf.size === 1
      ? measured
      : `${measured}: ${those.map(({ title }) => title.toLowerCase()).join(', ')}`,
  );
  return `Measured ${lines.join('; ')}.`;
};

const markdown = ({ title, content }: Section): string =>
  [`## ${title}`, ...content.map((part) => part.trim())].join('\n\n');

/** Keeps what was measured and writes docs/benchmarks.md anew, its sections in the order of `names`. */
export const writePage = async (
  names: readonly string[],
  measured: Readonly<Record<string, Section>>,
): Promise<string> => {
  const before: Record<string, Measured> = JSON.parse(
    await readFile(resultsFile, 'utf8').catch(() => '{}'),
  );
  const kept = names.flatMap((name) => {
    const section = measured[name];
    const one = section ? { ...section, measured: machine() } : before[name];
    return one ? [[name, one] as const] : [];
  });
  await writeFile(resultsFile, `${JSON.stringify(Object.fromEntries(kept), null, 2)}\n`);
  const sections = kept.map(([, section]) => section);
  const parts = [
    introduction,
    measuredOn(sections),
    `Goals (at most) and results, bold if missed:\n\n${goals(sections)}`,
    ...sections.map(markdown),
  ];
  await writeFile(page, `${parts.join('\n\n')}\n`);
  return page;
};
