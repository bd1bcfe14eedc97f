import { expect, test } from 'vitest';
import { planOf } from '../../../packages/client/src/cli/columns.ts';
import { presetNames, presetOf } from '../../../packages/client/src/cli/presets/presets.ts';
import { csv } from './support.ts';

// Which system a file is said to be of: none, rather than a wrong one.

interface Given {
  from?: string | undefined;
  map?: [string, string][];
  others?: 'leave-out';
}

/** What is said of a file with these columns; empty where it would be taken. */
const saidOf = (header: string, { from, map = [], others }: Given = {}): string => {
  const preset = from === undefined ? undefined : presetOf(from);
  try {
    planOf(csv(header.split(',')), { map: new Map(map), preset, others });
    return '';
  } catch (error) {
    return (error as Error).message;
  }
};

/** As systems write them: sources are in test/support/system-exports.ts. */
const exports: [string, string][] = [
  ['hubspot', 'Record ID,First Name,Last Name,Email,Phone Number,Contact owner,Lead Status'],
  ['hubspot', 'Record ID,Nome,Sobrenome,E-mail,Telefone,Status do lead'],
  ['hubspot', 'hs_object_id,firstname,lastname,email,phone,lifecyclestage'],
  ['hubspot', 'First Name,Last Name,Email,Company Name,Marketing contact status'],
  ['pipedrive', 'Person - Name,Person - Email - Work,Person - Phone - Work,Person - Organization'],
  ['pipedrive', 'Pessoa - Nome,Pessoa - E-mail - Trabalho,Pessoa - Telefone - Celular'],
  ['pipedrive', 'Trato - ID,Trato - Título,Trato - Valor,Persona - Teléfono'],
  ['pipedrive', 'Lead - ID,Lead - Title,Lead - Value'],
  ['salesforce', 'Lead ID,First Name,Last Name,Company / Account,Email,Phone,Mobile,Lead Owner'],
  ['salesforce', 'Id,LastName,FirstName,Company,Phone,MobilePhone,Email,OwnerId'],
  ['salesforce', 'Opportunity ID,Opportunity Name,Account Name,Amount,Opportunity Owner'],
  ['salesforce', 'Contact ID,First Name,Last Name,Account Name,Mailing State/Province,Email'],
  ['zoho', 'Record Id,Lead Owner.id,Lead Owner,Company,First Name,Last Name,Email,Phone,Mobile'],
  ['zoho', 'Record Id,Deal Owner.id,Amount,Deal Name,Account Name.id,Account Name'],
  ['google', 'First Name,Last Name,Labels,E-mail 1 - Label,E-mail 1 - Value,Phone 1 - Value'],
  ['google', 'Name,Given Name,Family Name,Group Membership,E-mail 1 - Type,E-mail 1 - Value'],
  ['meta', 'id,created_time,adset_id,form_id,is_organic,full_name,phone_number,email'],
];

test.each(exports)('the system of an export is told: %s, %s', (name, header) => {
  expect(saidOf(header)).toContain(`say --from ${name}.`);
  expect(saidOf(header, { from: name })).toBe('');
  for (const from of presetNames) {
    const said = saidOf(header, { from });
    expect([from, said]).toEqual([
      from,
      expect.toSatisfy(() => !/say --from/.test(said) || said.includes(`say --from ${name}.`)),
    ]);
  }
});

/** Exports in languages that no preset knows, by the labels of their public help pages, and lists of companies. */
const unknown = [
  // Salesforce.
  'Vorname,Nachname,Firma/Account,E-Mail,Telefon,Mobiltelefon,Lead-Status,Lead-Quelle,Straße,Ort',
  'Anrede,Name,Firma,E-Mail,Telefon,Lead-Inhaber,Land',
  'Prénom,Nom,Société / Compte,Adresse e-mail,Téléphone,Mobile,Statut de la piste,Origine de la piste',
  'Nombre,Apellidos,Compañía / Cuenta,Correo electrónico,Teléfono,Móvil,Estado del candidato',
  'Nome,Sobrenome,Empresa / Conta,Email,Telefone,Celular,Status do lead,Origem do lead',
  // Zoho.
  'Lead-Besitzer,Unternehmen,Vorname,Nachname,E-Mail,Telefon,Mobil,Lead-Quelle,Land',
  'Propriétaire du prospect,Société,Prénom,Nom,E-mail,Téléphone,Mobile,Source du prospect',
  'Propietario de Posible cliente,Empresa,Nombre,Apellidos,Correo electrónico,Teléfono,Móvil,País',
  'Proprietário do Lead,Empresa,Nome,Sobrenome,E-mail,Telefone,Celular,Origem do Lead',
  // Lists.
  'Name,Company,E-mail,Phone,Country,Owner,Tags',
  'First Name,Last Name,Email Address,Mobile,Company,Lead - Source',
  'ID,Nome,Empresa,Telefone,Etiquetas,Valor',
  'contact_name,email,hs_code,Phone 1 - Office',
  'Kunde,Ansprechpartner,E-Mail,Telefon,Umsatz',
];

test.each(unknown)('no system is told of columns that several have: %s', (header) => {
  expect(saidOf(header)).toContain(`is no field of a lead. Say which one it is with --map`);
  for (const from of [undefined, ...presetNames]) {
    expect(saidOf(header, { from })).not.toContain('say --from');
  }
});

test('columns in another language are named, until each is mapped or left out', () => {
  const header = 'Nome,Sobrenome,Empresa,Email,Telefone,Origem';
  const said = saidOf(header, { from: 'salesforce' });
  expect(said).toBe(
    "The file is no export of Salesforce, or in a language that is not known. Say what its columns are with --map 'Column=field', or leave out the others with --others leave-out. Not known: Nome, Sobrenome, Empresa, Telefone, Origem.",
  );
  const map: [string, string][] = [
    ['Nome+Sobrenome', 'contact_name'],
    ['Telefone', 'phone'],
  ];
  expect(saidOf(header, { from: 'salesforce', map: map.slice(0, 1) })).toContain(
    'Not known: Empresa, Telefone',
  );
  expect(saidOf(header, { from: 'salesforce', map })).toBe('');
  expect(saidOf(header, { from: 'salesforce', others: 'leave-out' })).toBe('');
  // A file of the system itself, without a name.
  expect(saidOf('Record ID,Lead Status', { from: 'hubspot' })).toContain('Not known: Lead Status.');
  expect(saidOf('Lead Owner,Amount', { from: 'zoho' })).toMatch(/leave-out\.$/);
  // Nothing is left that could be a name.
  const wide = ['Ort', ...Array.from({ length: 30 }, (_, i) => `Feld ${i}`)].join();
  expect(saidOf(wide, { from: 'salesforce', others: 'leave-out' })).toMatch(
    /Not known: Ort, .*, Feld 18, …\.$/,
  );
  expect(saidOf(wide, { from: 'salesforce', map: [['Ort', 'company_name']] })).toBe('');
});

test('columns that --map names tell no system', () => {
  const header = 'hs_object_id,Vorname';
  expect(saidOf(header)).toContain('say --from hubspot');
  expect(saidOf(header, { map: [['hs_object_id', 'external_id']] })).toMatch(
    /^The column “Vorname” is no field/,
  );
  const pair = 'Record ID,First Name,Mobile';
  expect(saidOf(pair, { from: 'salesforce' })).toContain('say --from hubspot');
  expect(saidOf(pair, { from: 'salesforce', map: [['Record ID', 'external_id']] })).toBe('');
  // Of two systems, none is told.
  expect(saidOf('hs_object_id,adset_id,x')).not.toContain('say --from');
});
