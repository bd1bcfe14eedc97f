import autocannon from 'autocannon';
import { makeSetting } from '../../cost/setting.ts';
import { type Chart, type Progress, type Section, table } from '../section.ts';
import { setStage } from '../speed/stage.ts';
import { type Load, loadsOf } from './loads.ts';
import { startPeer } from './peer-server.ts';

/** Requests under way at once, and environments of each function: more than the machine has cores. */
const connections = 16;
const environmentsPerFunction = 4;
/** Each load ends after the one or the other. */
const mostRequests = 3000;
const mostSeconds = 2;

const runnerName = 'the runner';
const peers = { Express: 'express', Hono: 'hono', NestJS: 'nest' };

interface Measured {
  server: string;
  load: string;
  perSecond: number;
  p50: number;
  p99: number;
  answered: number;
  refused: number;
}

const run = async (url: string, server: string, { name, requests }: Load): Promise<Measured> => {
  const result = await autocannon({
    url,
    requests,
    connections,
    idReplacement: true,
    maxOverallRequests: mostRequests,
    duration: mostSeconds,
    // A thread of its own: the gateway runs in this one.
    workers: 1,
  });
  const { latency, errors, non2xx, timeouts } = result;
  const answered = result['2xx'];
  return {
    server,
    load: name,
    perSecond: answered / result.duration,
    p50: latency.p50,
    p99: latency.p99,
    answered,
    refused: non2xx + errors + timeouts,
  };
};

const runAll = async (
  url: string,
  server: string,
  loads: readonly Load[],
  progress: Progress,
): Promise<Measured[]> => {
  progress.step(`${server}, warming up`);
  await run(url, server, loads.at(-1)!);
  const measured: Measured[] = [];
  for (const load of loads) {
    progress.step(`${server}, ${load.name}`);
    measured.push(await run(url, server, load));
  }
  return measured;
};

/** All loads on one server, over an engine of its own: what is in it grows with what it is asked. */
const measure = async (
  server: string,
  file: string | undefined,
  progress: Progress,
): Promise<Measured[]> => {
  progress.step(`${server}, starting`);
  const stage = await setStage(environmentsPerFunction);
  try {
    const loads = loadsOf(await makeSetting(stage.service));
    if (!file) return await runAll(new URL(stage.service.baseUrl).origin, server, loads, progress);
    const { url, close } = await startPeer(stage, file);
    try {
      return await runAll(url, server, loads, progress);
    } finally {
      await close();
    }
  } finally {
    await stage.close();
  }
};

/** What the local runner answers under a load, beside the servers of the peers, and how long that takes. */
export const throughput = async (progress: Progress): Promise<Section> => {
  const servers = [[runnerName, undefined] as const, ...Object.entries(peers)];
  progress.expect(servers.length * 7);
  const measured: Measured[] = [];
  for (const [server, file] of servers) measured.push(...(await measure(server, file, progress)));
  return sectionOf(measured);
};

const serversOf = (measured: readonly Measured[]) => [
  ...new Set(measured.map(({ server }) => server)),
];

const chartOf = (measured: readonly Measured[]): Chart => ({
  file: 'throughput',
  alt: 'Milliseconds for a call under load: the ninety-ninth of a hundred, by server',
  height: 320,
  option: {
    xAxis: { type: 'category', data: [...new Set(measured.map(({ load }) => load))] },
    yAxis: { type: 'value', name: 'ms, p99' },
    series: serversOf(measured).map((name) => ({
      name,
      type: 'bar' as const,
      data: measured.filter(({ server }) => server === name).map(({ p99 }) => p99),
    })),
  },
});

const sectionOf = (measured: readonly Measured[]): Section => {
  const own = measured.filter(({ server }) => server === runnerName);
  const refused = own.reduce((total, one) => total + one.refused, 0);
  const answered = own.reduce((total, one) => total + one.answered, 0);
  return {
    title: 'Throughput and tail',
    result: `The local runner answers ${own.map(({ load, perSecond }) => `${perSecond.toFixed(0)} (${load})`).join(', ')} calls a second,
  with ${connections} under way at once.`,
    goals: [
      {
        goal: 'under load, every call is answered with a 2xx',
        measured: `${refused} of ${answered + refused} were not`,
        holds: refused === 0,
      },
    ],
    content: [
      `The local runner with ${environmentsPerFunction} environments of each function and ${connections} calls under way at once.
autocannon makes them in a thread of its own. Each load is ${mostRequests} calls or ${mostSeconds} seconds. In the mixed load, of ten calls
six read leads, two create one, one reads a balance and one a summary. The same loads go to servers of the other
frameworks (\`test/bench/peers/servers/\`). Each does what the operations do, with their code, in one process that stays.
Each server has an engine of its own, empty at first, since the local engine writes more slowly as it fills. Powertools
has no server.`,
      table(
        ['load', 'server', 'a second', 'p50, ms', 'p99, ms', 'p99 / p50', 'answered', 'not 2xx'],
        [...measured]
          .sort((a, b) => loadsInOrder(measured, a) - loadsInOrder(measured, b))
          .map(({ server, load, perSecond, p50, p99, answered, refused }) => [
            load,
            server,
            perSecond.toFixed(0),
            p50,
            p99,
            (p99 / p50).toFixed(1),
            answered,
            refused,
          ]),
      ),
      `This does not compare like with like. The runner plays Lambda: each call goes from the gateway to another process and
back, and that process has one call at a time. Each request to DynamoDB goes through a proxy that holds the function to
its permissions. Gateway, functions, proxy, engine and autocannon share the cores of this machine, which are busy all the
time. A server that stays has none of that, and many calls in one process. So this shows what the runner can do, and
that its slowest calls stay near its median. It does not show what a deployment can do, where each call has a core of its
own. [Warm cost](warm-cost.md) has what the functions themselves cost.`,
      chartOf(measured),
    ],
  };
};

const loadsInOrder = (measured: readonly Measured[], { load }: Measured): number =>
  measured.findIndex((one) => one.load === load);
