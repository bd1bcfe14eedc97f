import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { functionOf } from '@leads-and-stars/runner';
import { bundleOptions } from '../../../infra/bundle-options.ts';
import { loadOperations } from '../../../infra/operations.ts';
import { type Chart, type Goal, type Progress, type Section, table } from '../section.ts';
import { asEsm, bundled, kilobytes, ownFunction, peer } from './build.ts';
import { probed } from './probe.ts';
import { median } from './samples.ts';
import { distances, type Stage, setStage } from './stage.ts';

/** Starts of each, one of each after the other, so that all have the machine's same moods. */
const rounds = 7;
const roundsOfFunctions = 3;

const roundsOfNetwork = 15;

const floorName = 'bare handler with a DynamoDB client';
const checkedName = 'bare handler that checks a token';
const ownName = 'createLead';
const handName = 'by hand on the SDK';
const balanceName = 'getBalance';

/** Milliseconds from the start of a process. */
interface Start {
  ready: number;
  answered: number;
}

interface Candidate {
  name: string;
  bundle: string;
  /** Whose event it is given. */
  functionId: string;
  /** In place of the one that all others have. */
  environment?: Record<string, string>;
}

interface Measured extends Candidate {
  ready: number;
  answered: number;
}

const measure = async (
  stage: Stage,
  candidates: readonly Candidate[],
  times: number,
  progress: Progress,
  environment = stage.environment,
): Promise<Measured[]> => {
  const starts = new Map<string, Start[]>(candidates.map(({ name }) => [name, []]));
  for (let round = 0; round < times; round++) {
    progress.step(`round ${round + 1}`);
    for (const { name, bundle, functionId, environment: own = environment } of candidates) {
      const event = await stage.eventFor(functionId);
      const start = await probed<Start>({ environment: own }, 'probe.mjs', [bundle, event]);
      starts.get(name)!.push(start);
    }
  }
  return candidates.map((candidate) => {
    const all = starts.get(candidate.name)!;
    return {
      ...candidate,
      ready: median(all.map(({ ready }) => ready)),
      answered: median(all.map(({ answered }) => answered)),
    };
  });
};

const peers = {
  'AWS Lambda Powertools': 'powertools',
  Hono: 'hono',
  'Express, serverless-http': 'express',
  NestJS: 'nest',
};

/** What CDK's `NodejsFunction` tells esbuild unless it is told otherwise. */
const usualOptions = { mainFields: ['main', 'module'], minify: false, alias: {} };

const peerCandidates = async (directory: string): Promise<Candidate[]> => {
  const of = async (name: string, file: string, options = {}) => ({
    name,
    bundle: await bundled(peer(file), directory, `${file}-${name}`, options),
    functionId: 'createLead',
  });
  const others = Object.entries(peers);
  return Promise.all([
    of(floorName, 'bare'),
    of(handName, 'by-hand'),
    ...others.map(([name, file]) => of(name, file, usualOptions)),
    ...others.map(([name, file]) => of(`${name}, bundled as the service is`, file)),
  ]);
};

/** The same function, bundled in other ways: what each choice is worth. */
const otherWays = async (directory: string): Promise<Candidate[]> => {
  const file = ownFunction('leads/create-lead');
  const way = async (name: string, key: string, options: Parameters<typeof bundled>[3]) => ({
    name,
    bundle: await bundled(file, directory, key, options),
    functionId: 'createLead',
  });
  return [
    await way('as ESM', 'esm', asEsm),
    await way('with esbuild’s own mainFields', 'main-fields', {
      mainFields: ['main', 'module'],
      // What this package has as its main can't be bundled.
      alias: { ...bundleOptions.alias, 'jsonc-parser': 'jsonc-parser/lib/esm/main.js' },
    }),
    await way('not minified', 'readable', { minify: false }),
    await way('with all ways to find credentials', 'credentials', { alias: {} }),
  ];
};

