import type { Example } from '../example.ts';

export const examples: Example[] = [
  {
    name: 'another name',
    request: ({ pipelineId }) => ({
      path: { pipeline_id: pipelineId },
      headers: { 'content-type': 'application/merge-patch+json' },
      body: { name: 'Inbound' },
    }),
    costs: [3, 6, 2],
  },
  {
    name: 'another name, if nobody changed it since',
    async request({ call }) {
      const stages = [{ name: 'new', outcome: 'open' }];
      const { id } = await call('createPipeline', { body: { name: 'Events', stages } });
      return {
        path: { pipeline_id: id },
        headers: { 'if-match': '"1"' },
        body: { name: 'New business' },
      };
    },
    docs: true,
  },
  {
    name: 'other stages',
    request: ({ pipelineId }) => ({
      path: { pipeline_id: pipelineId },
      body: { stages: ['new', 'won', 'closed'].map((name) => ({ name, outcome: 'open' })) },
    }),
    faults: true,
  },
  {
    name: 'with If-Match',
    request: ({ pipelineId }) => ({
      path: { pipeline_id: pipelineId },
      headers: { 'if-match': '"1"' },
      body: { name: 'Renamed' },
    }),
    faults: true,
  },
  {
    name: 'a stage that has leads is left out',
    async request({ pipelineId, lead }) {
      await lead();
      return {
        path: { pipeline_id: pipelineId },
        body: { stages: [{ name: 'open', outcome: 'open' }], default_stage: 'open' },
      };
    },
    status: 409,
    docs: true,
  },
];
