import { createHash } from 'node:crypto';
import { v7 } from 'uuid';
import * as z from 'zod/mini';
import { addLines } from '../billing/rules/months/wallet-months.ts';
import { emptyEntry, type LedgerEntry } from '../billing/stored/ledger-entry.ts';
import {
  emptySubscription,
  emptyWallet,
  type Wallet,
  walletKind,
} from '../billing/stored/wallet.ts';
import { status, tier } from '../billing/terms/fields.ts';
import { anyStars } from '../billing/terms/stars.ts';
import { ledgerFacts } from '../billing/writer/writes.ts';
import { ApiError, invalid } from '../errors/errors.ts';
import type { Origin } from '../facts/origin.ts';
import { commitTo, type WriteOrFact } from '../facts/transaction.ts';
import { roles } from '../operations/permissions.ts';
import { memberName, putMember } from '../organizations/members.ts';
import {
  type OrganizationItem,
  organizationFact,
  organizationKind,
} from '../organizations/organization.ts';
import { listOrganization } from '../organizations/organization-list.ts';
import { assertNeverErased } from '../organizations/tombstone.ts';
import {
  newPipeline,
  type Pipeline,
  pipelineRequest,
  putPipeline,
  withDefaults,
} from '../pipelines/pipeline.ts';
import { currency, text, userId } from '../schema/fields.ts';
import { absent } from '../table/condition.ts';
import { type Grant, grantsOn } from '../table/grants.ts';
import type { Table } from '../table/table.ts';
import { put, withoutFact } from '../table/write.ts';

/** Stars that an organization brings along. */
const openingWallet = z.strictObject({
  pack_stars: z._default(anyStars(), 0),
  subscription: z.optional(
    z.strictObject({
      tier: tier(),
      status: status(),
      current_period_end: z.iso.datetime(),
      monthly_grant_stars: anyStars(),
      monthly_stars: anyStars(),
    }),
  ),
});

const mostPipelines = 10;

const memberInput = z.strictObject({
  user_id: userId(),
  role: z.enum(roles),
  name: z.nullish(memberName()),
});

/** What a new organization has. */
export const organizationInput = z
  .strictObject({
    name: text(200),
    currency: z
      ._default(currency(), 'USD')
      .check(z.describe('ISO 4217. `value_cents` of its leads are in the smallest unit of it.')),
    members: z.array(memberInput).check(
      z.minLength(1),
      z.maxLength(20),
      z.refine((members) => members.some(({ role }) => role === 'owner'), {
        error: 'must have an owner',
      }),
      z.refine((members) => new Set(members.map((m) => m.user_id)).size === members.length, {
        error: 'must name each user once',
      }),
    ),
    pipelines: z._default(
      z.array(pipelineRequest).check(z.minLength(1), z.maxLength(mostPipelines)),
      [
        {
          name: 'Sales',
          stages: [
            { name: 'new', outcome: 'open' },
            { name: 'contacted', outcome: 'open' },
            { name: 'qualified', outcome: 'open' },
            { name: 'won', outcome: 'won' },
            { name: 'lost', outcome: 'lost' },
          ],
        },
      ],
    ),
    wallet: z._default(openingWallet, { pack_stars: 0 }),
  })
  .check(z.meta({ id: 'OrganizationInput' }));
type OrganizationInput = z.output<typeof organizationInput>;

export const provisionedOrganization = z
  .strictObject({
    id: z.uuid(),
    name: z.string(),
    currency: currency(),
    pipelines: z
      .array(z.strictObject({ id: z.uuid(), name: z.string(), default_stage: z.string() }))
      .check(z.maxLength(mostPipelines)),
  })
  .check(z.meta({ id: 'ProvisionedOrganization' }));
export type ProvisionedOrganization = z.output<typeof provisionedOrganization>;

/** What making an organization does with the table. */
export const provisioningGrants = [
  'GetItem',
  'ConditionCheckItem',
  ...grantsOn('PutItem', 'ORG#', 'ORGANIZATION_FACT#', 'MEMBERS#', 'MEMBER_FACT#', 'NAMES#'),
  ...grantsOn('PutItem', 'ORGANIZATIONS', 'PIPELINES#', 'PIPELINE_FACT#', 'WALLET#', 'LEDGER#'),
] as const satisfies Grant[];

/**
 * Makes an organization with its members, pipelines and wallet, all or nothing. The caller chooses the id, so a repeat
 * makes no second one, and gives the first answer. Its pipelines get new ids, unless the caller makes these, too. Throws
 * `organization_id_reused`, and `invalid_request` for a new organization's subscription that is over, or has stars
 * without a grant.
 */
