import type { Preset, PresetField } from './preset.ts';

// Pipedrive names a column by what it is of: “Person - Name” among people, “Lead - Title” among leads. Files for its import
// name kinds of emails and phones in brackets.
const kinds = (name: string, ...all: string[]): string[][] => [
  ...all.map((kind) => [
    `Person - ${name} - ${kind}`,
    `Person - ${name} (${kind})`,
    `${name} - ${kind}`,
    `${name} (${kind})`,
  ]),
  [`Person - ${name}`, name],
];

/** One field of people, leads and deals. */
const each = (field: string, ...names: string[]): PresetField[] =>
  ['Lead - ', 'Deal - ', 'Person - ', ''].map((prefix) => ({
    field,
    columns: names.map((name) => [`${prefix}${name}`]),
  }));

/** Pipedrive’s exports of people, leads and deals. */
export const pipedrive: Preset = {
  system: 'Pipedrive',
  fields: [
    { field: 'external_id', columns: [['Lead - ID']] },
    // People and deals are numbered alike.
    { field: 'external_id', columns: [['Deal - ID']], before: 'deal-' },
    { field: 'external_id', columns: [['Person - ID', 'ID']] },
    {
      field: 'contact_name',
      columns: [
        [
          'Person - Name',
          'Name',
          'Lead - Contact person',
          'Lead - Person',
          'Deal - Contact person',
          'Contact person',
        ],
      ],
    },
    {
      field: 'contact_name',
      join: true,
      columns: [
        ['Person - First name', 'First name'],
        ['Person - Last name', 'Last name'],
      ],
    },
    {
      field: 'company_name',
      columns: [
        ['Organization - Name'],
        ['Person - Organization', 'Lead - Organization', 'Deal - Organization', 'Organization'],
      ],
    },
    { field: 'email', columns: kinds('Email', 'Work', 'Home', 'Other') },
    { field: 'phone', columns: kinds('Phone', 'Work', 'Mobile', 'Home', 'Other') },
    ...each('owner_id', 'Owner'),
    ...each('tags', 'Labels', 'Label'),
    ...each('value', 'Value'),
    ...each('currency', 'Currency of Value', 'Currency'),
    ...each('title', 'Title'),
  ],
  country: [
    'Person - Country',
    'Person - Country of Postal address',
    'Organization - Country',
    'Organization - Country of Address',
    'Country',
  ],
  prefixes: ['Person - ', 'Lead - ', 'Deal - ', 'Organization - '],
};
