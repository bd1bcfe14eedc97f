import type { Client } from '../../faults/client.ts';
import { readFeed } from '../../support/feed.ts';

const readerOf = (client: Client) => ({
  get: async (path: string) => ({
    text: '',
    ...(await client.send({ id: 'listChanges', path })),
  }),
});

/** Milliseconds from the answer of each write to the first answer of the feed that has it. */
export const feedDelays = async (
  client: Client,
  pipelineId: string,
  count: number,
): Promise<number[]> => {
  const measured: number[] = [];
  let after = (await readFeed(readerOf(client))).length;
  for (let i = 0; i < count; i++) {
    const body = { contact_name: 'Ana', pipeline_id: pipelineId };
    await client.send({ id: 'createLead', path: '/leads', body });
    const answered = performance.now();
    const path = `/changes?after=${after}`;
    while ((await client.send({ id: 'listChanges', path })).body.items.length === 0);
    measured.push(performance.now() - answered);
    after++;
  }
  return measured;
};
