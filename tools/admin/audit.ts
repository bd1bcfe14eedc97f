import { CliError } from '@leads-and-stars/runner';
import { Command } from 'commander';
import { assertSum } from '../../lib/billing/rules/invariants.ts';
import type { LedgerEntry } from '../../lib/billing/stored/ledger-entry.ts';
import { sum } from '../../lib/billing/stored/lots.ts';
import { readOpenHolds } from '../../lib/billing/stored/open-hold.ts';
import { heldStars } from '../../lib/billing/stored/wallet.ts';
import { WalletInvariant } from '../../lib/billing/stored/wallet-invariant.ts';
import { readAllOrganizations } from '../../lib/organizations/organization-list.ts';
import type { TableClient } from '../../lib/table/client.ts';
import { uuid } from './arguments.ts';
import { failure } from './failure.ts';
import { NotFoundError, WrongError } from './outcomes.ts';
import { print } from './output.ts';
import { expectWallet, readLedger } from './read-wallet.ts';
import { openTarget } from './target.ts';

export const audit = new Command('audit')
  .description('hold the stars of an organization, or of all, against all that changed them')
  .argument('[organization-id]', 'the organization', uuid)
  .option('--all', 'of each organization: reads all ledgers, a unit for about twelve entries')
  .action(async (id: string | undefined, { all }: { all?: true }, command: Command) => {
    if ((id === undefined) === (all === undefined)) {
      throw new CliError('Name an organization, or give --all.');
    }
    const table = await openTarget(command);
    if (id === undefined) return auditAll(table);
    print({ sound: true, ...(await auditWallet(table, id)) });
  });

interface FailedAudit {
  organization_id: string;
  why: string;
}

/** Tells of each wallet that is wrong, or that it could not look at, and goes on. */
const auditAll = async (table: TableClient): Promise<void> => {
  const wrong: FailedAudit[] = [];
  const unread: FailedAudit[] = [];
  let wallets = 0;
  for await (const page of readAllOrganizations(table)) {
    for (const { id: organization_id } of page) {
      try {
        await auditWallet(table, organization_id);
      } catch (error) {
        // The organization was erased meanwhile.
        if (error instanceof NotFoundError) continue;
        const kind = error instanceof WrongError ? wrong : unread;
        kind.push({ organization_id, why: failure(error) });
      }
      wallets++;
    }
  }
  const sound = wrong.length === 0 && unread.length === 0;
  print({ sound, wallets, wrong, unread, read_units: table.unitsByKind.read });
  if (wrong.length > 0) throw new WrongError(`${wrong.length} of ${wallets} wallets are wrong.`);
  if (unread.length > 0) {
    throw new CliError(`${unread.length} of ${wallets} wallets were not read. Run it again.`);
  }
};

const auditWallet = async (table: TableClient, organizationId: string) => {
  try {
    return await assertWhole(table, organizationId);
  } catch (error) {
    if (!(error instanceof WalletInvariant)) throw error;
    throw new WrongError(`The wallet is wrong: ${error.message}.`);
  }
};

const assertWhole = async (table: TableClient, organizationId: string) => {
  const item = await expectWallet(table, organizationId);
  // Entries are only ever added. Those that came since are later than this wallet.
  const ledger = await readLedger(table, organizationId);
  const entries = ledger.filter(({ version }) => version <= item.version);
  assertSum(item, entries);
  if (ledger.length > entries.length) await assertLast(table, organizationId, ledger[0]!);
  await assertHolds(table, organizationId);
  const { monthly_stars, pack_stars } = item;
  return { entries: entries.length, monthly_stars, pack_stars };
};

/** Each entry is written with the wallet. Only a restore can bring one back without the other. */
const assertLast = async (table: TableClient, organizationId: string, last: LedgerEntry) => {
  const { version } = await expectWallet(table, organizationId);
  if (version >= last.version) return;
  const message = `it is as entry ${version} left it, and there are entries up to ${last.version}`;
  throw new WrongError(`The wallet is wrong: ${message}.`);
};

/** How often the holds are read again where the wallet changes meanwhile. */
const attempts = 10;

/** A hold is written with the wallet, too. No change finds a hold that is missing, and none can end it. */
const assertHolds = async (table: TableClient, organizationId: string): Promise<void> => {
  const read = async () => expectWallet(table, organizationId);
  for (let i = 0; i < attempts; i++) {
    const before = await read();
    const open = await readOpenHolds(table, organizationId);
    const wallet = await read();
    if (wallet.version !== before.version) continue;
    const stars = open.reduce((all, { lots }) => all + sum(lots), 0);
    if (open.length === wallet.open_holds && stars === heldStars(wallet)) return;
    const counted = `${wallet.open_holds} open holds with ${heldStars(wallet)} stars`;
    throw new WrongError(
      `The wallet is wrong: it counts ${counted}, and there are ${open.length} with ${stars}.`,
    );
  }
  throw new CliError('The wallet changes all the time: its holds were not counted. Run it again.');
};
