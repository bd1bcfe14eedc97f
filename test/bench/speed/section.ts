import { join } from 'node:path';
import { functionOf } from '@leads-and-stars/runner';
import { type Goal, type Progress, type Section, table } from '../section.ts';
import { bundlePeer, kilobytes } from './build.ts';
import { type ColdStart, measureColdStarts, rounds } from './cold.ts';
import { type Stage, setStage } from './stage.ts';

/** Of what the peer takes. */
const mostTimes = 1.15;

/** Functions of the service, each before its peer. */
const candidatesOn = async (stage: Stage) => {
  const own = (id: string) =>
    join(functionOf(stage.service.assembly.functions, id)!.code, 'function.js');
  const createLead = () => stage.eventFor('createLead', 'a new lead');
  return [
    { name: 'createLead', bundle: own('createLead'), event: createLead },
    { name: 'by hand', bundle: await bundlePeer('by-hand', stage.directory), event: createLead },
    {
      name: 'answerAgent',
      bundle: own('answerAgent'),
      event: () => stage.eventFor('answerAgent', 'a few stars'),
    },
    {
      name: 'without MCP',
      bundle: await bundlePeer('without-mcp', stage.directory),
      event: () => stage.eventFor('putSpend', 'a few stars'),
    },
  ];
};

/** Cold starts beside those of the same work by peers. */
export const coldStarts = async (progress: Progress): Promise<Section> => {
  progress('starting');
  const stage = await setStage();
  try {
    progress('bundling');
    return sectionOf(await measureColdStarts(stage, await candidatesOn(stage), progress));
  } finally {
    await stage.close();
  }
};

const goalOf = (own: ColdStart, peer: ColdStart): Goal => ({
  goal: `cold ${own.name}, ${mostTimes} × ${peer.name}`,
  measured: `${(own.tookMs / peer.tookMs).toFixed(2)} ×`,
  holds: own.tookMs <= mostTimes * peer.tookMs,
});

const sectionOf = (cold: readonly ColdStart[]): Section => {
  const [create, byHand, spend, withoutMcp] = cold as [ColdStart, ColdStart, ColdStart, ColdStart];
  return {
    title: 'Cold start',
    goals: [goalOf(create, byHand), goalOf(spend, withoutMcp)],
    content: [
      `Milliseconds from a process's start to its first response (medians of ${rounds}, in turns). All take the token's keys from
the table, and pairs do the same work. **By hand** (\`test/bench/peers/\`) is the SDK without checks of input or failures,
**without MCP** has the agents' operations in one function by HTTP. They are bundled as the service is.`,
      table(
        ['first response', 'bundle, kB', 'ms'],
        cold.map(({ name, bundle, tookMs }) => [name, kilobytes(bundle), tookMs.toFixed(0)]),
      ),
    ],
  };
};