/** What the choices are worth over a network: with keys in the table and without. */
const distantCandidates = async (stage: Stage, directory: string): Promise<Candidate[]> => {
  const of = (functionId: string): Candidate[] => {
    const own = { bundle: bundleOf(stage, functionId), functionId };
    return [
      { ...own, name: functionId },
      { ...own, name: `${functionId}, its keys not kept`, environment: stage.withoutKeys },
    ];
  };
  const checked = await bundled(peer('checked'), directory, 'checked');
  return [
    { name: checkedName, bundle: checked, functionId: balanceName },
    ...of(ownName),
    ...of(balanceName),
  ];
};

const bundleOf = (stage: Stage, functionId: string): string =>
  join(functionOf(stage.service.assembly.functions, functionId)!.code, 'function.js');

/** Each function's asset, as it is deployed. */
const functionCandidates = async (stage: Stage): Promise<Candidate[]> =>
  (await loadOperations()).map(({ operation: { id } }) => ({
    name: id,
    bundle: bundleOf(stage, id),
    functionId: id,
  }));

const ratio = (one: Measured, other: Measured): number => one.answered / other.answered;

/** The function, to be at most so many times another. */
const goals = (
  measured: readonly Measured[],
  where: string,
  limits: readonly [name: string, what: string, other: string, most: number][],
): Goal[] => {
  const named = (name: string) => measured.find((one) => one.name === name)!;
  return limits.map(([name, what, other, most]) => ({
    goal: `cold ${name}${where}, to the first response: at most ${most} × ${what}`,
    measured: `${ratio(named(name), named(other)).toFixed(2)} ×`,
    holds: ratio(named(name), named(other)) <= most,
  }));
};

const networkGoals = (measured: readonly Measured[]): Goal[] =>
  goals(measured, ', over a network', [
    [ownName, 'the floor', floorName, 1.35],
    [ownName, 'the one by hand', handName, 1],
    [balanceName, 'the floor', floorName, 1.15],
  ]);

const goalsOf = (measured: readonly Measured[]): Goal[] =>
  goals(measured, '', [
    [ownName, 'the floor', floorName, 1.07],
    [ownName, 'Powertools', 'AWS Lambda Powertools', 0.7],
    [ownName, 'NestJS', 'NestJS', 0.45],
  ]);

const rows = (measured: readonly Measured[], floor: Measured) =>
  measured.map((one) => [
    one.name,
    kilobytes(one.bundle),
    one.ready.toFixed(0),
    one.answered.toFixed(0),
    ratio(one, floor).toFixed(2),
  ]);

const header = ['', 'bundle, kB', 'ready, ms', 'first response, ms', '× the floor'];

const chartOf = (measured: readonly Measured[]): Chart => ({
  file: 'cold-start',
  alt: 'Milliseconds from the start of a process to its first response',
  height: 420,
  option: {
    xAxis: { type: 'value', name: 'ms' },
    yAxis: { type: 'category', inverse: true, data: measured.map(({ name }) => name) },
    series: [
      {
        name: 'until ready',
        type: 'bar',
        stack: 'all',
        data: measured.map(({ ready }) => Math.round(ready)),
      },
      {
        name: 'to the first response',
        type: 'bar',
        stack: 'all',
        data: measured.map(({ ready, answered }) => Math.round(answered - ready)),
      },
    ],
  },
});

/** From the start of a process to its first response, beside the floor and beside other frameworks. */
export const coldStarts = async (progress: Progress): Promise<Section> => {
  progress.expect(3 + rounds + roundsOfNetwork + roundsOfFunctions);
  progress.step('starting');
  const directory = await mkdtemp(join(tmpdir(), 'leads-and-stars-bundles-'));
  const stage = await setStage();
  try {
    // One is one's own package type: what a bundle is does not depend on where it lies.
    await writeFile(join(directory, 'package.json'), '{}');
    progress.step('bundling');
    const functions = await functionCandidates(stage);
    const own = functions.find(({ name }) => name === ownName)!;
    const others = await peerCandidates(directory);
    const ways = await otherWays(directory);
    const compared = await measure(stage, [own, ...others, ...ways], rounds, progress);
    const distantOnes = await distantCandidates(stage, directory);
    const floors = others.filter(({ name }) => [floorName, handName].includes(name));
    const far = [...floors, ...distantOnes];
    const network = await measure(stage, far, roundsOfNetwork, progress, stage.distant);
    const all = await measure(stage, functions, roundsOfFunctions, progress);
    return sectionOf(compared, ways.length, network, all);
  } finally {
    await stage.close();
    await rm(directory, { recursive: true });
  }
};

