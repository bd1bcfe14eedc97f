import { v5 } from 'uuid';
import { type Lead, type LeadInput, leadInput, newLead } from '../../../lib/leads/lead.ts';
import { replaceLead, type StoredLead } from '../../../lib/leads/stored-lead.ts';
import { putMember } from '../../../lib/organizations/members.ts';
import {
  newPipeline,
  type Pipeline,
  pipelineInput,
  putPipeline,
} from '../../../lib/pipelines/pipeline.ts';
import type { Item, Write } from '../../../lib/table/table.ts';
import { itemsPut } from '../../support/origin.ts';
import { chance, type Random, random } from '../../support/random.ts';

/** A value and how many of a hundred leads have it. */
type Shares = readonly (readonly [value: string, percent: number])[];

const pipelineShares: Shares = [
  ['Sales', 50],
  ['Partners', 30],
  ['Events', 15],
  ['Referrals', 5],
];
/** Of an organization with ten pipelines. */
const tenShares: Shares = [28, 18, 14, 11, 9, 7, 5, 4, 3, 1].map((percent, i) => [
  `Pipeline ${i}`,
  percent,
]);
const stageShares: Shares = [
  ['new', 40],
  ['contacted', 25],
  ['qualified', 15],
  ['won', 12],
  ['lost', 8],
];
const tagShares: Shares = [
  ['inbound', 50],
  ['newsletter', 30],
  ['webinar', 15],
  ['referral', 4],
  ['vip', 1],
];
/** The first has twenty of a hundred leads that have an owner, the last one. Nine of ten have: so the last has 2,000 of 200,000. */
const ownerShares: Shares = [20, 15, 12, 10, 8, 7, 6, 5, 5, 4, 3, 2, 1.9, 1.1].map((percent, i) => [
  v5(`owner ${i}`, v5.URL),
  percent,
]);

const pick = (next: Random, shares: Shares): string => {
  let left = next() * 100;
  for (const [value, percent] of shares) {
    left -= percent;
    if (left < 0) return value;
  }
  return shares.at(-1)?.[0] ?? '';
};

/** An organization of a size in leads, the same for each seed but for the leads' ids. */
export interface Large {
  id: string;
  size: number;
  shares: Shares;
  user: string;
  pipelines: Pipeline[];
  owners: string[];
}

/** With ten pipelines, a third of its leads has a next step, and half were changed. */
export const largeOrganization = (
  size: number,
  kind: 'usual' | 'ten pipelines' = 'usual',
): Large => {
  const id = v5(`organization of ${size}, ${kind}`, v5.URL);
  const shares = kind === 'usual' ? pipelineShares : tenShares;
  const stages = stageShares.map(([name]) => ({ name, outcome: 'open' as const }));
  const pipelines = shares.map(([name], i) =>
    newPipeline(v5(`${id} ${name}`, v5.URL), pipelineInput.parse({ name, stages }), i),
  );
  const owners = ownerShares.map(([owner]) => owner);
  return { id, size, shares, user: owners[0] ?? '', pipelines, owners };
};

const itemOf = (write: Write<'PutItem'>): Item => write.Put.Item as Item;

/** A member, the pipelines, and all items of the leads. */
export function* itemsOf(
  { id, size, shares, user, pipelines }: Large,
  seed: number,
): Generator<Item> {
  yield* itemsPut(putMember(id, { user_id: user, role: 'owner', name: null }, 0));
  for (const pipeline of pipelines) yield* itemsPut(putPipeline(id, pipeline));
  const next = random(seed);
  for (let n = 0; n < size; n++) {
    const pipeline = pipelines[shares.findIndex(isNamed(pick(next, shares)))]!;
    const lead = newLead(inputOf(next, pipeline, n), pipeline);
    lead.stage = pick(next, stageShares);
    if (shares === tenShares) useMore(next, lead);
    const stored: StoredLead = {
      lead,
      version: 1,
      unique: ['email'],
      filterable: [],
    };
    for (const write of replaceLead(id, undefined, stored)) {
      yield itemOf(write as Write<'PutItem'>);
    }
  }
}

const hour = 3_600_000;

/** Changes half of the leads after they were made, and gives a third a next step. */
const useMore = (next: Random, lead: Lead): void => {
  const later = () => new Date(Date.parse(lead.created_at) + next() * 5000 * hour).toISOString();
  if (chance(next, 0.5)) lead.updated_at = later();
  if (chance(next, 1 / 3)) Object.assign(lead, { next_step_at: later(), next_step: 'Call' });
};

const isNamed =
  (name: string) =>
  ([value]: Shares[number]): boolean =>
    value === name;

const inputOf = (next: Random, pipeline: Pipeline, n: number): LeadInput =>
  leadInput.parse({
    contact_name: 'Maria Aparecida Silva',
    company_name: 'Padaria Pão Quente',
    email: `maria.silva.${n}@example.com`,
    phone: `+55119${80_000_000 + n}`,
    pipeline_id: pipeline.id,
    owner_id: chance(next, 0.9) ? pick(next, ownerShares) : null,
    tags: tagsOf(next),
    value_cents: Math.floor(next() * 1_000_000),
  });

/** Forty of a hundred leads have none, ten have two. */
const tagsOf = (next: Random): string[] => {
  if (chance(next, 0.4)) return [];
  const first = pick(next, tagShares);
  const second = chance(next, 0.17) ? pick(next, tagShares) : first;
  return [...new Set([first, second])];
};
