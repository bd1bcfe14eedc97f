import { type Key, ordinal, places } from '../../lib/table/keys.ts';

// Keys as tests name them in short.

export const walletKey = (organizationId: string): Key => places.wallet.key({ organizationId });

export const ledgerEntryKey = (organizationId: string, version: number): Key =>
  places.ledgerEntry.key({ organizationId, version: ordinal(version) });

export const noticeKey = (organizationId: string, version: number, index: number): Key =>
  places.notice.key({ organizationId, version: ordinal(version), index: String(index) });

export const eventRecordKey = (organizationId: string, eventId: string): Key =>
  places.eventRecord.key({ organizationId, eventId });

export const historyKey = (organizationId: string, leadId: string, version: number): Key =>
  places.historyEntry.key({ organizationId, leadId, version: ordinal(version) });

export const noteChangeKey = (
  organizationId: string,
  leadId: string,
  noteId: string,
  version: number,
): Key =>
  places.noteHistoryEntry.key({ organizationId, leadId, noteId, version: ordinal(version) });
