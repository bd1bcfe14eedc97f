/** A file as another system makes it, and what becomes of it by one command. */
export interface SystemExport {
  name: string;
  /** The name for `--from`. */
  from: string;
  /** Where the names of its columns are from. */
  source: string;
  content: string | Buffer;
  /** The leads of its rows, as they are sent, in a pipeline of an organization with BRL. */
  leads: object[];
  /** The lines of the report: line of the file, field, and a part of the message. */
  told: [line: number, field: string, message: string][];
  leftOut: string[];
}

const lines = (...all: string[]): string => all.join('\r\n');

/** In UTF-16 with a mark, and with tabs, as Meta writes its “CSV”. */
const wideTable = (...rows: string[][]): Buffer =>
  Buffer.from(`\ufeff${rows.map((row) => row.join('\t')).join('\n')}\n`, 'utf16le');

const noOwner = 'is no member’s id';

export const systemExports: readonly SystemExport[] = [
  {
    name: 'a report of leads',
    from: 'salesforce',
    source:
      'labels: https://developer.salesforce.com/docs/atlas.en-us.sfFieldRef.meta/sfFieldRef/salesforce_field_reference_Lead.htm; “Company / Account”, “… Currency” before an amount, and the lines at the end as programs that read such reports have them',
    content: lines(
      '"Lead ID","First Name","Last Name","Title","Company / Account","Email","Phone","Mobile","Lead Owner","Annual Revenue Currency","Annual Revenue","Country"',
      '"00Q5f00000AbCdE","Ana","Souza","CEO","Cedro, Filhos","ana@example.com","(11) 98888-7777","","Rui Costa","BRL","1000000","Brazil"',
      // Ids differ in case.
      '"00Q5f00000AbCde","","Lima","","Pinho","","","912 345 678","","","","Portugal"',
      '',
      '"Grand Totals (2 records)","","","","","","","","","","1000000",""',
      '',
      '"Confidential Information - Do Not Distribute"',
      '"Copyright (c) 2000-2026 salesforce.com, inc. All rights reserved."',
      '',
    ),
    leads: [
      {
        external_id: '00Q5f00000AbCdE',
        contact_name: 'Ana Souza',
        company_name: 'Cedro, Filhos',
        email: 'ana@example.com',
        phone: '+5511988887777',
      },
      {
        external_id: '00Q5f00000AbCde',
        contact_name: 'Lima',
        company_name: 'Pinho',
        phone: '+351912345678',
      },
    ],
    told: [
      [2, 'owner_id', noOwner],
      [5, '', 'footer of a report'],
      [7, '', 'footer of a report'],
      [8, '', 'footer of a report'],
    ],
    leftOut: ['Title', 'Annual Revenue Currency', 'Annual Revenue'],
  },
  {
    name: 'a report of opportunities',
    from: 'salesforce',
    source: 'https://help.salesforce.com/s/articleView?id=sales.opp_fields.htm',
    content: lines(
      '"Opportunity ID","Opportunity Name","Account Name","Amount Currency","Amount","Opportunity Owner"',
      '"0065f00000AbCdE","Roof","Cedro","BRL","1250.5",""',
      '"0065f00000AbCdF","Floor","","USD","99",""',
    ),
    leads: [
      {
        external_id: '0065f00000AbCdE',
        contact_name: 'Cedro',
        company_name: 'Cedro',
        value_cents: 125_050,
      },
      { external_id: '0065f00000AbCdF', contact_name: 'Floor' },
    ],
    told: [[3, 'value_cents', '“99” is in USD, not in BRL']],
    leftOut: ['Opportunity Name (but for leads without another name)'],
  },
  {
    name: 'an export by names of the API',
    from: 'salesforce',
    source:
      'https://developer.salesforce.com/docs/atlas.en-us.sfFieldRef.meta/sfFieldRef/salesforce_field_reference_Lead.htm',
    content: lines(
      '"Id","LastName","FirstName","Name","Company","Country","Phone","MobilePhone","Email","CurrencyIsoCode","OwnerId","IsConverted"',
      '"00Q5f00000AbCdEAAX","Souza","Ana","Ana Souza","Cedro","BR","1133334444","11988887777","ana@example.com","BRL","","false"',
    ),
    leads: [
      {
        external_id: '00Q5f00000AbCdEAAX',
        contact_name: 'Ana Souza',
        company_name: 'Cedro',
        email: 'ana@example.com',
        phone: '+551133334444',
      },
    ],
    told: [[2, 'phone', '“+5511988887777” is a further phone number']],
    leftOut: ['Name', 'IsConverted'],
  },
  {
    name: 'an export of leads',
    from: 'zoho',
    source:
      'fields: https://help.zoho.com/portal/en/kb/crm-nextgen/sales-force-automation/leads; “Record Id”, “….id”, “Tag” and ids with “zcrm_” as programs that read such exports have them',
    content: lines(
      'Record Id,Lead Owner.id,Lead Owner,Is Converted,Company,First Name,Last Name,Email,Phone,Mobile,Country,Secondary Email,Tag',
      'zcrm_554023000000238121,zcrm_554023000000068001,Rui Costa,false,Cedro,Ana,Souza,ana@example.com,1133334444,,Brazil,a@example.org,"Hot lead,VIP"',
      'zcrm_554023000000238122,,,false,,,Lima,,,,,,',
    ),
    leads: [
      {
        external_id: '554023000000238121',
        contact_name: 'Ana Souza',
        company_name: 'Cedro',
        email: 'ana@example.com',
        phone: '+551133334444',
        tags: ['Hot lead', 'VIP'],
      },
      { external_id: '554023000000238122', contact_name: 'Lima' },
    ],
    told: [
      [2, 'email', '“a@example.org” is a further email address'],
      [2, 'owner_id', noOwner],
    ],
    leftOut: ['Lead Owner.id', 'Is Converted'],
  },
  {
    name: 'an export of deals',
    from: 'zoho',
    source: 'as programs that read such exports have them',
    content: lines(
      'Record Id,Deal Owner.id,Deal Owner,Amount,Deal Name,Closing Date,Account Name.id,Account Name,Stage,Contact Name.id,Contact Name,Currency,Exchange Rate',
      'zcrm_554023000000338121,,,1250.00,Roof,2026-12-01,,Cedro,Qualification,,Ana Souza,BRL,1',
      'zcrm_554023000000338122,,,99.90,Floor,2026-12-01,,,Qualification,,,EUR,6.1',
    ),
    leads: [
      {
        external_id: '554023000000338121',
        contact_name: 'Ana Souza',
        company_name: 'Cedro',
        value_cents: 125_000,
      },
      { external_id: '554023000000338122', contact_name: 'Floor' },
    ],
    told: [[3, 'value_cents', '“99.90” is in EUR, not in BRL']],
    leftOut: [
      ...['Deal Owner.id', 'Closing Date', 'Account Name.id', 'Stage', 'Contact Name.id'],
      ...['Exchange Rate', 'Deal Name (but for leads without another name)'],
    ],
  },
  {
    name: 'a “Google CSV”',
    from: 'google',
    source: 'as programs that read such exports since 2024 have them',
    content: lines(
      'First Name,Middle Name,Last Name,Nickname,File As,Organization Name,Organization Title,Birthday,Notes,Photo,Labels,E-mail 1 - Label,E-mail 1 - Value,E-mail 2 - Label,E-mail 2 - Value,Phone 1 - Label,Phone 1 - Value,Phone 2 - Label,Phone 2 - Value,Address 1 - Label,Address 1 - Country',
      'Ana,Maria,Souza,,,Cedro,,,,,"Clients, old ::: * myContacts ::: * starred",* Work,ana@example.com ::: a@example.org,Home,am@example.org,Mobile,(11) 98888-7777,,,Home,BR',
      ',,,,,Pinho,,,,,* myContacts,,,,,Work,+351 912 345 678 ::: +351 213 456 789,,,,',
    ),
    leads: [
      {
        contact_name: 'Ana Maria Souza',
        company_name: 'Cedro',
        email: 'ana@example.com',
        phone: '+5511988887777',
        tags: ['Clients, old', 'starred'],
      },
      { contact_name: 'Pinho', company_name: 'Pinho', phone: '+351912345678' },
    ],
    told: [
      [2, 'email', '“a@example.org” is a further email address'],
      [2, 'email', '“am@example.org” is a further email address'],
      [3, 'phone', '“+351213456789” is a further phone number'],
    ],
    leftOut: [
      ...['Nickname', 'File As', 'Organization Title', 'Birthday', 'Notes', 'Photo'],
      ...['E-mail 1 - Label', 'E-mail 2 - Label', 'Phone 1 - Label', 'Phone 2 - Label'],
      ...['Address 1 - Label', 'Labels (only “* myContacts”)'],
    ],
  },
  {
    name: 'a “Google CSV” of before',
    from: 'google',
    source: 'https://github.com/malbuquerque/produto/issues/59',
    content: lines(
      'Name,Given Name,Additional Name,Family Name,Group Membership,E-mail 1 - Type,E-mail 1 - Value,Phone 1 - Type,Phone 1 - Value,Organization 1 - Type,Organization 1 - Name',
      'Ana Souza,Ana,,Souza,Clients ::: * myContacts,* ,ana@example.com,Mobile,+55 11 98888-7777,,Cedro',
    ),
    leads: [
      {
        contact_name: 'Ana Souza',
        company_name: 'Cedro',
        email: 'ana@example.com',
        phone: '+5511988887777',
        tags: ['Clients'],
      },
    ],
    told: [],
    leftOut: [
      ...['Given Name', 'Additional Name', 'Family Name', 'E-mail 1 - Type', 'Phone 1 - Type'],
      ...['Organization 1 - Type', 'Group Membership (only “* myContacts”)'],
    ],
  },
  {
    name: 'the leads of a form',
    from: 'meta',
    source:
      'a table with tabs: https://developers.facebook.com/docs/marketing-api/guides/lead-ads/retrieving; the names, and “l:”, “f:”, “p:”, as programs that read such exports have them',
    content: wideTable(
      [
        ...['id', 'created_time', 'ad_id', 'ad_name', 'adset_id', 'adset_name', 'campaign_id'],
        ...[
          'campaign_name',
          'form_id',
          'form_name',
          'is_organic',
          'platform',
          'qual_seu_orçamento?',
        ],
        ...['full_name', 'phone_number', 'email', 'lead_status'],
      ],
      [
        ...['l:1062269359945847', '2026-09-23T17:04:53-03:00', 'ag:52524681724174', 'Ad'],
        ...[
          'as:52524681723774',
          'Set',
          'c:52524681723974',
          'Campaign',
          'f:1010420755350301',
          'Form',
        ],
        ...['false', 'ig', 'até 5 mil', 'Ana Souza', 'p:+5511988887777', 'ana@example.com'],
        'CREATED',
      ],
      ['l:1062269359945848', ...Array(12).fill(''), 'Rui', 'p:+351912345678', '', 'CREATED'],
    ),
    leads: [
      {
        external_id: '1062269359945847',
        contact_name: 'Ana Souza',
        email: 'ana@example.com',
        phone: '+5511988887777',
        fields: { form_id: '1010420755350301' },
      },
      { external_id: '1062269359945848', contact_name: 'Rui', phone: '+351912345678' },
    ],
    told: [],
    leftOut: [
      ...['created_time', 'ad_id', 'ad_name', 'adset_id', 'adset_name', 'campaign_id'],
      ...['campaign_name', 'form_name', 'is_organic', 'platform', 'qual_seu_orçamento?'],
      'lead_status',
    ],
  },
  {
    name: 'the leads of a form in Portuguese',
    from: 'meta',
    source: 'Meta’s own questions, as its forms in Portuguese name them',
    content: lines(
      'id,created_time,nome,sobrenome,e-mail,telefone,nome_da_empresa',
      'l:1062269359945849,2026-09-23T17:04:53-03:00,Zé,Lima,ze@example.com,p:+5521999998888,Cedro',
    ),
    leads: [
      {
        external_id: '1062269359945849',
        contact_name: 'Zé Lima',
        company_name: 'Cedro',
        email: 'ze@example.com',
        phone: '+5521999998888',
      },
    ],
    told: [],
    leftOut: ['created_time'],
  },
  {
    name: 'an export of people in Portuguese',
    from: 'pipedrive',
    source: 'as programs that read such exports have them',
    content: lines(
      '"Pessoa - Nome","Pessoa - Etiquetas","Pessoa - Organização","Pessoa - E-mail - Trabalho","Pessoa - E-mail - Residencial","Pessoa - Telefone - Trabalho","Pessoa - Telefone - Celular","Pessoa - Proprietário","Pessoa - form_id"',
      `"Ana Souza","Cliente, VIP","Cedro","ana@example.com","a@example.org","'+55 11 98888-7777","","",""`,
      '"Zé","","","","","","(11) 98888-7778","Rui Costa","7"',
    ),
    leads: [
      {
        contact_name: 'Ana Souza',
        company_name: 'Cedro',
        email: 'ana@example.com',
        phone: '+5511988887777',
        tags: ['Cliente', 'VIP'],
      },
      { contact_name: 'Zé', phone: '+5511988887778', fields: { form_id: '7' } },
    ],
    told: [
      [2, 'email', '“a@example.org” is a further email address'],
      [3, 'owner_id', noOwner],
    ],
    leftOut: [],
  },
  {
    name: 'an export of deals in Portuguese',
    from: 'pipedrive',
    source: 'as programs that read such exports have them',
    content: lines(
      'Negócio - ID,Negócio - Título,Negócio - Valor,Negócio - Moeda de Valor,Negócio - Organização,Negócio - Pessoa de contato,Negócio - Etapa,Negócio - Etiqueta,Pessoa - Telefone',
      '7,Telhado,1250.5,BRL,Cedro,Ana Souza,Proposta,Quente,11988887777',
      '8,Piso,99,USD,,,Proposta,,',
    ),
    leads: [
      {
        external_id: 'deal-7',
        contact_name: 'Ana Souza',
        company_name: 'Cedro',
        phone: '+5511988887777',
        tags: ['Quente'],
        value_cents: 125_050,
      },
      { external_id: 'deal-8', contact_name: 'Piso' },
    ],
    told: [[3, 'value_cents', '“99” is in USD, not in BRL']],
    leftOut: ['Negócio - Etapa', 'Negócio - Título (but for leads without another name)'],
  },
  {
    name: 'an export of people in Spanish',
    from: 'pipedrive',
    source: 'as programs that read such exports have them',
    content: lines(
      'Persona - Nombre,Persona - Correo electrónico - Trabajo,Persona - Teléfono - Otro,Organización - Nombre,Persona - Código postal',
      'Ana Souza,ana@example.com,+34 612 345 678,Cedro,06600',
    ),
    leads: [
      {
        contact_name: 'Ana Souza',
        company_name: 'Cedro',
        email: 'ana@example.com',
        phone: '+34612345678',
      },
    ],
    told: [],
    leftOut: ['Persona - Código postal'],
  },
];
