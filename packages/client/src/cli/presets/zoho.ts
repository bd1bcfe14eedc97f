import type { Preset } from './preset.ts';

/** Zoho CRM’s exports of leads, contacts and deals. */
export const zoho: Preset = {
  system: 'Zoho CRM',
  own: /^(?:Record Id|(?:Lead|Contact|Deal|Account) (?:Owner|Name)\.id)$/,
  fields: [
    { field: 'external_id', columns: [['Record Id', 'Lead Id', 'Contact Id', 'Deal Id']] },
    { field: 'contact_name', join: true, columns: [['First Name'], ['Last Name']] },
    { field: 'contact_name', columns: [['Lead Name', 'Contact Name', 'Full Name']] },
    { field: 'company_name', columns: [['Company', 'Company Name', 'Account Name']] },
    { field: 'email', columns: [['Email'], ['Secondary Email']] },
    { field: 'phone', columns: [['Phone'], ['Mobile'], ['Home Phone'], ['Other Phone']] },
    { field: 'owner_id', columns: [['Lead Owner', 'Contact Owner', 'Deal Owner']] },
    { field: 'owner_id', columns: [['Lead Owner.id', 'Contact Owner.id', 'Deal Owner.id']] },
    { field: 'tags', columns: [['Tag', 'Tags']] },
    { field: 'value', columns: [['Amount']] },
    { field: 'currency', columns: [['Currency']] },
    { field: 'title', columns: [['Deal Name', 'Potential Name']] },
  ],
  country: ['Country', 'Mailing Country', 'Address - Country / Region'],
  // Zoho writes this mark so that no spreadsheet shortens an id.
  mark: /^zcrm_(?=\d+$)/,
};
