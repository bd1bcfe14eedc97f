import { calls } from '../../cost/calls.ts';
import { startCountedService } from '../../cost/counted-service.ts';
import {
  type Feature,
  features,
  measureFeatures,
  type ReadWrite,
  walletFeatures,
} from '../../cost/features.ts';
import { prices } from '../prices.ts';
import { type Progress, type Section, table } from '../section.ts';

const dollars = ([read, write]: ReadWrite): string =>
  ((read * prices.readUnits + write * prices.writeUnits) * 1e6).toFixed(2);

const units = ([read, write]: ReadWrite): string =>
  [read && `${read} read`, write && `${write} write`].filter(Boolean).join(', ') || '0';

const header = ['', 'buys', 'a create', 'a change', 'a page of 50', 'dollars: creates', 'changes'];

const row = (name: string, buys: string, { create, change, page }: Feature['adds']) => [
  name,
  buys,
  units(create),
  units(change),
  units(page),
  dollars(create),
  dollars(change),
];

const budgetOf = (name: string): ReadWrite => {
  const [read, write] = calls.find((call) => call.name === name)!.budget;
  return [read, write];
};

/** What each capability adds to what uses it. */
export const featureCosts = async (progress: Progress): Promise<Section> => {
  progress.expect(features.length + walletFeatures.length);
  const counted = await startCountedService();
  try {
    const { base, adds, spend, spendAdds } = await measureFeatures(counted, (name) =>
      progress.step(name),
    );
    const limit: ReadWrite = [1, 1 / 20];
    const number = budgetOf('numberChanges, a new lead');
    return {
      title: 'What each feature costs',
      result: `A lead with no more than a name of no word takes ${units(base.create)} units to create. Who does not use a feature pays nothing
  for it; everyone pays for the limit of requests (${units(limit)}) and for the number of a change (${units(number)}).`,
      goals: [],
      content: [
        `Capacity units that each feature adds, measured in organizations that have it and one that has nothing, and dollars for
a million (list prices as in [Money](money.md)). A change is one of another field. \`test/cost/features.test.ts\` holds these
numbers, and that what is not used costs nothing.`,
        table(header, [
          row('**a lead that has nothing of these**', '', base),
          ...features.map(({ name, buys }) => row(name, buys, adds[name]!)),
        ]),
        'What of a wallet adds to a spend:',
        table(
          ['', 'buys', 'a spend', 'dollars for a million'],
          [
            ['**a wallet that has nothing of these**', '', units(spend), dollars(spend)],
            ...walletFeatures.map(({ name, buys }) => [
              name,
              buys,
              units(spendAdds[name]!),
              dollars(spendAdds[name]!),
            ]),
          ],
        ),
        'What everyone pays:',
        table(
          ['', 'buys', 'when', 'units', 'dollars for a million'],
          [
            [
              'the limit of requests',
              'no organization starves another',
              'each request: in the numbers above is the read; one request in twenty writes',
              units(limit),
              dollars(limit),
            ],
            [
              'the number of a change',
              'a feed without gaps; webhooks and events in order',
              'each change, from the stream; less where several come at once',
              units(number),
              dollars(number),
            ],
          ],
        ),
      ],
    };
  } finally {
    await counted.close();
  }
};
