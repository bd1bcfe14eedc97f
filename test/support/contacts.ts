import type { Lead } from '../../lib/leads/lead.ts';

/** How leads have to be found by their contacts: each partition key, written out here, with the lead's id. */
export const foundByContacts = (organizationId: string, leads: readonly Lead[]): string[] =>
  leads.flatMap((lead) =>
    (['email', 'phone'] as const).flatMap((field) => {
      const value = lead[field]?.toLowerCase();
      return value
        ? `CONTACT#${organizationId}#${lead.pipeline_id}#${field}#${value} ${lead.id}`
        : [];
    }),
  );