const sectionOf = (
  compared: readonly Measured[],
  ways: number,
  network: readonly Measured[],
  functions: readonly Measured[],
): Section => {
  const floor = compared.find(({ name }) => name === floorName)!;
  const beside = compared.slice(0, -ways);
  const named = (wanted: string) => compared.find(({ name }) => name === wanted)!;
  const farNamed = (wanted: string) => network.find(({ name }) => name === wanted)!;
  const farFloor = farNamed(floorName);
  const far = (name: string) => ratio(farNamed(name), farFloor).toFixed(2);
  const farRatio = (one: string, other: string) => ratio(farNamed(one), farNamed(other)).toFixed(2);
  const besides = (one: string, other: string) => ratio(named(one), named(other)).toFixed(2);
  return {
    title: 'Cold start',
    result: `\`createLead\` answers ${named(ownName).answered.toFixed(0)} ms after its process starts, ${besides(ownName, floorName)} × the least that a function with a DynamoDB
  client takes, and ${besides(ownName, 'AWS Lambda Powertools')} × the same work with AWS Lambda Powertools. Over a network it is ${far(ownName)} × the least, \`getBalance\`
  ${far(balanceName)} ×.`,
    goals: [...goalsOf(compared), ...networkGoals(network)],
    content: [
      `From the start of a process to its first response: medians of ${rounds} starts, taken in turns.

- **The floor** reads one item with the SDK and checks nothing.
- **The others are \`createLead\`.** Each verifies the same token with the same library, makes the same requests to
  DynamoDB and writes the same lead. They differ only in what reads the request and makes the response
  (\`test/bench/peers/\`). Powertools keeps its idempotency records in its own way, with two requests more.
- **By hand** (\`test/bench/peers/raw.ts\`) is the same work without a framework, without checks of the input, and
  without an answer to what goes wrong.
- **Bundles.** The frameworks are bundled as CDK’s \`NodejsFunction\` does it by default, and once more as the service is.
  The floor and the one by hand are bundled as the service is.

Every \`createLead\` needs more than the floor: the issuer’s keys, which the one by hand gets from the issuer, and all
others from the table; the check of a token; and one to three more requests to DynamoDB in a row.`,
      table(header, rows(beside, floor)),
      chartOf(beside),
      `**Over a network.** The same with the table and the issuer farther away: each answer, those of the TLS handshakes too,
comes ${distances.table} ms later from the table and ${distances.issuer} ms later from the issuer. Medians of ${roundsOfNetwork} starts, taken in turns.

- **As it is deployed**: it reads the issuer’s keys in the table as soon as its code is loaded; \`renewIssuerKeys\` puts them
  there every five minutes.
- **Its keys not kept**: the table has no keys, so the issuer is asked at the first event.`,
      table(header, rows(network, farFloor)),
      `**What is left.** The bare handler that checks a token (\`test/bench/peers/checked.ts\`) finds the keys where the
service’s own functions do. It checks only the signature and the end of the token, and reads one item. It
is at ${far(checkedName)} × the floor. \`getBalance\` takes ${farRatio(balanceName, checkedName)} × its time, \`createLead\` ${farRatio(ownName, checkedName)} ×. They check the whole token, the membership
and the input, and make one or two more requests to the table in a row. Little of it is waiting: most is Node.js and the SDK,
as in the floor, and code that is compiled and run for the first time.`,
      'The same function, bundled in other ways:',
      table(header, rows([compared[0]!, ...compared.slice(-ways)], floor)),
      `Every function’s asset, medians of ${roundsOfFunctions} starts. Functions without a route check no token.`,
      table(header, rows(functions, floor)),
    ],
  };
};
