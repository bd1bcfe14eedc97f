import type { Preset } from './preset.ts';

/** The columns of Google’s emails or phones: it numbers them, and has as many as the contact with the most. */
const numbered = (name: string): string[][] =>
  Array.from({ length: 20 }, (_, i) => [`${name} ${i + 1} - Value`]);

/** Google Contacts’ “Google CSV”, as it is since 2024 and as it was before. */
export const google: Preset = {
  system: 'Google Contacts',
  own: /^(?:E-mail|Phone|Address|Organization) \d+ - (?:Value|Label|Type|Name|Country)$/,
  fields: [
    { field: 'contact_name', columns: [['Name']] },
    {
      field: 'contact_name',
      join: true,
      columns: [
        ['First Name', 'Given Name'],
        ['Middle Name', 'Additional Name'],
        ['Last Name', 'Family Name'],
      ],
    },
    { field: 'company_name', columns: [['Organization Name', 'Organization 1 - Name']] },
    { field: 'email', columns: numbered('E-mail') },
    { field: 'phone', columns: numbered('Phone') },
    { field: 'tags', columns: [['Labels', 'Group Membership']], separator: ':::' },
  ],
  country: ['Address 1 - Country'],
  // Google’s own labels begin with a star. Every contact has the first.
  values: {
    tags: {
      '* myContacts': '',
      '* starred': 'starred',
      '* friends': 'friends',
      '* family': 'family',
      '* coworkers': 'coworkers',
    },
  },
};
