import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { makeSetting, type Setting } from '../../cost/setting.ts';
import { type Progress, type Section, table } from '../section.ts';
import { setStage } from '../speed/stage.ts';

const main = join(import.meta.dirname, '../../../packages/client/src/cli/main.ts');

/** As many requests as an import has under way. */
const atOnce = 4;
const rows = { new: 1000, single: 300 };

/** A row as a spreadsheet of contacts has it. */
const rowOf = (i: number) => ({
  external_id: `row-${i}`,
  contact_name: `Maria Silva ${i}`,
  company_name: 'Padaria Pão Quente',
  email: `row-${i}@example.com`,
});

const csvOf = (count: number): string => {
  const all = Array.from({ length: count }, (_, i) => Object.values(rowOf(i)).join(','));
  return [Object.keys(rowOf(0)).join(','), ...all].join('\n');
};

/** Rows a second of the command line, its start and its report included. */
const importing = async (
  baseUrl: string,
  { id, pipelineId, token }: Setting,
  count: number,
  ...more: string[]
): Promise<number> => {
  const directory = await mkdtemp(join(tmpdir(), 'leads-and-stars-import-'));
  try {
    const file = join(directory, 'leads.csv');
    await writeFile(file, csvOf(count));
    const where = ['--base-url', baseUrl, '--organization', id, '--pipeline', pipelineId];
    const startedAt = performance.now();
    const { stdout } = await promisify(execFile)(
      process.execPath,
      [main, 'import', file, ...where, ...more],
      { env: { PATH: process.env.PATH, LEADS_TOKEN: token } },
    );
    if (!stdout.includes(' 0 refused')) throw new Error(stdout);
    return (1000 * count) / (performance.now() - startedAt);
  } finally {
    await rm(directory, { recursive: true });
  }
};

/** Leads a second, with one request for each and as many under way. */
const oneByOne = async ({ client, pipelineId }: Setting, count: number): Promise<number> => {
  const left = Array.from({ length: count }, (_, i) => rowOf(i)).values();
  const startedAt = performance.now();
  const work = async () => {
    for (const row of left) {
      const body = { ...row, pipeline_id: pipelineId };
      const { code } = await client.send({ id: 'createLead', path: '/leads', body });
      if (code) throw new Error(`no lead: ${code}`);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, work));
  return (1000 * count) / (performance.now() - startedAt);
};

/** How fast leads come in: by the command line, and with one request for each. */
export const imports = async (progress: Progress): Promise<Section> => {
  progress.expect(4);
  progress.step('starting');
  const stage = await setStage(atOnce);
  try {
    const { baseUrl } = stage.service;
    const [one, other] = [await makeSetting(stage.service), await makeSetting(stage.service)];
    // The first requests start the functions, which are not to be part of either.
    await importing(baseUrl, await makeSetting(stage.service), 200);
    progress.step('one request for each lead');
    await oneByOne(await makeSetting(stage.service), 20);
    const single = await oneByOne(one, rows.single);
    progress.step('new leads');
    const fresh = await importing(baseUrl, other, rows.new);
    const match = ['--match', 'external_id'];
    progress.step('new leads, with --match');
    const matched = await importing(baseUrl, await makeSetting(stage.service), rows.new, ...match);
    return sectionOf({ single, fresh, matched });
  } finally {
    await stage.close();
  }
};

const sectionOf = (rate: Record<'single' | 'fresh' | 'matched', number>): Section => {
  const row = (what: string, count: number, value: number) => [
    `${count} ${what}`,
    value.toFixed(0),
    `${(value / rate.single).toFixed(1)} ×`,
  ];
  return {
    title: 'Import',
    result: `\`leads import\` brings ${rate.fresh.toFixed(0)} rows a second into the local runner, ${(rate.fresh / rate.single).toFixed(1)} × as many as single requests.`,
    goals: [],
    content: [
      `From the command's start to its report, with ${atOnce} requests under way.`,
      table(
        ['rows', 'rows a second', 'beside single requests'],
        [
          row('by one request each', rows.single, rate.single),
          row('imported', rows.new, rate.fresh),
          row('imported with `--match`', rows.new, rate.matched),
        ],
      ),
    ],
  };
};
