import { join } from 'node:path';
import { functionOf } from '@leads-and-stars/runner';
import { type Goal, type Progress, type Section, table } from '../section.ts';
import { bundlePeer, kilobytes } from './build.ts';
import { type ColdStart, measureColdStarts, rounds } from './cold.ts';
import { distanceMs, type Stage, setStage } from './stage.ts';
import { events, measureWarmCost, type WarmCost, warmRounds, warmUp } from './warm.ts';

/** What CDK's `NodejsFunction` tells esbuild unless it is told otherwise. */
const usualOptions = { mainFields: ['main', 'module'], minify: false, alias: {} };

const ownName = 'createLead';
const handName = 'by hand';
const coldLimits: [other: string, most: number][] = [
  [handName, 1.15],
  ['Powertools', 0.8],
  ['NestJS', 0.5],
];
const warmFunctions = ['createLead', 'listLeads'];
const mostWarm = 1.1;

const ownBundle = (stage: Stage, functionId: string): string =>
  join(functionOf(stage.service.assembly.functions, functionId)!.code, 'function.js');

/** A cold start and a warm request, beside the same work by hand and in other frameworks. */
export const coldStarts = async (progress: Progress): Promise<Section> => {
  progress.expect(2 + rounds + warmFunctions.length * warmRounds * 2);
  progress.step('starting');
  const stage = await setStage();
  try {
    progress.step('bundling');
    const { directory } = stage;
    const byHand = await bundlePeer('by-hand', directory);
    const candidates = [
      { name: ownName, bundle: ownBundle(stage, ownName) },
      { name: handName, bundle: byHand },
      { name: 'Powertools', bundle: await bundlePeer('powertools', directory, usualOptions) },
      { name: 'NestJS', bundle: await bundlePeer('nest', directory, usualOptions) },
    ];
    const cold = await measureColdStarts(stage, candidates, progress);
    const warm: WarmCost[] = [];
    for (const functionId of warmFunctions) {
      const bundles = { own: ownBundle(stage, functionId), byHand };
      warm.push(await measureWarmCost(stage, functionId, bundles, progress));
    }
    return sectionOf(cold, warm);
  } finally {
    await stage.close();
  }
};

const times = (one: number, other: number): string => `${(one / other).toFixed(2)} ×`;

const goalsOf = (cold: readonly ColdStart[], warm: readonly WarmCost[]): Goal[] => {
  const near = (wanted: string) => cold.find(({ name }) => name === wanted)!.near;
  return [
    ...coldLimits.map(([other, most]) => ({
      goal: `cold ${ownName}, ${most} × ${other}`,
      measured: times(near(ownName), near(other)),
      holds: near(ownName) <= most * near(other),
    })),
    ...warm.map(({ functionId, own, byHand }) => ({
      goal: `warm ${functionId}, ${mostWarm} × ${handName}`,
      measured: times(own, byHand),
      holds: own <= mostWarm * byHand,
    })),
  ];
};

const sectionOf = (cold: readonly ColdStart[], warm: readonly WarmCost[]): Section => {
  const own = cold.find(({ name }) => name === ownName)!;
  const beside = cold.slice(1).map(({ name, near }) => `${times(own.near, near)} ${name}`);
  return {
    title: 'Cold start',
    result: `\`createLead\` answers ${own.near.toFixed(0)} ms after its process starts: ${new Intl.ListFormat('en-GB').format(beside)}.`,
    goals: goalsOf(cold, warm),
    content: [
      `Milliseconds from a process's start to its first response (medians of ${rounds}, in turns), with the table here and ${distanceMs} ms away.
All take the token's keys from the table and write the same lead (\`test/bench/peers/\`); Powertools makes two requests more for
idempotency. **By hand** is the SDK without checks of input or failures, bundled as the service is; the others as CDK does.`,
      table(
        [ownName, 'bundle, kB', 'near', `${distanceMs} ms away`],
        cold.map(({ name, bundle, near, far }) => [
          name === ownName ? 'the service' : name,
          kilobytes(bundle),
          near.toFixed(0),
          far.toFixed(0),
        ]),
      ),
      `Microseconds of processor time when warm (the least of ${warmRounds} runs of ${events - warmUp}):`,
      table(
        ['warm', 'the service', handName],
        warm.map(({ functionId, own, byHand }) => [functionId, own.toFixed(0), byHand.toFixed(0)]),
      ),
    ],
  };
};
