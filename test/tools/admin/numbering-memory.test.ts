import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import manifest from '../../../package.json' with { type: 'json' };
import { runScript } from '../../support/command-line.ts';
import { startLargeOrganization } from '../../support/large-organization.ts';
import { some, times } from '../../support/some.ts';

// How much memory numbering takes: of a million changes in `npm run test:all`, else of some.

const changeCount = times(5000, 1_000_000);
const mostMegabytes = 256;
const root = join(import.meta.dirname, '../../..');
/** What Node.js is given by `npm run admin`. */
const [, ...asScript] = manifest.scripts.admin.split(' ');

/**
 * Notes the most kilobytes that a program had as it ends. Linux gives `maxRSS` what the process that started it had, if that
 * was more: its status knows better.
 */
const noting = (file: string) => `
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
const status = '/proc/self/status';
const most = () => existsSync(status)
  ? /VmHWM:\\s*(\\d+) kB/.exec(readFileSync(status, 'utf8'))[1]
  : process.resourceUsage().maxRSS;
process.on('exit', () => writeFileSync(${JSON.stringify(file)}, String(most())));`;

const origins: [string, boolean, string[]][] = [
  ['in the feed of the table before', true, []],
  ['that never had a number', false, ['--lost']],
];

test.each(some(origins, 1, 'numbering memory'))(
  `${changeCount} changes of one organization %s get their numbers in ${mostMegabytes} MB`,
  async (_, hadNumbers, more) => {
    const large = await startLargeOrganization(changeCount, hadNumbers);
    onTestFinished(large.close);
    const directory = await mkdtemp(join(tmpdir(), 'leads-and-stars-memory-'));
    onTestFinished(() => rm(directory, { recursive: true }));
    const [readyFile, memoryFile] = [join(directory, 'service.json'), join(directory, 'memory')];
    await writeFile(readyFile, JSON.stringify(large.ready));
    await writeFile(join(directory, 'noting.mjs'), noting(memoryFile));
    const args = ['changes', 'number', large.organizationId, ...more, '--ready-file', readyFile];
    const variables = { NODE_OPTIONS: `--import=${join(directory, 'noting.mjs')}` };
    const began = Date.now();
    const ran = await runScript(asScript[0]!, [...asScript.slice(1), ...args], {
      cwd: root,
      variables,
    });
    expect([ran.code, ran.stderr]).toEqual([0, '']);
    expect(JSON.parse(ran.stdout)).toEqual([
      { organization_id: large.organizationId, numbered: changeCount },
    ]);
    expect(large.numbered()).toBe(changeCount);
    const megabytes = Number(await readFile(memoryFile, 'utf8')) / 1024;
    console.info(`${changeCount} changes: ${megabytes.toFixed(0)} MB, ${Date.now() - began} ms`);
    expect(megabytes).toBeLessThan(mostMegabytes);
  },
);
