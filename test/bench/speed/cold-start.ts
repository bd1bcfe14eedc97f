import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { functionOf } from '../../../infra/local/template/functions.ts';
import { loadOperations } from '../../../infra/operations.ts';
import { type Chart, type Goal, type Progress, type Section, table } from '../section.ts';
import { bundled, kilobytes, ownFunction, peer } from './build.ts';
import { probed } from './probe.ts';
import { median } from './samples.ts';
import { type Stage, setStage } from './stage.ts';

/** Starts of each, one of each after the other, so that all have the machine's same moods. */
const rounds = 15;
const roundsOfFunctions = 5;

const floorName = 'bare handler with a DynamoDB client';
const ownName = 'createLead';

/** Milliseconds from the start of a process. */
interface Start {
  ready: number;
  answered: number;
}

const coldStart = (stage: Stage, bundle: string, event: string, probe = 'probe.cjs') =>
  probed<Start>(stage, probe, [bundle, event]);

interface Candidate {
  name: string;
  bundle: string;
  /** Whose event it is given. */
  functionId: string;
  probe?: string;
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
): Promise<Measured[]> => {
  const starts = new Map<string, Start[]>(candidates.map(({ name }) => [name, []]));
  for (let round = 0; round < times; round++) {
    progress.step(`round ${round + 1}`);
    for (const { name, bundle, functionId, probe } of candidates) {
      const event = await stage.eventFor(functionId);
      starts.get(name)!.push(await coldStart(stage, bundle, event, probe));
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
    of('by hand on the SDK', 'by-hand'),
    ...others.map(([name, file]) => of(name, file, usualOptions)),
    ...others.map(([name, file]) => of(`${name}, bundled as the service is`, file)),
  ]);
};

/** The same function, bundled in other ways: what each choice is worth. */
const otherWays = async (stage: Stage, directory: string): Promise<Candidate[]> => {
  const file = ownFunction('create-lead');
  const way = async (name: string, key: string, options: Parameters<typeof bundled>[3]) => ({
    name,
    bundle: await bundled(file, directory, key, options),
    functionId: 'createLead',
  });
  const esm = {
    format: 'esm' as const,
    banner: {
      js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);",
    },
  };
  const cached = {
    ...(await way('with a V8 code cache', 'cached', {})),
    probe: 'probe-cached.cjs',
  };
  // Its first start writes the cache, after its first answer.
  await coldStart(stage, cached.bundle, await stage.eventFor('createLead'), cached.probe);
  return [
    await way('as ESM', 'esm', esm),
    await way('with esbuild’s own mainFields', 'main-fields', { mainFields: ['main', 'module'] }),
    await way('not minified', 'readable', { minify: false }),
    await way('with all ways to find credentials', 'credentials', { alias: {} }),
    cached,
  ];
};

/** Each function's asset, as it is deployed. */
const functionCandidates = async (stage: Stage): Promise<Candidate[]> =>
  (await loadOperations()).map(({ operation: { id } }) => {
    const { code } = functionOf(stage.service.assembly.functions, id)!;
    return { name: id, bundle: join(code, 'index.js'), functionId: id };
  });

const ratio = (one: Measured, other: Measured): number => one.answered / other.answered;

const goalsOf = (measured: readonly Measured[]): Goal[] => {
  const named = (name: string) => measured.find((one) => one.name === name)!;
  const own = named(ownName);
  const limits: [string, string, number][] = [
    ['the floor', floorName, 1.07],
    ['Powertools', 'AWS Lambda Powertools', 0.7],
    ['NestJS', 'NestJS', 0.45],
  ];
  return limits.map(([what, name, most]) => ({
    goal: `cold createLead, to the first response: at most ${most} × ${what}`,
    measured: `${ratio(own, named(name)).toFixed(2)} ×`,
    holds: ratio(own, named(name)) <= most,
  }));
};

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
  progress.expect(3 + rounds + roundsOfFunctions);
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
    const ways = await otherWays(stage, directory);
    const compared = await measure(stage, [own, ...others, ...ways], rounds, progress);
    const all = await measure(stage, functions, roundsOfFunctions, progress);
    return sectionOf(compared, ways.length, all);
  } finally {
    await stage.close();
    await rm(directory, { recursive: true });
  }
};

const sectionOf = (
  compared: readonly Measured[],
  ways: number,
  functions: readonly Measured[],
): Section => {
  const floor = compared.find(({ name }) => name === floorName)!;
  const beside = compared.slice(0, -ways);
  return {
    title: 'Cold start',
    goals: goalsOf(compared),
    content: [
      `From the start of a process to its first response: medians of ${rounds} starts, one of each after the
other. The floor reads one item with the SDK and checks nothing. The others are \`createLead\`: each verifies
the same token with the same library, makes the same requests to DynamoDB and writes the same lead; only
what takes the request apart and makes the response differs (\`test/bench/peers/\`). Powertools keeps its
idempotency records in its own way, with two requests more. The frameworks are bundled as CDK’s
\`NodejsFunction\` does it by default, and once more as the service is; the floor is bundled as the service, and so
is \`createLead\` by hand (\`test/bench/peers/raw.ts\`): the same work with no framework, no checks of the input and
no answer to what goes wrong. What it takes beyond the floor is a second TLS connection, to the issuer, for
its keys, the check of a token, and three requests to DynamoDB instead of one, two of them in a row: no
\`createLead\` comes below that, which is why two of the goals are missed: the one on the floor, and the one on
NestJS, where that work by itself is about half of what is measured.`,
      table(header, rows(beside, floor)),
      chartOf(beside),
      'The same function, bundled in other ways:',
      table(header, rows([compared[0]!, ...compared.slice(-ways)], floor)),
      `A V8 code cache is measured and not shipped: V8 takes a cache only from its own version with its own
flags, Lambda renews its Node.js by itself, and a cache that is refused costs the time of reading it.`,
      `Every function’s asset, medians of ${roundsOfFunctions} starts. Those without a route check no token.`,
      table(header, rows(functions, floor)),
    ],
  };
};
