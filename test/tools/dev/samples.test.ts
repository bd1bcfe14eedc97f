import { expect, test } from 'vitest';
import { isRouted, loadOperations } from '../../../infra/operations.ts';
import { invoke, provision } from '../../support/organization.ts';
import { sample } from '../../support/samples.ts';

const unrouted = (await loadOperations()).filter((source) => !isRouted(source));

test.each(unrouted.map(({ operation }) => operation.id))(
  'the sample of %s is answered',
  async (id) => {
    const organization = await provision({ wallet: { pack_stars: 500 } });
    const { failed, payload } = await invoke(id, await sample(id, organization));
    expect([failed, payload?.batchItemFailures ?? []]).toEqual([false, []]);
  },
);
