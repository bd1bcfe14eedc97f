import { join } from 'node:path';
import { functionOf } from '@leads-and-stars/runner';
import { type Progress, type Section, table } from '../section.ts';
import { bundlePeer, kilobytes } from './build.ts';
import { type ColdStart, measureColdStarts, rounds } from './cold.ts';
import { setStage } from './stage.ts';

const ownName = 'createLead';
/** Of what the same takes by hand. */
const mostTimes = 1.15;

/** A cold start beside that of the same work by hand. */
export const coldStarts = async (progress: Progress): Promise<Section> => {
  progress('starting');
  const stage = await setStage();
  try {
    progress('bundling');
    const own = functionOf(stage.service.assembly.functions, ownName)!.code;
    const candidates = [
      { name: 'the service', bundle: join(own, 'function.js') },
      { name: 'by hand', bundle: await bundlePeer('by-hand', stage.directory) },
    ];
    return sectionOf(await measureColdStarts(stage, candidates, progress));
  } finally {
    await stage.close();
  }
};

const sectionOf = (cold: readonly ColdStart[]): Section => {
  const [own, byHand] = cold as [ColdStart, ColdStart];
  const times = `${(own.tookMs / byHand.tookMs).toFixed(2)} ×`;
  return {
    title: 'Cold start',
    goals: [
      {
        goal: `cold ${ownName}, ${mostTimes} × by hand`,
        measured: times,
        holds: own.tookMs <= mostTimes * byHand.tookMs,
      },
    ],
    content: [
      `Milliseconds from a process's start to its first response (medians of ${rounds}, in turns). Both take the token's keys from
the table and write the same lead. **By hand** (\`test/bench/peers/\`) is the SDK without checks of input or failures,
bundled as the service is.`,
      table(
        [ownName, 'bundle, kB', 'ms'],
        cold.map(({ name, bundle, tookMs }) => [name, kilobytes(bundle), tookMs.toFixed(0)]),
      ),
    ],
  };
};
