import { eventRecordKind } from '../stored/event-record.ts';
import { type Decision, resultByRecord, type UpdateResult } from './decisions.ts';
import type { WalletTable } from './wallet-table.ts';

/**
 * The results. Of an update that the wallet refuses, the record is read again: another try of it may have been made after the
 * record was read and before the wallet was. One that is made later changes the wallet, so that these writes are refused.
 */
export const answer = async (
  table: WalletTable,
  organizationId: string,
  decisions: readonly Decision[],
  now: number,
): Promise<UpdateResult[]> => {
  // A record that these decisions wrote under the same id, for another update, is no earlier try of this update.
  const own = new Set(decisions.flatMap(({ step }) => step?.entry.event_id ?? []));
  const keys = decisions.map(({ update: { cause }, isRefusedByWallet }) =>
    isRefusedByWallet && !own.has(cause.event_id)
      ? eventRecordKind.key({ organizationId, eventId: cause.event_id })
      : undefined,
  );
  const records = await table.getAll(keys);
  return decisions.map(({ update, result }, i) => {
    const record = records[i];
    return (record && resultByRecord(update, record, now)) ?? result;
  });
};
