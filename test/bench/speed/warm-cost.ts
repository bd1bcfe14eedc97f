import { join } from 'node:path';
import { functionOf } from '@leads-and-stars/runner';
import { type Goal, type Progress, type Section, table } from '../section.ts';
import { bundled, peer } from './build.ts';
import { probed } from './probe.ts';
import { type Stage, setStage } from './stage.ts';

const warmUp = 150;
const events = 350;
/** Of each, one after the other: the least counts, for what disturbs only ever adds. */
const rounds = 3;

interface Compared {
  functionId: string;
  what: string;
  most: number;
}

const compared: Compared[] = [
  { functionId: 'createLead', what: 'createLead', most: 1.2 },
  { functionId: 'listLeads', what: 'listLeads, a page of 50', most: 0.8 },
];

interface Measured extends Compared {
  own: number;
  raw: number;
}

const measure = async (
  stage: Stage,
  rawBundle: string,
  one: Compared,
  progress: Progress,
): Promise<Measured> => {
  const { functionId } = one;
  const { code } = functionOf(stage.service.assembly.functions, functionId)!;
  const least = { own: Number.POSITIVE_INFINITY, raw: Number.POSITIVE_INFINITY };
  const ways = [
    ['own', join(code, 'function.js'), 'handler'],
    ['raw', rawBundle, functionId],
  ] as const;
  for (let round = 1; round <= rounds; round++) {
    for (const [way, bundle, exported] of ways) {
      progress.step(`${one.what}, ${way}, ${round}`);
      const file = await stage.eventsFor(functionId, events);
      const { microseconds } = await probed<{ microseconds: number }>(stage, 'probe-warm.cjs', [
        bundle,
        exported,
        file,
        String(warmUp),
      ]);
      least[way] = Math.min(least[way], microseconds);
    }
  }
  return { ...one, ...least };
};

const goalOf = ({ what, most, own, raw }: Measured): Goal => ({
  goal: `warm ${what}: at most ${most} × a hand-written handler’s processor time`,
  measured: `${(own / raw).toFixed(2)} ×`,
  holds: own / raw <= most,
});

/** Processor time of a request in a warm process, beside a handler that is written by hand. */
export const warmCost = async (progress: Progress): Promise<Section> => {
  progress.expect(1 + compared.length * rounds * 2);
  progress.step('starting');
  const stage = await setStage();
  try {
    const raw = await bundled(peer('raw'), stage.directory, 'raw');
    const measured: Measured[] = [];
    for (const one of compared) measured.push(await measure(stage, raw, one, progress));
    return {
      title: 'Warm cost',
      result: `${measured.map(({ what, own, raw }) => `${what}: ${(own / raw).toFixed(2)} × the processor time of a hand-written handler`).join('; ')}.`,
      goals: measured.map(goalOf),
      content: [
        `Processor time of one request, with that of the operating system, in a process that has had ${warmUp} before: the least of
${rounds} runs of ${events - warmUp}. The hand-written handler (\`test/bench/peers/raw.ts\`) verifies the same token and
makes the same requests to DynamoDB with the same items, with the SDK’s document client as it comes. It does not check
the input, logs nothing, and has no answer to what goes wrong.`,
        table(
          ['µs', 'by hand', 'the function', '×'],
          measured.map(({ what, raw, own }) => [
            what,
            raw.toFixed(0),
            own.toFixed(0),
            (own / raw).toFixed(2),
          ]),
        ),
      ],
    };
  } finally {
    await stage.close();
  }
};