export const provision = async (
  table: Table<'GetItem' | 'PutItem' | 'ConditionCheckItem'>,
  id: string,
  input: OrganizationInput,
  origin: Origin,
  newPipelineId: () => string = v7,
): Promise<{ isNew: boolean; organization: ProvisionedOrganization }> => {
  const fullInput = { ...input, pipelines: input.pipelines.map(withDefaults) };
  const { name, currency } = fullInput;
  const now = Date.now();
  const pipelines = fullInput.pipelines.map((pipeline) =>
    newPipeline(newPipelineId(), pipeline, now),
  );
  const reply: ProvisionedOrganization = { id, name, currency, pipelines: pipelines.map(summary) };
  const fingerprint = fingerprintOf(fullInput);
  const organizationItemKey = organizationKind.key({ organizationId: id });
  if (isOver(fullInput.wallet, now)) {
    const existing = await table.get(organizationItemKey);
    if (existing) return { isNew: false, organization: replyOf(existing, fingerprint) };
    throw invalid('wallet.subscription.current_period_end', 'must be in the future');
  }
  const organization = {
    name,
    currency,
    created_at: new Date(now).toISOString(),
    pipelines: pipelines.length,
    members: fullInput.members.length,
    owners: fullInput.members.filter(({ role }) => role === 'owner').length,
    webhooks: 0,
    api_keys: 0,
    facts: 1,
    fingerprint,
    reply: JSON.stringify(reply),
  };
  try {
    await commitTo(
      table,
      origin,
    )([
      put(organizationItemKey, organization, {
        condition: absent,
        refused: (existing) => new OrganizationExistsError(existing),
      }),
      assertNeverErased(id),
      organizationFact(id, 1, { changed: ['name', 'currency'], now }),
      listOrganization(id, organization),
      ...fullInput.members.flatMap(({ name = null, ...one }) =>
        putMember(id, { ...one, name }, now),
      ),
      ...pipelines.flatMap((pipeline) => putPipeline(id, pipeline)),
      ...openWallet(id, fullInput.wallet, origin),
    ]);
    return { isNew: true, organization: reply };
  } catch (error) {
    if (!(error instanceof OrganizationExistsError)) throw error;
    return { isNew: false, organization: replyOf(error.existing, fingerprint) };
  }
};

/** The first answer to what is asked for again. Throws `organization_id_reused` where something else was asked for. */
const replyOf = (
  existing: OrganizationItem | undefined,
  fingerprint: string,
): ProvisionedOrganization => {
  if (existing?.fingerprint !== fingerprint) throw new ApiError('organization_id_reused');
  return provisionedOrganization.parse(JSON.parse(existing.reply));
};

/** Whether the period of its subscription is over. */
const isOver = ({ subscription }: OrganizationInput['wallet'], now: number): boolean =>
  subscription !== undefined && Date.parse(subscription.current_period_end) <= now;

/** A digest of what was asked for, without what is `null`: to leave it out asks for the same. */
const fingerprintOf = (input: object): string =>
  createHash('sha256')
    .update(JSON.stringify(input, (_, value) => value ?? undefined))
    .digest('base64url');

class OrganizationExistsError extends Error {
  readonly existing: OrganizationItem | undefined;
  constructor(existing: OrganizationItem | undefined) {
    super('the organization exists');
    this.existing = existing;
  }
}

const summary = ({ id, name, default_stage }: Pipeline) => ({ id, name, default_stage });

/**
 * A subscription whose months begin now, until the end of the period. Throws `invalid_request` for monthly stars of months that
 * have none.
 */
const openSubscription = (
  {
    tier,
    status,
    monthly_grant_stars,
    monthly_stars,
    current_period_end,
  }: NonNullable<OrganizationInput['wallet']['subscription']>,
  now: number,
): Wallet => {
  const until = Date.parse(current_period_end);
  if (monthly_stars > 0 && monthly_grant_stars === 0) {
    throw invalid('wallet.subscription.monthly_stars', 'must be 0 where the grant is');
  }
  const lines = [{ from: now, until, monthly_grant_stars, tier }];
  return addLines(emptyWallet, { ...emptySubscription, status }, lines, now).wallet;
};

/** A wallet, and the entry that explains it if it starts with stars or a subscription. */
const openWallet = (
  organizationId: string,
  { pack_stars, subscription }: OrganizationInput['wallet'],
  { by, requestId }: Origin,
): WriteOrFact<'PutItem'>[] => {
  const monthly_stars = subscription?.monthly_stars ?? 0;
  const now = Date.now();
  const version = pack_stars > 0 || subscription ? 1 : 0;
  const wallet: Wallet = {
    ...(subscription ? openSubscription(subscription, now) : emptyWallet),
    version,
    opened_at: now,
    at: now,
    monthly_stars,
    pack_stars,
  };
  const opened = put(walletKind.key({ organizationId }), wallet);
  // Nothing has happened to a wallet without stars.
  if (version === 0) return [withoutFact(opened)];
  const entry: LedgerEntry = {
    ...emptyEntry,
    version,
    at: new Date(now).toISOString(),
    type: 'organization.provisioned',
    event_id: organizationId,
    user_id: by,
    request_id: requestId,
    stars: monthly_stars + pack_stars,
    monthly_change: monthly_stars,
    pack_change: pack_stars,
    monthly_after: monthly_stars,
    pack_after: pack_stars,
  };
  return [opened, ...ledgerFacts(organizationId, { entry, wallet, notices: [] })];
};
