import { quoted } from '../terminal-text.ts';

/** Whether a text has the form of a user’s id: of Cognito’s, not all are UUIDs as RFC 9562 has them. */
export const isUserId = (text: string): boolean =>
  /^[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}$/i.test(text.trim());

/** Why a lead goes unowned. */
export const noOwner = (text: string): string =>
  `is no member’s id: the lead goes unowned, unless --values ${quoted(`owner_id=${text.trim()}=ID`)} says whose it is`;
