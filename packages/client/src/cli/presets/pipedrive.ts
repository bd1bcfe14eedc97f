import type { Preset, PresetField } from './preset.ts';

// Pipedrive names a column by what it is of: “Person - Name” among people, “Lead - Title” among leads; in the language of its user.
// Files for its import name kinds of emails and phones in brackets.
const people = ['Person', 'Pessoa', 'Persona'];
const things = ['Lead', 'Deal', 'Negócio', 'Trato', ...people];

/** What only Pipedrive names so, after a thing: a “Lead - Source” may be anybody’s. */
const named = [
  ...['ID', 'Name', 'Nome', 'Nombre', 'Title', 'Título', 'Organization', 'Organização'],
  ...['Organización', 'Owner', 'Proprietário', 'Propietario', 'Email', 'E-mail'],
  ...['Correo electrónico', 'Phone', 'Telefone', 'Teléfono'],
];

const kinds = (names: string[], ...all: string[][]): string[][] => {
  const [name = ''] = names;
  const whole = people.flatMap((person) => names.map((one) => `${person} - ${one}`));
  const ofKind = (kind: string) => [
    ...[...whole, name].flatMap((one) => [`${one} - ${kind}`, `${one} (${kind})`]),
  ];
  return [...all.map((same) => same.flatMap(ofKind)), [...whole, name]];
};

const work = ['Work', 'Trabalho', 'Trabajo'];
const home = ['Home', 'Residencial', 'Casa'];
const mobile = ['Mobile', 'Celular', 'Móvil'];
const other = ['Other', 'Outros', 'Otro'];

/** One field of people, leads and deals. */
const each = (field: string, ...names: string[]): PresetField[] =>
  [...things.map((thing) => `${thing} - `), ''].map((prefix) => ({
    field,
    columns: names.map((name) => [`${prefix}${name}`]),
  }));

/** Pipedrive’s exports of people, leads and deals, in English, Portuguese and Spanish. */
export const pipedrive: Preset = {
  system: 'Pipedrive',
  own: new RegExp(`^(?:${things.join('|')}) - (?:${named.join('|')})(?: - |$)`),
  fields: [
    { field: 'external_id', columns: [['Lead - ID']] },
    // People and deals are numbered alike.
    {
      field: 'external_id',
      columns: [['Deal - ID', 'Negócio - ID', 'Trato - ID']],
      before: 'deal-',
    },
    { field: 'external_id', columns: [['Person - ID', 'Pessoa - ID', 'Persona - ID', 'ID']] },
    {
      field: 'contact_name',
      columns: [
        [
          'Person - Name',
          'Pessoa - Nome',
          'Persona - Nombre',
          'Name',
          'Lead - Contact person',
          'Lead - Person',
          'Deal - Contact person',
          'Negócio - Pessoa de contato',
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
        ['Organization - Name', 'Organização - Nome', 'Organización - Nombre'],
        ['Person - Organization', 'Lead - Organization', 'Deal - Organization', 'Organization'],
        ['Pessoa - Organização', 'Negócio - Organização'],
        ['Persona - Organización', 'Trato - Organización'],
      ],
    },
    {
      field: 'email',
      columns: kinds(['Email', 'E-mail', 'Correo electrónico'], work, home, other),
    },
    {
      field: 'phone',
      columns: kinds(['Phone', 'Telefone', 'Teléfono'], work, mobile, home, other),
    },
    ...each('owner_id', 'Owner', 'Proprietário', 'Propietario'),
    ...each('tags', 'Labels', 'Label', 'Etiquetas', 'Etiqueta'),
    ...each('value', 'Value', 'Valor'),
    ...each('currency', 'Currency of Value', 'Currency', 'Moeda de Valor', 'Moneda de Valor'),
    ...each('title', 'Title', 'Título'),
  ],
  country: [
    'Person - Country',
    'Person - Country of Postal address',
    'Organization - Country',
    'Organization - Country of Address',
    'Country',
  ],
  prefixes: [...things, 'Organization', 'Organização', 'Organización'].map((one) => `${one} - `),
};
