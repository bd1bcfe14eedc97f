import { randomUUID } from 'node:crypto';
import { CliError, shiftMs } from '@leads-and-stars/runner';
import { Command } from 'commander';
import * as z from 'zod/mini';
import { eventUpdate, ownWalletEvent } from '../../lib/billing/events/event-update.ts';
import { readBalance } from '../../lib/billing/read-balance.ts';
import { sum } from '../../lib/billing/stored/lots.ts';
import { readOpenHolds } from '../../lib/billing/stored/open-hold.ts';
import { toldPurpose } from '../../lib/billing/terms/purpose.ts';
import { changeWallet } from '../../lib/billing/writer/change-wallet.ts';
import { walletTableFor } from '../../lib/billing/writer/wallet-table.ts';
import { putWake } from '../../lib/consumers/wake-item.ts';
import { ApiError } from '../../lib/errors/errors.ts';
import { ofCommand } from '../../lib/facts/origin.ts';
import { readNames } from '../../lib/organizations/user-names.ts';
import { issueDetails } from '../../lib/schema/issues.ts';
import type { TableClient } from '../../lib/table/client.ts';
import { retryOnConflict, timeBoundsAfter } from '../../lib/table/retry.ts';
import { countAnew, readCounted } from '../../lib/usage/counted.ts';
import { wholeNumber } from '../cli/whole-number.ts';
import { examples, starsChange, uuid } from './arguments.ts';
import { audit } from './audit.ts';
import { print } from './output.ts';
import { expectOrganization } from './read-organization.ts';
import { expectWallet, readLedger } from './read-wallet.ts';
import { openTarget } from './target.ts';
import { unsure } from './uncertainty.ts';

const show = new Command('show')
  .description('show the stars of an organization, as its own members see them')
  .argument('<organization-id>', 'the organization', uuid)
  .action(async (organizationId: string, _options: object, command: Command) => {
    const table = await openTarget(command);
    await expectWallet(table, organizationId);
    print(await readBalance(table, organizationId, Date.now()));
  });

const history = new Command('history')
  .description('list what changed the wallet of an organization, newest first')
  .argument('<organization-id>', 'the organization', uuid)
  .option('--limit <n>', 'at most so many entries', wholeNumber(1, 1000), 50)
  .action(async (organizationId: string, { limit }: { limit: number }, command: Command) => {
    const table = await openTarget(command);
    await expectOrganization(table, organizationId);
    const entries = await readLedger(table, organizationId, limit);
    const nameOf = await readNames(table, organizationId, entries);
    print(entries.map((one) => ({ ...one, user_name: nameOf(one.user_id) })));
  });

const holds = new Command('holds')
  .description('list the open holds of an organization, the soonest to expire first')
  .argument('<organization-id>', 'the organization', uuid)
  .action(async (organizationId: string, _options: object, command: Command) => {
    const table = await openTarget(command);
    await expectOrganization(table, organizationId);
    const now = Date.now();
    const open = (await readOpenHolds(table, organizationId)).map((hold) => ({
      hold_id: hold.hold_id,
      stars: sum(hold.lots),
      held_at: new Date(hold.at).toISOString(),
      expires_at: new Date(hold.expires_at).toISOString(),
      // An expired hold counts as returned, and the next change of the wallet writes it off.
      expired: hold.expires_at <= now,
      ...toldPurpose(hold),
    }));
    print(open);
  });

const grant = new Command('grant')
  .description('give an organization stars, or take some back with a negative number')
  .argument('<organization-id>', 'the organization', uuid)
  .requiredOption('--stars <n>', 'how many pack stars', starsChange)
  .requiredOption('--reason <text>', 'why: it is in the history for everyone to see')
  .option('--event-id <id>', 'the same id gives nothing twice (default: a new one)')
  .addHelpText(
    'after',
    examples(
      'wallet grant 5e1f7b3a-0a52-4a0e-9d0c-3c8b5f0f7a11 --stars 500 --reason "Sorry for the outage"',
    ),
  )
  .action(async (organizationId: string, options: GrantOptions, command: Command) => {
    const event = z.safeParse(ownWalletEvent, {
      type: 'stars.adjusted',
      event_id: options.eventId ?? randomUUID(),
      organization_id: organizationId,
      pack_change: options.stars,
      reason: options.reason,
    });
    if (!event.success) {
      const [first] = issueDetails(event.error);
      throw new CliError(`--${first?.path.replace('_', '-')} ${first?.message}`);
    }
    const table = await openTarget(command);
    await expectOrganization(table, organizationId);
    assertClock(table);
    const update = { ...eventUpdate(event.data), origin: ofCommand, spender: undefined };
    const bounded = table.during(timeBoundsAfter(mostMs));
    const { record } = await changeWallet(walletTableFor(bounded, ofCommand), {
      organizationId,
      updates: [update],
    }).catch((error) => {
      throw unlessRefused(error, event.data.event_id);
    });
    print(record.balance);
  });

/** Milliseconds that a change of a wallet may take, as in a function. */
const mostMs = 10_000;

/** Milliseconds. DynamoDB tells its time in whole seconds. */
const mostClockOffsetMs = 5000;

/**
 * A wallet's time never goes back: at a clock that is ahead, what lapses by then is lost for good. At one that is
 * behind, balances change that were final.
 */
const assertClock = ({ clockOffset }: TableClient): void => {
  // The runner may have a clock of its own, which its engine does not know.
  const offset = clockOffset + shiftMs();
  if (Math.abs(offset) < mostClockOffsetMs) return;
  const seconds = Math.round(Math.abs(offset) / 1000);
  const direction = offset < 0 ? 'ahead of' : 'behind';
  throw new CliError(
    `The clock of this machine is ${seconds} s ${direction} DynamoDB's. Set it, and run this again: nothing was given.`,
  );
};

/** A repeat without the id would give the stars twice. */
const unlessRefused = (error: unknown, eventId: string): unknown =>
  error instanceof ApiError && error.kind.status < 500 && error.code !== 'write_conflict'
    ? error
    : unsure('The stars may have been given', `--event-id ${eventId}`, error);

const recount = new Command('recount')
  .description('count the usage of an organization anew, from its first entry on')
  .argument('<organization-id>', 'the organization', uuid)
  .action(async (organizationId: string, _options: object, command: Command) => {
    const table = await openTarget(command);
    await expectOrganization(table, organizationId);
    const read = () => readCounted(table, organizationId);
    await retryOnConflict(table, await read(), read, (counted) =>
      table.transact([countAnew(organizationId, counted), putWake(organizationId, Date.now())], {
        retryConflicts: false,
      }),
    );
    print({ organization_id: organizationId, recounted: true });
  });

interface GrantOptions {
  stars: number;
  reason: string;
  eventId?: string;
}

export const wallet = new Command('wallet')
  .description('see and change the stars of an organization')
  .addCommand(show)
  .addCommand(history)
  .addCommand(holds)
  .addCommand(grant)
  .addCommand(audit)
  .addCommand(recount);
