import { openSync } from 'node:fs';
import autocannon from 'autocannon';
import { startService } from '../../infra/local/service.ts';
import { makeSetting, type Setting } from '../cost/setting.ts';
import { type Chart, type Progress, type Section, table } from './section.ts';

/** Requests under way at once, and environments of each function: more than the machine has cores. */
const connections = 16;
const environmentsPerFunction = 4;
/** Each load ends after the one or the other. */
const mostRequests = 3000;
const mostSeconds = 10;

type Request = autocannon.Request;

interface Load {
  name: string;
  requests: Request[];
}

interface Measured {
  name: string;
  perSecond: number;
  p50: number;
  p99: number;
  answered: number;
  refused: number;
}

const requestsOf = ({ id, token, pipelineId, leadIds }: Setting) => {
  const headers = { authorization: `Bearer ${token}`, 'x-organization-id': id };
  const get = (path: string): Request => ({ method: 'GET', path: `/v1${path}`, headers });
  const create: Request = {
    method: 'POST',
    path: '/v1/leads',
    headers: { ...headers, 'content-type': 'application/json' },
    body: JSON.stringify({
      contact_name: 'Maria Silva',
      pipeline_id: pipelineId,
      // Each address is a new one.
      email: '[<id>]@example.com',
      tags: ['inbound'],
    }),
  };
  return { get, create, lead: get(`/leads/${leadIds[0]}`), list: get('/leads') };
};

/** Each call by itself, and a mixture of mostly reads. */
const loadsOf = (setting: Setting): Load[] => {
  const { get, create, lead, list } = requestsOf(setting);
  const balance = get('/billing/balance');
  const ofPipeline = get(`/leads?pipeline_id=${setting.pipelineId}`);
  const summary = get(`/pipelines/${setting.pipelineId}/summary`);
  return [
    { name: 'createLead', requests: [create] },
    { name: 'getLead', requests: [lead] },
    { name: 'listLeads, 50', requests: [list] },
    { name: 'getBalance', requests: [balance] },
    {
      name: 'mixed',
      requests: [list, create, lead, ofPipeline, balance, lead, create, list, summary, lead],
    },
  ];
};

const run = async (url: string, { name, requests }: Load): Promise<Measured> => {
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
    name,
    perSecond: answered / result.duration,
    p50: latency.p50,
    p99: latency.p99,
    answered,
    refused: non2xx + errors + timeouts,
  };
};

const chartOf = (measured: readonly Measured[]): Chart => ({
  file: 'throughput',
  alt: 'Milliseconds for a call under load: the median and the ninety-ninth of a hundred',
  height: 320,
  option: {
    xAxis: { type: 'category', data: measured.map(({ name }) => name) },
    yAxis: { type: 'value', name: 'milliseconds' },
    series: [
      { name: 'p50', type: 'bar', data: measured.map(({ p50 }) => p50) },
      { name: 'p99', type: 'bar', data: measured.map(({ p99 }) => p99) },
    ],
  },
});

/** What the local runner answers under a load, and how long that takes. */
export const throughput = async (progress: Progress): Promise<Section> => {
  progress.expect(7);
  progress.step('starting');
  const service = await startService({
    storage: 'memory',
    port: 0,
    environmentsPerFunction,
    logs: openSync('/dev/null', 'a'),
  });
  try {
    const loads = loadsOf(await makeSetting(service));
    const url = new URL(service.baseUrl).origin;
    progress.step('warming up');
    await run(url, loads.at(-1)!);
    const measured: Measured[] = [];
    for (const load of loads) {
      progress.step(load.name);
      measured.push(await run(url, load));
    }
    return sectionOf(measured);
  } finally {
    await service.close();
  }
};

const sectionOf = (measured: readonly Measured[]): Section => {
  const refused = measured.reduce((total, one) => total + one.refused, 0);
  const answered = measured.reduce((total, one) => total + one.answered, 0);
  return {
    title: 'Throughput and tail',
    goals: [
      {
        goal: 'under load, every call is answered with a 2xx',
        measured: `${refused} of ${answered + refused} were not`,
        holds: refused === 0,
      },
    ],
    content: [
      `The local runner with ${environmentsPerFunction} environments of each function and ${connections} calls under way at once, which
autocannon makes from a thread of its own. Gateway, functions, permission proxy and engine share this
machine’s cores, which are busy all the time: this says what the runner can take and that the tail stays
near the median, not what a deployment can take, where each call has a core of its own. Each load is
${mostRequests} calls or ${mostSeconds} seconds. Mixed is six reads of leads, two creates, a balance and a summary in ten.`,
      table(
        ['load', 'a second', 'p50, ms', 'p99, ms', 'p99 / p50', 'answered', 'not 2xx'],
        measured.map(({ name, perSecond, p50, p99, answered, refused }) => [
          name,
          perSecond.toFixed(0),
          p50,
          p99,
          (p99 / p50).toFixed(1),
          answered,
          refused,
        ]),
      ),
      chartOf(measured),
    ],
  };
};
