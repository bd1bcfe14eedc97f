import { expect, inject, test } from 'vitest';
import { places } from '../../lib/table/keys.ts';
import { seed } from '../support/random.ts';
import { times } from '../support/some.ts';
import { type Simulated, simulations } from './simulate.ts';

// The operations in this process, and all that they wait for in an order that the seed chooses.

const { tableEndpoint: endpoint, tableName: name } = inject('service');
const sequences = times(1, 3);

/** What nothing fits with. */
const unfit = {
  sales: [],
  billing: [places.waitingRequest.key({ organizationId: 'any', time: '1', id: 'left' })],
};

/** Partitions of which each item is needed: without it, nothing fits. */
const needed = {
  sales: ['LEADS#', 'HISTORY#', 'WORDS#', 'CONTACT#'],
  billing: ['LEDGER#'],
};

test.each(['sales', 'billing'] as const)(
  `of %s, all fits together and is as callers were told, whoever comes first and whatever is lost (SEED=${seed})`,
  async (scene) => {
    let writes = 0;
    let last: Simulated | undefined;
    for (let i = 0; i < sequences; i++) {
      last = await simulations[scene]({ endpoint, name }, seed + i);
      for (const number of last.outcomes.values()) writes += number;
    }
    console.info(`${writes} writes of ${scene}`);
    expect(writes).toBeGreaterThan(10 * sequences);
    const { items, audit } = last!;
    const lost = needed[scene]
      .map((prefix) => items.find(({ pk }) => String(pk).startsWith(prefix)))
      .filter((item) => item !== undefined);
    expect(lost.length).toBeGreaterThan(0);
    for (const one of lost) {
      expect(() => audit(items.filter((item) => item !== one)), String(one.pk)).toThrow();
    }
    for (const one of unfit[scene]) {
      expect(() => audit([...items, { ...one }]), one.pk).toThrow('waits');
    }
  },
);
