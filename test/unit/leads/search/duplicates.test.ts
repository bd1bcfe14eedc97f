import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import type { Lead } from '../../../../lib/leads/lead.ts';
import { findDuplicates } from '../../../../lib/leads/search/duplicates.ts';
import { putPipeline } from '../../../../lib/pipelines/pipeline.ts';
import { commitIn } from '../../../support/origin.ts';
import { countingTable, pipelineOf, storeLead, table } from '../leads-in-process.ts';

// How many duplicates are told, and in which order. Which leads are some: test/api/leads/list-lead-duplicates.test.ts.

/** An organization with a pipeline where leads share contacts. Its leads are called what they are given, or by their number. */
const makeOrganization = async () => {
  const [organizationId, pipeline] = [randomUUID(), pipelineOf()];
  await commitIn(table)(putPipeline(organizationId, pipeline));
  let made = 0;
  const make = (fields: object = {}): Promise<Lead> =>
    storeLead({ organizationId }, pipeline, { contact_name: `n${++made}`, ...fields });
  const several = async (count: number, fields: object = {}): Promise<Lead[]> => {
    const leads: Lead[] = [];
    for (let i = 0; i < count; i++) leads.push(await make(fields));
    return leads;
  };
  const duplicatesOf = async (lead: Lead, on = table) => {
    const { items, more } = await findDuplicates(on, organizationId, lead);
    return { ids: items.map((one) => one.lead.id), same: items.map((one) => one.same), more };
  };
  return { make, several, duplicatesOf };
};

const newestFirst = (leads: readonly Lead[]) => leads.map(({ id }) => id).toReversed();

const same = {
  email: { email: 'ana@example.com' },
  phone: { phone: '+5511987654321' },
  name: { contact_name: 'Ana Reis' },
};

test.each(Object.keys(same) as (keyof typeof same)[])(
  '20 leads with the same %s are told, and of more the newest, whichever is asked for',
  async (reason) => {
    const { make, several, duplicatesOf } = await makeOrganization();
    const oldest = await make(same[reason]);
    const others = await several(20, same[reason]);
    const newest = others.at(-1)!;
    const reasons = Array(20).fill([reason]);
    expect(await duplicatesOf(oldest)).toEqual({
      ids: newestFirst(others),
      same: reasons,
      more: false,
    });
    expect(await duplicatesOf(newest)).toEqual({
      ids: newestFirst([oldest, ...others.slice(0, -1)]),
      same: reasons,
      more: false,
    });
    const last = await make(same[reason]);
    expect(await duplicatesOf(oldest)).toEqual({
      ids: newestFirst([...others.slice(1), last]),
      same: reasons,
      more: true,
    });
    expect(await duplicatesOf(last)).toEqual({
      ids: newestFirst(others),
      same: reasons,
      more: true,
    });
  },
);

test('of more than 20, those with most in common are told, also where they are the oldest', async () => {
  const { make, several, duplicatesOf } = await makeOrganization();
  const both = await make({ ...same.name, ...same.email });
  await several(12, same.name);
  const withEmail = await several(11, same.email);
  const one = await make({ ...same.name, ...same.email });
  const { ids, same: reasons, more } = await duplicatesOf(one);
  expect([ids.length, more]).toEqual([20, true]);
  expect([ids[0], reasons[0]]).toEqual([both.id, ['email', 'name']]);
  expect(ids.slice(1, 12)).toEqual(newestFirst(withEmail));
});

test('where not all that have the name were looked at, there may be more; 200 items are examined at most', async () => {
  const { make, several, duplicatesOf } = await makeOrganization();
  const named = (company_name: string) => ({ ...same.name, company_name });
  const first = await make(named('Cedro'));
  const one = await make(named('Cedro'));
  expect(await duplicatesOf(one)).toEqual({ ids: [first.id], same: [['name']], more: false });
  // They are of another company, and as many as are looked at: the first is not reached any more.
  await several(55, named('Pinho'));
  expect(await duplicatesOf(one)).toEqual({ ids: [], same: [], more: true });
  const all = { ...same.email, ...same.phone };
  await several(25, all);
  const { on, counts } = countingTable();
  const { ids, more } = await duplicatesOf(await make({ ...named('Cedro'), ...all }), on);
  expect([ids.length, more]).toEqual([20, true]);
  expect(counts.words + counts.others).toBeLessThanOrEqual(200);
});
